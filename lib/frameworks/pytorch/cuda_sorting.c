/*
 * Gradients that are added up where indices say, on a GPU: the indices are sorted first.
 * PyTorch: aten/src/ATen/native/cuda/Embedding.cu, EmbeddingBackwardKernel.cu, Indexing.cu (index_put_with_sort_kernel).
 */
#include "frameworks/framework.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

enum { ALIGNMENT = 256, KEY_BITS = 64, DIGIT_BITS = 8 };

/*
 * Scratch of CUB's radix sort of int64 keys with int64 values: both once more for a second pass, counts of each digit,
 * and what tiles look back at. cub/device/dispatch/dispatch_radix_sort.cuh, DispatchRadixSort::InvokeOnesweep; few are
 * sorted in one tile.
 */
static int64_t
radix_sort_bytes(int64_t count, int bits)
{
    enum { ONE_TILE = 256 * 9, TILE = 384 * 12, DIGITS = 256, LOOKBACK = 4, ROUNDING = 2 * ALIGNMENT - 1, PAIR = 2 };
    int64_t item = dtype_bytes(MEMMODEL_DTYPE_INT64), passes = ceil_divide(bits, DIGIT_BITS);
    int64_t again = passes > 1 ? PAIR * round_up(multiply_saturating(count, item), ALIGNMENT) : 0;

    if (count <= ONE_TILE)
        return 1;
    return again + passes * DIGITS * item + multiply_saturating(ceil_divide(count, TILE), DIGITS * LOOKBACK) + ROUNDING;
}

/* Sorts the indices with their places: results are the sorted ones and the places. */
static void
sort(struct step *step, int dtype, int64_t count, int bits, struct value *results[2])
{
    struct value *range;

    for (int i = 0; i < 2; i++)
        results[i] = value_vector(step, dtype, count);
    range = value_vector(step, dtype, count);
    value_drop(step, value_buffer(step, radix_sort_bytes(count, bits)));
    value_drop(step, range);
}

/* Bits of the largest of so many places. */
static int
bits_of(int64_t places)
{
    int bits = 1;

    while (bits < KEY_BITS - 1 && INT64_C(1) << bits < places)
        bits++;
    return bits;
}

/* Scratch of CUB's scans and selections of some ten thousand items; a few hundred bytes more for each ten times as many. */
static void
scan(struct step *step)
{
    enum { SCAN_BYTES = 1279 };

    value_drop(step, value_buffer(step, SCAN_BYTES));
}

/* ---- embedding ---- */

/* Up to this many indices no sorting is needed. */
enum { UNSORTED_INDICES = 3072 };

/*
 * Where runs of equal indices begin, how many parts each has, where these begin, and a row of sums for each part:
 * embedding_backward_cuda_kernel.
 */
static void
sum_by_segments(struct step *step, const struct value *gradient, int dtype, int64_t count, const struct value *weight)
{
    enum { ROWS_PER_PART = 10, OFFSETS = 0, SEGMENTS, PARTS, PART_OFFSETS, PART_COUNT, PLACES, MADE };
    int64_t segments = min_i64(count, weight->shape.dims[0]), parts = count / ROWS_PER_PART + segments;
    struct shape rows = {.dims = {parts, gradient->shape.dims[gradient->shape.rank - 1]}, .rank = 2};
    struct value *made[MADE], *selected;

    made[OFFSETS] = value_vector(step, dtype, count);
    made[SEGMENTS] = value_vector(step, dtype, 1);
    selected = value_vector(step, dtype, count);
    scan(step);
    value_drop(step, selected);
    made[PARTS] = value_vector(step, dtype, segments);
    made[PART_OFFSETS] = value_vector(step, dtype, segments);
    scan(step);
    made[PART_COUNT] = value_vector(step, dtype, 1);
    made[PLACES] = value_vector(step, dtype, parts);
    rows.dtype = reduction_sum_type(gradient->shape.dtype);
    value_scratch(step, &rows);
    for (int i = MADE - 1; i >= 0; i--)
        value_drop(step, made[i]);
}

/* What 2.6 to 2.11 sort by all bits of the indices is sorted by those of the table's rows in 2.14 and 2.15. */
void
cuda_embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *indices = node->saved[0];
    struct value *copy = value_is_contiguous(incoming[0]) ? NULL : value_copy(step, incoming[0]);
    struct value *flat = value_is_contiguous(indices) ? NULL : value_copy(step, indices), *sorted[2] = {NULL};
    int64_t count = value_elements(indices);
    int bits = step->version >= VERSION(2, 14) ? bits_of(node->edges[0].shape.dims[0]) : KEY_BITS;

    if (count > UNSORTED_INDICES)
        sort(step, indices->shape.dtype, count, bits, sorted);
    gradients[0] = value_empty(step, &node->edges[0].shape);
    if (count > UNSORTED_INDICES)
        sum_by_segments(step, incoming[0], indices->shape.dtype, count, gradients[0]);
    value_drop_all(step, sorted, 2);
    value_drop(step, flat);
    value_drop(step, copy);
}

/* ---- x[indices] ---- */

/* wrapIndices() of each index, times its stride; the others are added to the first. Then a copy of what is added in order. */
void
cuda_index_put(struct step *step, const struct value *x, const struct value *added, const struct value *const *indices,
               int count)
{
    struct value *places = NULL, *sorted[2], *copy;
    int64_t named = 1, length;

    for (int i = 0; i < count; i++) {
        struct value *wrapped, *scaled;

        named = multiply_saturating(named, i < x->shape.rank ? x->shape.dims[i] : 1);
        if (!indices[i])
            continue;
        wrapped = value_copy(step, indices[i]);
        scaled = value_copy(step, indices[i]);
        value_drop(step, wrapped);
        if (places)
            value_drop(step, scaled);
        else
            places = scaled;
    }
    if (!places)
        return;
    length = value_elements(places);
    copy = value_is_contiguous(added) ? NULL : value_copy(step, added);
    sort(step, MEMMODEL_DTYPE_INT64, length, bits_of(named), sorted);
    value_drop_all(step, sorted, 2);
    value_drop(step, copy);
    value_drop(step, places);
}
