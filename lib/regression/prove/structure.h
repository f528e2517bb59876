/* What is known of a formula before it is fitted: its options as what terms may be, and what must be proven. */
#ifndef REGRESSION_STRUCTURE_H
#define REGRESSION_STRUCTURE_H

#include "expression/expression.h"
#include "regression/prove/certify.h"
#include "regression/prove/dimension.h"
#include "regression/table/training.h"

struct structure {
    size_t input_count;
    signed char
        directions[TRAINING_MAX_INPUTS]; /* of every input: 1 never falls with it, -1 never rises, 0 may do both */
    bool directed;                       /* whether there is one that is not 0 */
    bool non_negative;
    bool integer_exponents;
    double max_exponent; /* 0: any */
    bool change_point;   /* one may be found */
    bool has_units;
    struct dimension target, inputs[TRAINING_MAX_INPUTS];
    double least[TRAINING_MAX_INPUTS], most[TRAINING_MAX_INPUTS]; /* of the inputs */
};

/* Checks what options say of columns. 0, MEMMODEL_ERROR_NOT_FOUND, MEMMODEL_ERROR_INVALID_ARGUMENT. */
int
structure_read(const memmodel_samples *samples, const struct training *table,
               const struct memmodel_fit_options *options, struct structure *structure);

/*
 * Whether a found term is of the powers and of the unit that are allowed: of the target's unit, or a pure number, whose
 * coefficient then has the target's unit as that of the constant has.
 */
bool
structure_allows(const struct structure *structure, const struct expression_pool *pool, expression term);

/* The same of a given term's unit alone. */
bool
structure_unit_fits(const struct structure *structure, const struct expression_pool *pool, expression term);

enum sign { SIGN_MINUS = -1, SIGN_ANY = 0, SIGN_PLUS = 1, SIGN_NONE = 2 };

/*
 * Which sign the term's coefficient must have so that it rises and falls as the formula must; SIGN_NONE: none will
 * do.
 */
int
structure_sign(const struct structure *structure, const struct expression_pool *pool, expression term, enum sign *sign);

/* Whether a formula is proven to be finite and what is known of it. 0, MEMMODEL_ERROR_NO_MEMORY. */
int
structure_proves(const struct structure *structure, const struct expression_program *program, bool not_negative,
                 bool *proven);

#endif
