/*
 * Computes what expression_print() writes as C, as a C compiler would: in doubles, from left to right, with the library's own
 * functions for those of <math.h> that differ between systems.
 */
#ifndef TEST_C_FORMULA_H
#define TEST_C_FORMULA_H

#include "expression/kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct c_formula {
    const char *at;
    const char *const *names;
    const double *values;
    size_t count;
};

static double
c_sum(struct c_formula *formula);

static inline int
c_accept(struct c_formula *formula, const char *token)
{
    size_t length = strlen(token);

    formula->at += strspn(formula->at, " ");
    if (strncmp(formula->at, token, length) != 0)
        return 0;
    formula->at += length;
    return 1;
}

static inline double
c_call(struct c_formula *formula, const char *name, size_t length)
{
    static const struct {
        const char *name;
        enum opcode opcode;
    } functions[] = {{"floor", OPCODE_FLOOR}, {"log", OPCODE_LOG},  {"sqrt", OPCODE_ROOT}, {"cbrt", OPCODE_CUBE_ROOT},
                     {"fmax", OPCODE_MAX},    {"fmin", OPCODE_MIN}, {"pow", OPCODE_POWER}};
    double first = c_sum(formula), second = c_accept(formula, ",") ? c_sum(formula) : 0;

    c_accept(formula, ")");
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
            return kernel_point(functions[i].opcode, first, second);
    return (double)NAN;
}

static inline double
c_primary(struct c_formula *formula)
{
    const char *name;
    size_t length;
    char *end;
    double value;

    if (c_accept(formula, "-"))
        return -c_primary(formula);
    if (c_accept(formula, "(")) {
        value = c_sum(formula);
        c_accept(formula, ")");
        return value;
    }
    name = formula->at;
    length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
    if (length == 0) {
        value = strtod(name, &end);
        formula->at = end;
        return value;
    }
    formula->at += length;
    if (c_accept(formula, "("))
        return c_call(formula, name, length);
    for (size_t i = 0; i < formula->count; i++)
        if (strlen(formula->names[i]) == length && strncmp(formula->names[i], name, length) == 0)
            return formula->values[i];
    return (double)NAN;
}

static inline double
c_product(struct c_formula *formula)
{
    double value = c_primary(formula);

    for (;;) {
        if (c_accept(formula, "*"))
            value *= c_primary(formula);
        else if (c_accept(formula, "/"))
            value /= c_primary(formula);
        else
            return value;
    }
}

static double
c_sum(struct c_formula *formula)
{
    double value = c_product(formula);

    for (;;) {
        if (c_accept(formula, "+"))
            value += c_product(formula);
        else if (c_accept(formula, "-"))
            value -= c_product(formula);
        else
            return value;
    }
}

#endif
