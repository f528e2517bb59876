/*
 * All formulas of a small grammar by rising size, each once: those without numbers, as the columns of a library, from
 * which sums of a few are chosen; then numbers are put into the best of these and fitted.
 */
#ifndef SEARCH_ENUMERATE_H
#define SEARCH_ENUMERATE_H

#include "regression/search/archive.h"
#include "regression/search/canonical.h"

enum { LIBRARY_MAX_NODES = 9 };

/* An operation on earlier features. */
struct feature {
    uint8_t operation, input, nodes;
    bool unfit; /* of a unit that no term may have */
    int32_t first, second;
    struct fingerprint fingerprint;
};

struct library {
    struct feature *features;
    struct matrix values; /* a column of each */
    size_t count, capacity;
    size_t all; /* of them with e ^ u, sines, cosines and tanh of small ones, which only sums have */
    size_t ends[LIBRARY_MAX_NODES + 1]; /* features 0 to ends[s] - 1 have at most s nodes */
    size_t lengths, lengths_end;        /* squared lengths among monomials */
};

/* Which nestings are not wanted: forbidden[outer][inner], an operation upon a tree with the other somewhere in it. */
struct grammar {
    bool forbidden[TREE_LEAF][TREE_LEAF];
    bool excluded[TREE_NUMBER + 1]; /* operations not wanted at all */
};

/* "log(log)" and the like, or "sin": not at all; false if it is none. */
bool
grammar_forbid(struct grammar *grammar, const char *nesting);

/* Whether no tree of the formula has a forbidden nesting. */
bool
grammar_allows(const struct grammar *grammar, const struct formula *formula);

/* At most so many features. 0 or MEMMODEL_ERROR_NO_MEMORY; a failed library may be released. */
int
library_new(memmodel_context *context, size_t rows, const double *const *inputs, size_t input_count,
            const struct grammar *grammar, size_t most, struct library *library);

/* Squared lengths, and products of inputs and their inverses by rising degree, at most so many. */
int
library_new_monomials(memmodel_context *context, size_t rows, const double *const *inputs, size_t input_count,
                      size_t most, struct library *library);

void
library_release(memmodel_context *context, struct library *library);

struct tree
library_tree(const struct library *library, size_t feature);

enum { SELECTION_SINGLES = 24, SELECTION_PAIRS = 4 };

/* Formulas that stages of a search work with, one stage after the other: too many for the caller's stack. */
struct selection_work {
    struct formula singles[SELECTION_SINGLES], pairs[SELECTION_PAIRS];
};

/* Room of a search; as many numbers as features. */
struct selection {
    struct selection_work *work;
    double *residuals_left, *gains; /* of every feature: squared norm that is left, and what it would explain */
    double *norms, *first_rests;    /* its squared norm, and what a constant leaves */
    double *alignments,
        *first_alignments; /* its product with what is left of the target, and with what a constant leaves */
    double *weighted;      /* a row each */
};

int
selection_new(memmodel_context *context, size_t rows, size_t features, struct selection *selection);

void
selection_release(memmodel_context *context, struct selection *selection);

/* The `wanted` of largest gain among the first `end`, best first; of equal gains the earlier. Returns how many. */
size_t
list_best(const double *gains, size_t end, size_t wanted, size_t *best);

/*
 * Offers the archive sums of features for the fitter's aim, then what becomes of them with numbers. `libraries`, 1 to
 * 3: how large features may be; about so many formulas are fitted.
 */
void
enumerate_search(struct fitter *fitter, const struct library *library, struct selection *selection,
                 const struct grammar *grammar, size_t libraries, size_t max_tried, struct archive *archive);

/*
 * After enumerate_search() for the same aim: offers the formula without each of its trees, and with the best feature
 * in its place. Searches leave terms that say nothing, and stand-ins for terms that the library has.
 */
void
formula_exchange(struct fitter *fitter, const struct library *library, struct selection *selection,
                 const struct formula *formula, struct archive *archive);

/* Offers what a number at each place makes of the formula; the best of these becomes it. false if none is better. */
bool
formula_grow(struct fitter *fitter, struct formula *formula, struct archive *archive);

#endif
