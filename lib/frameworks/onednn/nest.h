/*
 * What the estimates of kernels made of batches of small matrix products have in common: the register tile of a
 * product, and what its nest of loops costs in the caches. They compute in single precision in oneDNN's order:
 * candidates lie so close that another rounding picks another block.
 */
#ifndef ONEDNN_NEST_H
#define ONEDNN_NEST_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_LEVELS = 12, /* of the nest of loops */
    MAX_COLUMNS = 4, /* vectors of a register tile */
    REGISTERS_AVX512 = 32,
    REGISTERS_AVX2 = 16,
};

/* What one level of the nest of loops touches, in elements, and how often it is repeated. */
struct access {
    double elements;
    double repeats;
};

struct level {
    struct access source, target, weights;
    double source_overlap;
};

struct nest {
    struct level levels[MAX_LEVELS];
    int count;
};

/* From the innermost level outwards. */
void
nest_add(struct nest *nest, int64_t source, int64_t target, int64_t weights);

/* Adds a level whose source is read `repeats` times. */
void
nest_add_source(struct nest *nest, int64_t source, int64_t target, int64_t weights, int64_t repeats);

/* The same of its target. */
void
nest_add_target(struct nest *nest, int64_t source, int64_t target, int64_t weights, int64_t repeats);

/* The same of its weights. */
void
nest_add_weights(struct nest *nest, int64_t source, int64_t target, int64_t weights, int64_t repeats);

/* The source of the last level is read so often for each of its repeats. */
void
nest_overlap(struct nest *nest, int64_t overlap);

/* Cycles of an access to each cache, and how many bytes are counted on in it. */
struct cache_costs {
    float l1, l2, memory;
    double l1_bytes, l2_bytes;
    int64_t element, result; /* bytes of one of the source and the weights, and of the target */
};

/* Cycles that all accesses of a thread take: the source by elements, the others by vectors of `simd`. */
float
nest_cost(const struct nest *nest, const struct cache_costs *costs, int64_t simd);

/* A product of m rows and n columns that sums k elements; `padding` rows of it may lie outside the source. */
struct product_shape {
    int64_t m, n, k;
    int64_t padding;
    int64_t element; /* @unit bytes */
};

struct register_tile {
    int64_t rows, columns; /* columns in vectors */
};

/* The register tile with the best estimate; false if none is as tall as the padding. */
bool
register_tile_choose(const struct product_shape *product, int64_t simd, int64_t l1, struct register_tile *tile);

/* Share of `size` in whole blocks. */
float
filled(int64_t size, int64_t block);

/* Long register tiles are better, but only half as much as they are longer. */
float
tile_length_efficiency(int64_t rows, int64_t points);

#endif
