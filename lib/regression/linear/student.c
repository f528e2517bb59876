/*
 * Student's t distribution by its finite sums: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and
 * 26.7.4. Sines and cosines are the library's own: a bound has the same bits whatever the C library.
 */
#include "regression/linear/student.h"

#include "expression/kernels.h"

#include <math.h>

enum { NORMAL_DOF = 1000, BISECTIONS = 60 }; /* at 1000 degrees t is the normal distribution within 0.3 % */

static const double pi = 3.14159265358979323846;

static double
sine(double angle)
{
    return kernel_point(OPCODE_SIN, angle, angle);
}

static double
cosine(double angle)
{
    return kernel_point(OPCODE_COS, angle, angle);
}

/* Share of the distribution between -t and t, where t = sqrt(freedom) tan(angle). */
static double
central_share(double angle, int dof)
{
    double c = cosine(angle), square = c * c, term = dof % 2 ? c : 1, sum = 0;

    for (int k = dof % 2 ? 3 : 2; k <= dof; k += 2) {
        sum += term;
        term *= square * (k - 1) / k;
    }
    return dof % 2 ? 2 / pi * (angle + sine(angle) * sum) : sine(angle) * sum;
}

double
student_quantile(double level, int dof)
{
    double least = 0, most = pi / 2;

    if (dof > NORMAL_DOF)
        dof = NORMAL_DOF;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (least + most) / 2;

        if (central_share(middle, dof) < 2 * level - 1)
            least = middle;
        else
            most = middle;
    }
    return sqrt(dof) * sine(least) / cosine(least);
}
