/* A search of all stages: products, sums, evolution, and a last polish of what they found. */
#ifndef SEARCH_TREE_SEARCH_H
#define SEARCH_TREE_SEARCH_H

#include "memmodel/model.h"
#include "regression/search/evolve.h"
#include "regression/search/product.h"

/* Evolution begins again in each, from the best formulas so far. */
enum { TREE_SEARCH_RESTARTS = 40 };

struct tree_search {
    uint64_t seed;
    struct library library;
    struct products products;
    struct fitter fitter; /* tried: formulas in what is done */
    struct world world;
    size_t evaluations, stage_evaluations; /* formulas that all may try, and a stage */
};

/* 0 or MEMMODEL_ERROR_NO_MEMORY. What it has of world_release() is to be released even then. */
int
tree_search_new(struct workspace *workspace, const struct memmodel_fit_options *options,
                const struct structure *structure, size_t rows, const double *const *inputs, size_t input_count,
                struct tree_search *tree_search);

/*
 * One restart for the fitter's aim, of which the first begins with products and sums: adds to the archive. 0,
 * MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED.
 */
int
tree_search_restart(struct tree_search *tree_search, uint64_t restart, struct archive *archive);

#endif
