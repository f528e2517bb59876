/*
 * Student's t distribution by its finite sums: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and
 * 26.7.4.
 */
#include "regression/student.h"

#include <math.h>

enum { NORMAL_FREEDOM = 1000, BISECTIONS = 60 }; /* at 1000 degrees t is the normal distribution within 0.3 % */

static const double pi = 3.14159265358979323846;

/* Share of the distribution between -t and t, where t = sqrt(freedom) tan(angle). */
static double
central_share(double angle, int freedom)
{
    double square = cos(angle) * cos(angle), term = freedom % 2 ? cos(angle) : 1, sum = 0;

    for (int k = freedom % 2 ? 3 : 2; k <= freedom; k += 2) {
        sum += term;
        term *= square * (k - 1) / k;
    }
    return freedom % 2 ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double
student_quantile(double level, int freedom)
{
    double least = 0, most = pi / 2;

    if (freedom > NORMAL_FREEDOM)
        freedom = NORMAL_FREEDOM;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (least + most) / 2;

        if (central_share(middle, freedom) < 2 * level - 1)
            least = middle;
        else
            most = middle;
    }
    return sqrt(freedom) * tan(least);
}
