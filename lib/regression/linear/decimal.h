/* Numbers of formulas: few digits, and exact. */
#ifndef REGRESSION_DECIMAL_H
#define REGRESSION_DECIMAL_H

#include "expression/rational.h"

/* The decimal with the fewest places that divides to the same double; false if there is none of at most 15 digits. */
bool
decimal_exact(double number, struct rational *exact);

enum { DECIMAL_FEW = 3 }; /* digits: where a hinge lies need not be known better, and is read more easily */

/* The nearest number of so many digits. */
double
decimal_rounded(double number, int digits);

/* As many digits of it as there is room for, at most so many; false without room for one. */
bool
decimal_near(double number, int digits, struct rational *exact);

/*
 * The number with the fewest digits to base two within the tolerance, if the last of them counts for more than
 * `least`; false if it does not, or has no room.
 */
bool
binary_near(double number, double tolerance, double least, struct rational *exact);

#endif
