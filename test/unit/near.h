/* Doubles that must agree within a tolerance: cmocka's own check rounds to float first. */
#ifndef TEST_NEAR_H
#define TEST_NEAR_H

#include "check.h"

#include <math.h>

#define assert_near(value, expected, tolerance) near_or_fail(value, expected, tolerance, __FILE__, __LINE__)

static inline void
near_or_fail(double value, double expected, double tolerance, const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%.17g is not within %g of %.17g\n", value, tolerance, expected);
    _fail(file, line);
}

#endif
