/* A formula for a table of any kind: forward selection in nested libraries, chosen by rows it did not see. */
#ifndef REGRESSION_GENERAL_H
#define REGRESSION_GENERAL_H

#include "regression/basis.h"
#include "regression/jackknife.h"
#include "regression/model.h"
#include "regression/path.h"

enum { GENERAL_TARGETS = 2, GENERAL_FOLDS = 5 };

/* A way to read the target: as it is, or as its root above the offset. */
struct reading {
    struct model_response response;
    double *aims;  /* of every row: what a sum of terms should be */
    double *roots; /* of every row: root of the weight of an error in that sum */
};

/* The first terms of a path: of a reading of the target and of a library. */
struct candidate {
    size_t reading, library, terms; /* library LINE and TREES: not a path */
    uint16_t chosen[PATH_MOST];
    unsigned nodes;                   /* of the formula as a tree */
    size_t numbers;                   /* in its terms, that were fitted too */
    double loo_error, held_out_error; /* mean squared or, by another loss, mean of that; weighted */
    struct model_response response;   /* with what squaring a mean loses, and limits if it has any */
    double score;                     /* the least one is chosen */
    bool refused;                     /* it may not become the formula */
};

/* LINE: all inputs; TREES: what a search of trees found. */
enum { LINE = BASIS_LIBRARIES, TREES, GENERAL_TREES = 16 };
enum { GENERAL_MOST = GENERAL_TARGETS * (BASIS_LIBRARIES * PATH_MOST + 1) + 1 + GENERAL_TREES };

struct general {
    struct reading readings[GENERAL_TARGETS];
    struct candidate candidates[GENERAL_MOST]; /* the first is the constant */
    size_t candidate_count, chosen;
    double *held_out; /* of every row: measured less predicted by a formula of the chosen kind, its terms found without
                         the row */
    struct left_out_formula formulas[GENERAL_FOLDS]; /* by which they were predicted */
    size_t formula_count;
    size_t *folds; /* of every row: which of them */
};

/* What is asked. */
struct general_problem {
    const struct training *training;
    const struct basis *basis;
    const struct loss *loss;
    const struct structure *structure; /* NULL: nothing is known */
    size_t most_terms;                 /* 0: as many as pay, at most PATH_MOST */
    int32_t rule;                      /* enum memmodel_fit_selection, not the default */
    /* Whether a candidate with its coefficients on all rows may become the formula; 0 or an error. */
    int (*accept)(void *user, const struct candidate *candidate, bool *accepted);
    void *user;
};

/* 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_DATA if no candidate is accepted; release the outcome in any case. */
int
general_fit(const struct general_problem *problem, struct general *general);

/* folds[i]: the fold, 0 to GENERAL_FOLDS - 1, of row i in a partition. The other two are room, one number a row each. */
void
general_deal_folds(const struct training *training, size_t repeat, size_t *order, unsigned char *group_folds,
                   unsigned char *folds);

/* Into how many parts of points rows fall that are left out by a fit step by step. */
size_t
general_left_out_parts(const struct training *training);

void
general_release(memmodel_context *context, struct general *general);

#endif
