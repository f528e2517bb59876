/*
 * Follows the heuristics of oneDNN 3.12 (Apache-2.0): src/cpu/x64/jit_brgemm_conv_utils.cpp,
 * jit_brgemm_conv_bwd_utils.cpp (est_eff, io_k), brgemm/brgemm_utils.cpp (brgemm_blocking).
 */
#include "frameworks/onednn/nest.h"

#include "frameworks/onednn/kernel.h"

void
nest_add(struct nest *nest, int64_t source, int64_t target, int64_t weights)
{
    nest->levels[nest->count++] = (struct level){{(double)source, 1}, {(double)target, 1}, {(double)weights, 1}, 1};
}

void
nest_add_source(struct nest *nest, int64_t source, int64_t target, int64_t weights, int64_t repeats)
{
    nest_add(nest, source, target, weights);
    nest->levels[nest->count - 1].source.repeats = (double)repeats;
}

void
nest_add_target(struct nest *nest, int64_t source, int64_t target, int64_t weights, int64_t repeats)
{
    nest_add(nest, source, target, weights);
    nest->levels[nest->count - 1].target.repeats = (double)repeats;
}

void
nest_add_weights(struct nest *nest, int64_t source, int64_t target, int64_t weights, int64_t repeats)
{
    nest_add(nest, source, target, weights);
    nest->levels[nest->count - 1].weights.repeats = (double)repeats;
}

void
nest_overlap(struct nest *nest, int64_t overlap)
{
    nest->levels[nest->count - 1].source_overlap = (double)overlap;
}

/* Cost of an access on average over `repeats` of them, the first at the cost of the level outside. */
static float
repeated_cost(float outside, double repeats, float cost)
{
    float all = outside + (float)((double)cost * (repeats - 1));

    if (repeats == 1)
        return outside;
    return repeats < 1 ? 0 : (float)((double)all / repeats);
}

static float
source_cost(const struct cache_costs *costs, const struct level *level, float other_cost)
{
    return (double)costs->element * level->source.elements < costs->l1_bytes ? costs->l1 : other_cost;
}

static float
other_cost(const struct cache_costs *costs, const struct level *level)
{
    double bytes = (double)costs->element * (level->source.elements + level->weights.elements) +
                   (double)costs->result * level->target.elements;

    return bytes < costs->l2_bytes ? costs->l2 : costs->memory;
}

float
nest_cost(const struct nest *nest, const struct cache_costs *costs, int64_t simd)
{
    const struct level *top = &nest->levels[nest->count - 1];
    float source = costs->memory, target = costs->memory, weights = costs->memory;
    double sources = top->source.elements, targets = top->target.elements / (double)simd;
    double weight_vectors = top->weights.elements / (double)simd;

    for (int i = nest->count - 1; i >= 0; i--) {
        const struct level *level = &nest->levels[i];
        float cost = other_cost(costs, level);

        source = repeated_cost(source, level->source.repeats * level->source_overlap, source_cost(costs, level, cost));
        target = repeated_cost(target, level->target.repeats, cost);
        weights = repeated_cost(weights, level->weights.repeats, cost);
        sources *= level->source.repeats;
        targets *= level->target.repeats;
        weight_vectors *= level->weights.repeats;
    }
    return source * (float)sources + target * (float)targets + weights * (float)weight_vectors;
}

/* Rows that the registers hold beside `columns` of weights. */
static int64_t
max_rows(int64_t simd, int64_t columns)
{
    bool few = simd == SIMD_AVX2, single = few && columns == MAX_COLUMNS;
    int64_t registers = few ? REGISTERS_AVX2 : REGISTERS_AVX512;

    return min_i64((registers - (single ? 1 : columns) - (single ? 0 : 1)) / (columns + single), registers / columns);
}

/* Fewer columns where the last tile would be shorter than the padding. */
static bool
choose_columns(const struct product_shape *product, int64_t simd, struct register_tile *tile)
{
    int64_t vectors = product->n / simd;

    for (int64_t columns = MAX_COLUMNS; columns > 0; columns--) {
        int64_t tail;

        tile->columns = max_i64(1, vectors >= columns ? columns : vectors % columns);
        tile->rows = max_rows(simd, tile->columns);
        tail = product->m % tile->rows;
        if ((tail > 0 ? tail : tile->rows) >= product->padding)
            return true;
    }
    return false;
}

bool
register_tile_choose(const struct product_shape *product, int64_t simd, int64_t l1, struct register_tile *tile)
{
    float best = 0;
    int64_t max;

    if (!choose_columns(product, simd, tile))
        return false;
    max = tile->rows;
    for (int64_t rows = max; rows >= max_i64(1, product->padding); rows--) {
        float use = (float)(tile->columns * rows) / (float)((tile->columns + rows) * max);
        float efficiency = (product->m > 0 ? (float)product->m / (float)round_up(product->m, rows) : 0.0f) * use;

        if (product->element * rows * product->k <= l1 && efficiency > best) {
            best = efficiency;
            tile->rows = rows;
        }
    }
    return true;
}

float
filled(int64_t size, int64_t block)
{
    return (float)size / (float)round_up(size, block);
}

float
tile_length_efficiency(int64_t rows, int64_t points)
{
    const float longest = 64, max = 1.9f;
    float share = (float)rows / (float)points;
    float length = (float)rows * (2.0f - (share < max ? share : max)) / longest;

    return (float)((1.0 + (double)length) / 2.0);
}
