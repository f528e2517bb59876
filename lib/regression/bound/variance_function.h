/*
 * How the variance of errors grows with the leverage.
 *
 * Formulas of exact measurements are wrong at the edges and right elsewhere; those of noisy ones have the same errors
 * everywhere. The standard deviation of an error at x is taken for s sqrt(1 + g h(x)), h the leverage of the
 * formula's terms, of a row held out without its point. Of the slopes g, 0 and powers of four, that is taken under
 * which the errors held out are likeliest (of Laplace's distribution, as large ones are not rare); it stays 0 unless
 * 0 is refused at a level of 5 %: Davidian and Carroll, "Variance function estimation" (1987). Bounds of errors
 * divided by such deviations: Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-free predictive inference
 * for regression" (2018).
 */
#ifndef REGRESSION_VARIANCE_FUNCTION_H
#define REGRESSION_VARIANCE_FUNCTION_H

#include <stddef.h>

/* The standard deviation at that leverage, as a multiple of that at a leverage of 0. */
double
variance_function(double slope, double leverage);

/* The slope; shares[i]: how many measurements row i counts as. */
double
variance_function_slope(const double *errors, const double *leverages, const double *shares, size_t rows);

#endif
