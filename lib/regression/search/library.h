/* All trees of a small grammar without numbers by rising size, each once, as the columns of a library. */
#ifndef SEARCH_LIBRARY_H
#define SEARCH_LIBRARY_H

#include "regression/search/tree.h"

enum { LIBRARY_MAX_NODES = 9 };

/* An operation on earlier features. */
struct feature {
    uint8_t operation, input, nodes;
    int32_t first, second;
};

struct library {
    struct feature *features;
    struct matrix values; /* a column of each */
    size_t count, capacity;
    size_t trees; /* the first of them; behind are e ^ u, sines, cosines and tanh of small ones, which only sums have */
    size_t ends[LIBRARY_MAX_NODES + 1]; /* features 0 to ends[s] - 1 have at most s nodes */
    size_t lengths, lengths_end;        /* squared lengths among monomials */
};

/* At most so many features. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
library_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
            const struct structure *structure, size_t most, struct library *library);

/* Squared lengths, and products of inputs and their inverses by rising degree, at most so many. */
int
library_new_monomials(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
                      size_t most, struct library *library);

struct tree
library_tree(const struct library *library, size_t feature);

#endif
