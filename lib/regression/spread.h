/*
 * Whether formulas are further off where the samples leave more open.
 *
 * Formulas of exact measurements are wrong at the edges and right elsewhere; those of noisy ones are off by the same
 * everywhere. The deviation of an error at x is taken for s sqrt(1 + g h(x)), h the leverage of all terms that the formula might
 * have had (widen.h), of a row held out without its point. Of the growths g, 0 and powers of four, that is taken
 * under which the errors held out are likeliest (of Laplace's distribution, as large ones are not rare); it stays 0 unless 0 is
 * refused at a level of 5 %: Davidian and Carroll, "Variance function estimation" (1987). Bounds of errors divided by
 * such deviations: Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-free predictive inference for regression" (2018).
 */
#ifndef REGRESSION_SPREAD_H
#define REGRESSION_SPREAD_H

#include <stddef.h>

/* What errors[i] are divided by where h is `open`. */
double
spread_scale(double growth, double open);

/* The growth; open[i]: h of the row, shares[i]: how many measurements it counts as. */
double
spread_find(const double *errors, const double *open, const double *shares, size_t rows);

#endif
