/* Sums of the library's trees, found by the beam that finds sums of terms. */
#ifndef SEARCH_SUMS_H
#define SEARCH_SUMS_H

#include "regression/search/archive.h"
#include "regression/search/library.h"

/* Offers the archive the best sums for the fitter's aim, and what numbers in short ones make of these. 0 or an error. */
int
sums_search(const struct library *library, struct fitter *fitter, struct archive *archive);

#endif
