/* A search of all stages for one aim, within what it may cost. */
#ifndef SEARCH_HUNT_H
#define SEARCH_HUNT_H

#include "memmodel/model.h"
#include "regression/search/evolve.h"
#include "regression/search/product.h"

enum {
    TREE_SEARCH_RESTARTS = 5
}; /* of the search on all rows; evolution begins again in each, from the best formulas so far */

struct tree_search {
    const struct memmodel_fit_options *options;
    struct grammar grammar;
    struct library library;
    struct products products;
    struct selection selection;
    struct fitter fitter;
    struct world world;
    size_t evaluations, stage_evaluations; /* formulas that all may try, and a stage of an age, or some times as many */
    double began, ready;                   /* seconds of the clock: before hunt_new(), and after */
    size_t tried;                          /* formulas, in what is done */
    size_t room;                           /* what the age at hand may try */
    double error;                          /* root of the mean squared one of the best formula on all rows */
};

/*
 * 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_INVALID_ARGUMENT (a forbidden nesting); a failed search may be
 * released.
 */
int
tree_search_new(memmodel_context *context, const struct memmodel_fit_options *options,
                const struct structure *structure, size_t rows, const double *const *inputs, size_t input_count,
                struct tree_search *tree_search);

void
tree_search_release(memmodel_context *context, struct tree_search *tree_search);

/*
 * One age, of which the first begins with enumeration: adds to the archive. `part`: says which rows are searched,
 * `share`: of the formulas that may have been tried and of the seconds, but for what hunt_new() took, that may have
 * passed when it ends. 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_CALLBACK.
 */
int
tree_search_restart(struct tree_search *tree_search, const struct aim *aim, uint64_t part, uint64_t restart,
                    double share, struct archive *archive);

#endif
