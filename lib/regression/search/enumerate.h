/*
 * All formulas of a small grammar by rising size, each once: those without numbers, as the columns of a library, from which
 * sums of a few are chosen; then numbers are put into the best of these and fitted.
 */
#ifndef SEARCH_ENUMERATE_H
#define SEARCH_ENUMERATE_H

#include "regression/search/archive.h"
#include "regression/search/canonical.h"

enum { LIBRARY_MOST_NODES = 9 };

/* An operation on earlier features. */
struct feature {
    uint8_t operation, input, nodes;
    bool unfit; /* of a unit that no term may have */
    int32_t first, second;
    struct residues residues;
};

struct library {
    struct feature *features;
    struct matrix values; /* a column of each */
    size_t count, capacity;
    size_t all; /* of them with e ^ u, sines, cosines and tanh of small ones, which only sums have */
    size_t ends[LIBRARY_MOST_NODES + 1]; /* features 0 to ends[s] - 1 have at most s nodes */
    size_t lengths, lengths_end;         /* squared lengths among monomials */
};

/* Which nestings are not wanted: forbidden[outer][inner], an operation upon a tree with the other somewhere in it. */
struct grammar {
    bool forbidden[TREE_LEAF][TREE_LEAF];
    bool excluded[TREE_NUMBER + 1]; /* operations not wanted at all */
};

/* "log(log)" and the like, or "sin": not at all; false if it is none. */
bool
grammar_forbid(struct grammar *grammar, const char *nesting);

/* Whether the operation may be done to that tree. */
bool
grammar_permits(const struct grammar *grammar, unsigned operation, const struct tree *operand);

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

enum { SELECTION_BEAM = 16, SELECTION_SMALLEST = 64 };

/* The best trees of one size, best first, none twice. */
struct selection_beam {
    struct formula formulas[SELECTION_BEAM];
    uint64_t keys[SELECTION_BEAM];
    size_t count;
};

enum { SUM_TERMS = 3, SUMS = 4 * SUM_TERMS + 2, SELECTION_SINGLES = 24, SELECTION_PAIRS = 4 };

/* Formulas that stages of a search work with, one stage after the other: too many for the caller's stack. */
struct selection_work {
    struct formula singles[SELECTION_SINGLES], pairs[SELECTION_PAIRS], sums[SUMS];
};

/* Room of a search; as many numbers as features. */
struct selection {
    struct selection_work *work;
    double *rests, *gains;       /* of every feature: squared norm that is left, and what it would explain */
    double *norms, *first_rests; /* its squared norm, and what a constant leaves */
    double *alignments,
        *first_alignments; /* its product with what is left of the target, and with what a constant leaves */
    double *weighted;      /* a row each */
    struct selection_beam *beams;
    double *target, *roots; /* of an aim within the aim, a row each */
    double *small;          /* the smallest features, centred and of norm 1 */
    double (*products)[SELECTION_SMALLEST + 1];
};

int
selection_new(memmodel_context *context, size_t rows, size_t features, struct selection *selection);

void
selection_release(memmodel_context *context, struct selection *selection);

struct effort {
    size_t libraries; /* 1 to 3: how large features may be */
    bool beam;
    size_t most_tried; /* about so many formulas are fitted */
};

/* Offers the archive sums of features for the fitter's aim, then what becomes of them with numbers. */
void
enumerate_search(struct fitter *fitter, const struct library *library, struct selection *selection,
                 const struct grammar *grammar, const struct effort *effort, struct archive *archive);

/*
 * Into selection->work->sums: up to SUMS good sums of small features for the fitter's aim, by forward steps and of three at
 * once; returns how many.
 */
size_t
library_sums(struct fitter *fitter, const struct library *library, struct selection *selection);

/* Offers the archive sums of features behind small factors, and in roots and inverses; the more the more may be tried. */
void
factors_search(struct fitter *fitter, const struct library *library, struct selection *selection,
               const struct grammar *grammar, size_t most_tried, struct archive *archive);

/*
 * After enumerate_search() for the same aim: offers the formula without each of its trees, and with the best feature in its
 * place. Searches leave terms that say nothing, and stand-ins for terms that the library has.
 */
void
formula_exchange(struct fitter *fitter, const struct library *library, struct selection *selection,
                 const struct formula *formula, struct archive *archive);

/* Offers what a number at each place makes of the formula; the best of these becomes it. false if none is better. */
bool
formula_grow(struct fitter *fitter, struct formula *formula, struct archive *archive);

#endif
