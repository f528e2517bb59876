/* Interval arithmetic: what an operation may make of numbers that lie in ranges. */
#ifndef EXPRESSION_RANGE_H
#define EXPRESSION_RANGE_H

#include "expression/expression.h"

/*
 * What the machine makes of the numbers of the ranges where the operation is least and greatest; same: both are one number, as
 * are those of an operation of one. Sums, products, quotients, square roots and comparisons are rounded to nearest, which keeps
 * their order: it holds all that may be computed. Of the other functions it does up to their errors. false if there may be no
 * value; infinite where it may overflow.
 */
bool
range_operate(enum opcode opcode, struct expression_range a, struct expression_range b, bool same,
              struct expression_range *value);

#endif
