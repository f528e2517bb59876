/*
 * cuDNN's recurrent layers: where their parameters lie, and what they keep and work in. The sizes are the rules of
 * lib/frameworks/cuda/recurrent.c; with a projection nobody has measured them.
 *
 * The weight space has the matrices of each pseudo-layer (a layer in one direction), those of the input first, gate by
 * gate; then their biases in the same order. PyTorch asks that parameters lie so: aten/src/ATen/native/cudnn/RNN.cpp,
 * get_parameters.
 */
#define _GNU_SOURCE
#include "base/checked.h"
#include "dnn.h"
#include "frameworks/cuda/recurrent.h"

#include <string.h>

enum { CELL_RELU, CELL_TANH, CELL_LSTM, CELL_GRU, CELLS };
enum { BIAS_NONE, BIAS_INPUT, BIAS_BOTH, BIAS_HIDDEN, BIASES };
enum { MAX_SIZE = 1 << 20, MAX_LAYERS = 1 << 12 };

/* As it was set: what cudnnGetRNNDescriptor_v8() gives back. */
struct recurrent {
    int kind, algorithm, cell, bias, direction, input_mode, type, math_precision, math_type;
    int32_t input, hidden, projection, layers;
    void *dropout;
    uint32_t flags;
    int clip, nan;
    double left, right;
};

static bool
is_size(int32_t size)
{
    return size > 0 && size <= MAX_SIZE;
}

static bool
is_sound(const struct recurrent *r)
{
    return r->cell >= 0 && r->cell < CELLS && r->bias >= 0 && r->bias < BIASES && r->direction >= 0 &&
           r->direction <= 1 && dnn_element_bytes(r->type) > 0 && is_size(r->input) && is_size(r->hidden) &&
           r->projection >= 0 && r->projection <= r->hidden && r->layers > 0 && r->layers <= MAX_LAYERS;
}

ANSWER(int, cudnnSetRNNDescriptor_v8, void *descriptor, int algorithm, int cell, int bias, int direction,
       int input_mode, int type, int math_precision, int math_type, int32_t input, int32_t hidden, int32_t projection,
       int32_t layers, void *dropout, uint32_t flags)
{
    struct recurrent *r = dnn_get(descriptor, DNN_RECURRENT);
    const struct recurrent given = {DNN_RECURRENT,  algorithm, cell,  bias,   direction,  input_mode, type,
                                    math_precision, math_type, input, hidden, projection, layers,     dropout,
                                    flags,          0,         0,     0,      0};

    if (!r || !is_sound(&given) || (dropout && !dnn_get(dropout, DNN_DROPOUT)))
        return DNN_BAD_PARAM;
    *r = given;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetRNNDescriptor_v8, const void *descriptor, int *algorithm, int *cell, int *bias, int *direction,
       int *input_mode, int *type, int *math_precision, int *math_type, int32_t *input, int32_t *hidden,
       int32_t *projection, int32_t *layers, void **dropout, uint32_t *flags)
{
    const struct recurrent *r = dnn_get(descriptor, DNN_RECURRENT);

    if (!r || r->layers == 0)
        return DNN_BAD_PARAM;
    dnn_put(algorithm, r->algorithm);
    dnn_put(cell, r->cell);
    dnn_put(bias, r->bias);
    dnn_put(direction, r->direction);
    dnn_put(input_mode, r->input_mode);
    dnn_put(type, r->type);
    dnn_put(math_precision, r->math_precision);
    dnn_put(math_type, r->math_type);
    dnn_put(input, r->input);
    dnn_put(hidden, r->hidden);
    dnn_put(projection, r->projection);
    dnn_put(layers, r->layers);
    if (dropout)
        *dropout = r->dropout;
    if (flags)
        *flags = r->flags;
    return DNN_SUCCESS;
}

static int
set_clip(void *descriptor, int clip, int nan, double left, double right)
{
    struct recurrent *r = dnn_get(descriptor, DNN_RECURRENT);

    if (!r)
        return DNN_BAD_PARAM;
    r->clip = clip;
    r->nan = nan;
    r->left = left;
    r->right = right;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnRNNSetClip_v8, void *descriptor, int clip, int nan, double left, double right)
{
    return set_clip(descriptor, clip, nan, left, right);
}

ANSWER(int, cudnnRNNSetClip_v9, void *descriptor, int clip, double left, double right)
{
    return set_clip(descriptor, clip, 0, left, right);
}

static int
get_clip(const void *descriptor, int *clip, int *nan, double *left, double *right)
{
    const struct recurrent *r = dnn_get(descriptor, DNN_RECURRENT);

    if (!r)
        return DNN_BAD_PARAM;
    dnn_put(clip, r->clip);
    dnn_put(nan, r->nan);
    if (left)
        *left = r->left;
    if (right)
        *right = r->right;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnRNNGetClip_v8, const void *descriptor, int *clip, int *nan, double *left, double *right)
{
    return get_clip(descriptor, clip, nan, left, right);
}

ANSWER(int, cudnnRNNGetClip_v9, const void *descriptor, int *clip, double *left, double *right)
{
    return get_clip(descriptor, clip, NULL, left, right);
}

/* ---- where parameters lie, in elements ---- */

static int
gates(const struct recurrent *r)
{
    static const int of[CELLS] = {RECURRENT_PLAIN_GATES, RECURRENT_PLAIN_GATES, RECURRENT_LSTM_GATES,
                                  RECURRENT_GRU_GATES};

    return of[r->cell];
}

static int
directions(const struct recurrent *r)
{
    return 1 + r->direction;
}

static bool
is_projected(const struct recurrent *r)
{
    return r->cell == CELL_LSTM && r->projection != 0 && r->projection != r->hidden;
}

/* What a cell hands on. */
static int64_t
output_size(const struct recurrent *r)
{
    return is_projected(r) ? r->projection : r->hidden;
}

static int64_t
input_size(const struct recurrent *r, int cell)
{
    return cell < directions(r) ? r->input : output_size(r) * directions(r);
}

static int64_t
cell_matrices(const struct recurrent *r, int cell)
{
    int64_t projection = is_projected(r) ? (int64_t)r->projection * r->hidden : 0;

    return (int64_t)gates(r) * r->hidden * (input_size(r, cell) + output_size(r)) + projection;
}

/* Vectors of biases for each gate. */
static int
bias_count(const struct recurrent *r)
{
    return r->bias == BIAS_NONE ? 0 : r->bias == BIAS_BOTH ? 2 : 1;
}

/* Of the matrices of the cells before this one; those of all inner layers are alike. */
static int64_t
matrices_before(const struct recurrent *r, int cell)
{
    int first = cell < directions(r) ? cell : directions(r);

    return first * cell_matrices(r, 0) + (cell - first) * cell_matrices(r, directions(r));
}

static int64_t
weight_elements(const struct recurrent *r)
{
    int cells = r->layers * directions(r);

    return matrices_before(r, cells) + (int64_t)cells * bias_count(r) * gates(r) * r->hidden;
}

ANSWER(int, cudnnGetRNNWeightSpaceSize, void *handle, void *descriptor, size_t *bytes)
{
    const struct recurrent *r = dnn_get(descriptor, DNN_RECURRENT);

    if (!dnn_is_handle(handle) || !r || r->layers == 0 || !bytes)
        return DNN_BAD_PARAM;
    *bytes = (size_t)(weight_elements(r) * dnn_element_bytes(r->type));
    return DNN_SUCCESS;
}

/* A matrix or a vector of biases in the weight space. */
struct parameter {
    int64_t offset, rows, columns; /* no rows: there is none */
};

/* Those of the input first, then those of the hidden state, then the projection. */
static struct parameter
matrix_of(const struct recurrent *r, int cell, int number)
{
    int count = gates(r);
    int64_t input = input_size(r, cell), before = matrices_before(r, cell), hidden = r->hidden;

    if (number < count)
        return (struct parameter){before + number * hidden * input, hidden, input};
    before += count * hidden * input;
    if (number < 2 * count)
        return (struct parameter){before + (number - count) * hidden * output_size(r), hidden, output_size(r)};
    before += count * hidden * output_size(r);
    return is_projected(r) ? (struct parameter){before, r->projection, hidden} : (struct parameter){0};
}

static struct parameter
bias_of(const struct recurrent *r, int cell, int number)
{
    int count = gates(r);
    bool of_hidden = number >= count;
    int64_t first = matrices_before(r, r->layers * directions(r)) + (int64_t)cell * bias_count(r) * count * r->hidden;

    if (number >= 2 * count || r->bias == BIAS_NONE || r->bias == (of_hidden ? BIAS_INPUT : BIAS_HIDDEN))
        return (struct parameter){0};
    return (struct parameter){first + (r->bias == BIAS_BOTH ? number : number % count) * (int64_t)r->hidden, r->hidden,
                              1};
}

/* Describes it, and says where it is; both may be left out. */
static void
give(const struct recurrent *r, const struct parameter *parameter, const void *weights, struct dnn_tensor *tensor,
     void **address)
{
    int rows = (int)parameter->rows, columns = (int)parameter->columns;

    if (address)
        *address = rows ? (char *)(uintptr_t)weights + parameter->offset * dnn_element_bytes(r->type) : NULL;
    if (!tensor)
        return;
    *tensor = (struct dnn_tensor){.kind = DNN_TENSOR, .type = r->type, .dims = rows ? 3 : 0};
    memcpy(tensor->sizes, (const int[]){1, rows, columns}, 3 * sizeof(int));
    memcpy(tensor->strides, (const int[]){(int)(parameter->rows * parameter->columns), columns, 1}, 3 * sizeof(int));
}

ANSWER(int, cudnnGetRNNWeightParams, void *handle, void *descriptor, int32_t cell, size_t bytes, const void *weights,
       int32_t number, void *matrix, void **matrix_address, void *bias, void **bias_address)
{
    const struct recurrent *r = dnn_get(descriptor, DNN_RECURRENT);
    struct dnn_tensor *of_matrix = dnn_get(matrix, DNN_TENSOR), *of_bias = dnn_get(bias, DNN_TENSOR);
    struct parameter found;

    if (!dnn_is_handle(handle) || !r || r->layers == 0 || (matrix && !of_matrix) || (bias && !of_bias))
        return DNN_BAD_PARAM;
    if (cell < 0 || cell >= r->layers * directions(r) || number < 0 || number > 2 * gates(r))
        return DNN_BAD_PARAM;
    if (bytes < (size_t)(weight_elements(r) * dnn_element_bytes(r->type)))
        return DNN_BAD_PARAM_SIZE;
    found = matrix_of(r, cell, number);
    give(r, &found, weights, of_matrix, matrix_address);
    found = bias_of(r, cell, number);
    give(r, &found, weights, of_bias, bias_address);
    return DNN_SUCCESS;
}

/* ---- sequences ---- */

enum { INFERENCE, TRAINING };
enum { SEQUENCES_PACKED = 1 }; /* a layout */

struct recurrent_data {
    int kind, type, layout, length, batch, vector;
};

ANSWER(int, cudnnSetRNNDataDescriptor, void *descriptor, int type, int layout, int length, int batch, int vector,
       const int *lengths, void *fill)
{
    struct recurrent_data *data = dnn_get(descriptor, DNN_RECURRENT_DATA);

    (void)fill;
    if (!data || dnn_element_bytes(type) == 0 || length <= 0 || batch <= 0 || vector <= 0 || !lengths)
        return DNN_BAD_PARAM;
    *data = (struct recurrent_data){DNN_RECURRENT_DATA, type, layout, length, batch, vector};
    return DNN_SUCCESS;
}

/* Each sequence as long as the longest: their lengths are not kept. */
ANSWER(int, cudnnGetRNNDataDescriptor, const void *descriptor, int *type, int *layout, int *length, int *batch,
       int *vector, int wanted, int *lengths, void *fill)
{
    const struct recurrent_data *data = dnn_get(descriptor, DNN_RECURRENT_DATA);

    (void)fill;
    if (!data || data->length == 0 || wanted < 0)
        return DNN_BAD_PARAM;
    dnn_put(type, data->type);
    dnn_put(layout, data->layout);
    dnn_put(length, data->length);
    dnn_put(batch, data->batch);
    dnn_put(vector, data->vector);
    for (int i = 0; lengths && i < wanted && i < data->batch; i++)
        lengths[i] = data->length;
    return DNN_SUCCESS;
}

/* Kernels for few units, by request. There are none for bfloat16, nor with a projection. */
static bool
has_small_cells(const struct recurrent *r, const struct recurrent_data *data)
{
    enum { PERSIST_STATIC_SMALL_H = 3 };

    return r->algorithm == PERSIST_STATIC_SMALL_H && r->type != DNN_BFLOAT16 && !is_projected(r) &&
           data->layout != SEQUENCES_PACKED;
}

static struct recurrent_call
call_of(const struct recurrent *r, const struct recurrent_data *data, int mode)
{
    const struct dnn_dropout *dropout = dnn_get(r->dropout, DNN_DROPOUT);

    return (struct recurrent_call){
        .gates = gates(r),
        .layers = r->layers,
        .directions = directions(r),
        .length = data->length,
        .batch = data->batch,
        .input = r->input,
        .hidden = r->hidden,
        .element_bytes = dnn_element_bytes(r->type),
        .parameter_bytes = weight_elements(r) * dnn_element_bytes(r->type),
        .matrix_bytes = matrices_before(r, r->layers * directions(r)) * dnn_element_bytes(r->type),
        .drops = dropout && dropout->probability > 0,
        .trains = mode == TRAINING,
        .packed = data->layout == SEQUENCES_PACKED,
        .small_cells = has_small_cells(r, data),
    };
}

ANSWER(int, cudnnGetRNNTempSpaceSizes, void *handle, void *descriptor, int mode, const void *sequence, size_t *work,
       size_t *reserve)
{
    const struct recurrent *r = dnn_get(descriptor, DNN_RECURRENT);
    const struct recurrent_data *data = dnn_get(sequence, DNN_RECURRENT_DATA);
    struct recurrent_call call;

    if (!dnn_is_handle(handle) || !r || r->layers == 0 || !data || data->length == 0 ||
        (mode != INFERENCE && mode != TRAINING))
        return DNN_BAD_PARAM;
    note_profile("what cuDNN's recurrent layers keep and work in is by rule: as on an H200 with cuDNN 9.19");
    call = call_of(r, data, mode);
    if (work)
        *work = (size_t)recurrent_workspace_bytes(&call);
    if (reserve)
        *reserve = mode == TRAINING ? (size_t)recurrent_reserve_bytes(&call) : 0;
    return DNN_SUCCESS;
}
