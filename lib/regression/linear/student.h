/* Student's t distribution. */
#ifndef REGRESSION_STUDENT_H
#define REGRESSION_STUDENT_H

/* The t below which a share `level` of the distribution lies, 0.5 <= level < 1, `freedom` >= 1 degrees of freedom. */
double
student_quantile(double level, int dof);

#endif
