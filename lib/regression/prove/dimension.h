/* Units of columns: products of powers of base units, which are distinguished by their names. */
#ifndef REGRESSION_DIMENSION_H
#define REGRESSION_DIMENSION_H

#include "expression/expression.h"

enum { DIMENSION_MAX = 16, DIMENSION_NAME = 16 };

/* Powers of the base units that a table knows; all 0: a pure number. */
struct dimension {
    double powers[DIMENSION_MAX];
};

/* Base units in the order in which they were first met. */
struct base_units {
    size_t count;
    char names[DIMENSION_MAX][DIMENSION_NAME];
};

/* Reads a unit such as B, m/s^2, 1/s, kg*m^2, 1. false, and what is wrong, if it is none. */
bool
dimension_parse(struct base_units *units, const char *text, struct dimension *dimension, const char **wrong);

bool
dimension_is_number(const struct dimension *dimension);

bool
dimension_equal(const struct dimension *a, const struct dimension *b);

/*
 * The unit of an expression in symbols of those units: false if it adds, compares or equates unlike things, or takes
 * the logarithm of something with a unit. A number that is added or compared is of the other side's unit.
 */
bool
dimension_of(const struct expression_pool *pool, expression a, const struct dimension *symbols,
             struct dimension *dimension);

/* The unit of a part of a formula; a number alone is of any. */
struct measure {
    bool any;
    struct dimension dimension;
};

/* Times the other to a power. */
void
measure_multiply(struct measure *measure, const struct measure *other, double power);

/* Of things that are added or compared: false if they are not of one kind. */
bool
measure_unite(struct measure *a, const struct measure *b);

#endif
