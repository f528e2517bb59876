/*
 * Which candidate becomes the formula.
 *
 * By description length the one with the least
 *
 *   rows / 4 (ln nested cross-validation loss + ln leave-one-out loss) + ln of what its terms were picked from
 *
 * in which half the evidence is of little noise and blind to the search, and half sees it; the constant where nothing
 * predicts rows held out better. By the rule of one standard error (L. Breiman and others, 1984) the smallest, within
 * the least library that pays its penalty, whose leave-one-out loss (nested cross-validation loss where coefficients
 * may have any sign) exceeds the least by no more than the standard error of the difference; the constant, if it is
 * not worse by more than one on rows held out. Regimes and trees take its place if rows held out are predicted better
 * by more than standard errors say; where what comes of it is not better than the constant, it is chosen without trees.
 */
#ifndef REGRESSION_SELECTION_H
#define REGRESSION_SELECTION_H

#include "regression/select/judge.h"

/* Sets comparison->chosen and scores; false if all are refused. */
bool
choose(struct comparison *comparison);

/*
 * How much less the rows count by predictions `a` than by `b`, as a multiple of its standard error: points err
 * together.
 */
double
selection_advantage(const struct comparison *comparison, const struct loss *loss, const double *a, const double *b);

#endif
