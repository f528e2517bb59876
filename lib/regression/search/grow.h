/* What a number more makes of a formula. */
#ifndef SEARCH_GROW_H
#define SEARCH_GROW_H

#include "regression/search/archive.h"

/* Fits the numbers in the best formula of every size to the end, and puts up to so many more into it, one at a time. */
void
archive_polish(struct fitter *fitter, size_t numbers, struct archive *archive);

#endif
