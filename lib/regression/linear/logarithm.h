/*
 * The natural logarithm and its inverse with the same bits on every machine, as formulas have them: what is chosen by
 * them must not depend on a C library.
 */
#ifndef REGRESSION_LOGARITHM_H
#define REGRESSION_LOGARITHM_H

#include "expression/kernels.h"

static inline double
logarithm(double number)
{
    return kernel_point(OPCODE_LOG, number, number);
}

static inline double
exponential(double number)
{
    return kernel_point(OPCODE_EXP, number, number);
}

#endif
