/* What a number more makes of a formula. */
#ifndef SEARCH_GROW_H
#define SEARCH_GROW_H

#include "regression/search/archive.h"

/* Offers what a number at each place makes of the formula; the best of these becomes it. false if none is better. */
bool
formula_grow(struct fitter *fitter, struct formula *formula, struct archive *archive);

#endif
