/*
 * What is proven of a formula over its domain, by interval arithmetic on boxes that are halved where that says too
 * little.
 */
#ifndef REGRESSION_CERTIFY_H
#define REGRESSION_CERTIFY_H

#include "expression/expression.h"

/* A box, and what is asked of a formula in it besides a finite value. */
struct certify_problem {
    const struct expression_program *program;
    const double *least, *most; /* of every input */
    size_t input_count;
    bool positive, not_negative;
    const signed char *directions; /* of every input: 1 the formula never falls with it, -1 never rises; NULL: any */
};

/* Whether all of it is proven. false says only that it is not. 0, MEMMODEL_ERROR_NO_MEMORY. */
int
certify(const struct certify_problem *problem, bool *proven);

#endif
