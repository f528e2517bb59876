/* A fitted formula from the inside. */
#ifndef REGRESSION_MODEL_H
#define REGRESSION_MODEL_H

#include "base/arena.h"
#include "base/quantity.h"
#include "expression/expression.h"
#include "memmodel/model.h"

#include <stdatomic.h>

enum { MODEL_LANGUAGES = MEMMODEL_LANGUAGE_SQL + 1 };
enum { MODEL_MAX_TERMS = 32, MODEL_MAX_INPUTS = 64, MODEL_MAX_DOF = 1000000000, MODEL_MAX_FRONT = 256 };
enum { MODEL_MAX_ALTERNATIVES = 6 };

enum model_sign { MODEL_SIGN_ANY, MODEL_SIGN_NOT_NEGATIVE, MODEL_SIGN_POSITIVE };

/* Which values an input may have; see values.h. Zero: all. */
struct model_values {
    bool whole;
    enum model_sign sign;
};

struct model_input {
    const char *name; /* of the column; its symbol in formulas is that of the pool */
    struct model_values values;
};

enum { MODEL_USUAL_LEVELS = 3 };

/* What a level means for one model. */
struct model_safety {
    double conformal; /* the held-out ratio, or difference, of the level's rank */
    double attained;  /* the level that this rank stands for, whatever the errors' distribution */
    double quantile;  /* Student's */
};

/* How much greater errors are where the leverage is; see bound.c. */
struct model_variance {
    double slope; /* 0: as great everywhere */
    double sigma; /* as that of struct model_bound, where the leverage is 0 */
};

/* What a bound is made from; see bound.h. */
struct model_bound {
    int64_t points; /* at which measurements were made; rows where no two rows share a point */
    int64_t dof;    /* points less terms */
    struct model_safety safeties[MODEL_USUAL_LEVELS]; /* of the usual levels (bound.c) */
    double sigma; /* standard error of a prediction that did not see the measurement, relative to it where errors are */
    double *
        leverage; /* row k of a lower triangle, k + 1 numbers: a point's leverage is the squared norm of triangle * u */
    double *ratios; /* measurement / prediction that did not see it, or where errors are not relative measurement -
                       prediction; with a slope of the variance what that would be where the leverage is 0; rising */
    size_t ratio_count;
    uint32_t *repeats; /* of each ratio how many there are of its point; NULL: one each */
    struct model_variance variance;
};

/* A sum of coefficients times terms. */
struct model_sum {
    expression terms[MODEL_MAX_TERMS];
    double coefficients[MODEL_MAX_TERMS];
    size_t count;
    struct expression_program *value; /* NULL until it is compiled */
};

/* How a sum of terms becomes a prediction: within limits. */
struct model_response {
    double least, most; /* infinite: no limits, and inputs are taken as they are; else they are moved into the domain */
};

struct memmodel_model {
    atomic_int references;
    memmodel_context *context;
    struct arena arena;
    struct expression_pool *pool;       /* symbol i is input i */
    struct expression_program *program; /* values of all terms */
    struct expression_program *value;   /* of the formula, limits and all */
    const char *target;
    const struct byte_unit *unit; /* of sizes that are predicted; NULL: not known */
    size_t input_count, term_count;
    struct model_input *inputs;
    double least[MODEL_MAX_INPUTS], most[MODEL_MAX_INPUTS]; /* of every input: what the fit saw, the domain */
    expression terms[MODEL_MAX_TERMS];
    double coefficients[MODEL_MAX_TERMS];
    struct model_response response;
    bool general;    /* whether coefficients may have any sign */
    double quantile; /* of the pinball loss */
    bool relative;   /* whether errors are relative to what was measured */
    struct model_bound bound;
    struct model_sum alternatives[MODEL_MAX_ALTERNATIVES]; /* that a bound beyond the samples is above, too */
    size_t alternative_count;
    struct memmodel_model_scores scores;      /* `certified` is proven when the model is made or read */
    const char *formulas[MODEL_LANGUAGES];    /* by enum memmodel_language */
    struct memmodel_model_front_entry *front; /* by rising size */
    size_t front_count;
};

/* No values for inputs that the model has; one without inputs needs none. */
static inline bool
model_lacks(const memmodel_model *model, const void *inputs)
{
    return !inputs && model->input_count > 0;
}

/*
 * Making a model: model_begin(), then fill inputs and terms in model->pool, then model_finish(), which compiles. Drop
 * it with memmodel_model_unref() if a step fails. `names` and `target` are copied.
 */
int
model_begin(memmodel_context *context, const char *target, const char *const *names, size_t input_count,
            memmodel_model **model);

/* The end of making one: gives it to the caller, or up if a step failed. Returns that step's status. */
int
model_hand_over(memmodel_model *made, int status, memmodel_model **model);

/* MEMMODEL_ERROR_INVALID_ARGUMENT for a name that a model file cannot hold: it must be UTF-8. */
int
model_check_name(memmodel_context *context, const char *name);

/* Room for term_count terms' leverage, and ratio_count ratios with their repeats. */
int
model_allocate_bound(memmodel_model *model, size_t ratio_count);

/* Room for model->front_count entries. */
int
model_allocate_front(memmodel_model *model);

int
model_finish(memmodel_model *model);

/* Compiles alternatives[alternative_count], whose terms are set, and counts it. */
int
model_add_alternative(memmodel_model *model);

/* terms[k] at a point; returns the formula's value */
double
model_evaluate_terms(const memmodel_model *model, const double *inputs, double *terms);

bool
model_has_limits(const memmodel_model *model);

/* The formula in a language (enum memmodel_language), copied into the arena. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
model_copy_formula(const memmodel_model *model, int language, struct arena *arena, const char **copy);

/* Fills model->formulas: once everything that they say is known. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
model_keep_formulas(memmodel_model *model);

#endif
