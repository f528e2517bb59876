/* Dropout, batch norm and CTC of cuDNN's older interface: what they keep and work in, by rule. */
#define _GNU_SOURCE
#include "base/checked.h"
#include "dnn.h"
#include "frameworks/cuda/batch_norm.h"

enum { BITS = 8 };

/* ---- dropout ---- */

/* 49,152 bytes a processor is what cudnnDropoutGetStatesSize() says on an H200 (cuDNN 9.19). */
static int64_t
states_bytes(void)
{
    enum { PROCESSOR_STATES = 48 * 1024 };

    return (int64_t)device_gpu()->processors * PROCESSOR_STATES;
}

ANSWER(int, cudnnDropoutGetStatesSize, const void *handle, size_t *bytes)
{
    if (!dnn_is_handle(handle) || !bytes)
        return DNN_BAD_PARAM;
    *bytes = (size_t)states_bytes();
    return DNN_SUCCESS;
}

/* A bit for each element. */
ANSWER(int, cudnnDropoutGetReserveSpaceSize, const void *tensor, size_t *bytes)
{
    const struct dnn_tensor *x = dnn_get(tensor, DNN_TENSOR);

    if (!x || !bytes)
        return DNN_BAD_PARAM;
    *bytes = (size_t)((dnn_tensor_elements(x) + BITS - 1) / BITS);
    return DNN_SUCCESS;
}

static int
set_dropout(void *descriptor, const void *handle, float probability, void *states, size_t bytes,
            unsigned long long seed)
{
    struct dnn_dropout *dropout = dnn_get(descriptor, DNN_DROPOUT);

    if (!dropout || !dnn_is_handle(handle) || !(probability >= 0 && probability <= 1))
        return DNN_BAD_PARAM;
    if (states && bytes < (size_t)states_bytes())
        return DNN_BAD_PARAM_SIZE;
    dropout->probability = probability;
    dropout->states = states;
    dropout->seed = seed;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnSetDropoutDescriptor, void *descriptor, void *handle, float probability, void *states, size_t bytes,
       unsigned long long seed)
{
    return set_dropout(descriptor, handle, probability, states, bytes, seed);
}

ANSWER(int, cudnnRestoreDropoutDescriptor, void *descriptor, void *handle, float probability, void *states,
       size_t bytes, unsigned long long seed)
{
    return set_dropout(descriptor, handle, probability, states, bytes, seed);
}

ANSWER(int, cudnnGetDropoutDescriptor, void *descriptor, void *handle, float *probability, void **states,
       unsigned long long *seed)
{
    const struct dnn_dropout *dropout = dnn_get(descriptor, DNN_DROPOUT);

    if (!dropout || !dnn_is_handle(handle))
        return DNN_BAD_PARAM;
    if (probability)
        *probability = dropout->probability;
    if (states)
        *states = dropout->states;
    if (seed)
        *seed = dropout->seed;
    return DNN_SUCCESS;
}

/* ---- batch norm ---- */

enum { PER_ACTIVATION, OPERATION_ALONE = 0 };

static bool
is_channels_last(const struct dnn_tensor *x)
{
    return x->dims > 2 && x->strides[1] == 1 && x->sizes[1] > 1 && dnn_tensor_elements(x) > x->sizes[0] * x->sizes[1];
}

/* None for row-major tensors: seen on an H100 and an H200 (cuDNN 9.19). */
static int
batch_norm_workspace(const void *handle, const void *input, bool backward, size_t *bytes)
{
    const struct dnn_tensor *x = dnn_get(input, DNN_TENSOR);
    struct batch_norm_call call = {.backward = backward};

    if (!dnn_is_handle(handle) || !x || !bytes)
        return DNN_BAD_PARAM;
    *bytes = 0;
    if (!is_channels_last(x))
        return DNN_SUCCESS;
    note_profile("what cuDNN's batch norm works in on channels-last tensors is by rule: as on an H100 with cuDNN 9.19");
    call.channels = x->sizes[1];
    call.count = dnn_tensor_elements(x) / call.channels;
    call.element_bytes = dnn_element_bytes(x->type);
    *bytes = (size_t)batch_norm_workspace_bytes(&call);
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, void *handle, int mode, int operation,
       const void *x, const void *z, const void *y, const void *parameters, const void *activation, size_t *bytes)
{
    return batch_norm_workspace(handle, x, false, bytes);
}

ANSWER(int, cudnnGetBatchNormalizationBackwardExWorkspaceSize, void *handle, int mode, int operation, const void *x,
       const void *y, const void *dy, const void *dz, const void *dx, const void *parameters, const void *activation,
       size_t *bytes)
{
    return batch_norm_workspace(handle, x, true, bytes);
}

/* Kept for the backward pass: where an activation is fused, a bit for each element that says whether it was positive. */
static int
batch_norm_reserve(const void *handle, int operation, const void *input, size_t *bytes)
{
    const struct dnn_tensor *x = dnn_get(input, DNN_TENSOR);

    if (!dnn_is_handle(handle) || !x || !bytes)
        return DNN_BAD_PARAM;
    *bytes = operation == OPERATION_ALONE ? 0 : (size_t)((dnn_tensor_elements(x) + BITS - 1) / BITS);
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetBatchNormalizationTrainingExReserveSpaceSize, void *handle, int mode, int operation,
       const void *activation, const void *x, size_t *bytes)
{
    return batch_norm_reserve(handle, operation, x, bytes);
}

ANSWER(int, cudnnGetNormalizationForwardTrainingWorkspaceSize, void *handle, int mode, int operation, int algorithm,
       const void *x, const void *z, const void *y, const void *scale, const void *activation, const void *statistics,
       size_t *bytes, int groups)
{
    return batch_norm_workspace(handle, x, false, bytes);
}

ANSWER(int, cudnnGetNormalizationBackwardWorkspaceSize, void *handle, int mode, int operation, int algorithm,
       const void *x, const void *y, const void *dy, const void *dz, const void *dx, const void *scale,
       const void *activation, const void *statistics, size_t *bytes, int groups)
{
    return batch_norm_workspace(handle, x, true, bytes);
}

ANSWER(int, cudnnGetNormalizationTrainingReserveSpaceSize, void *handle, int mode, int operation, int algorithm,
       const void *activation, const void *x, size_t *bytes, int groups)
{
    return batch_norm_reserve(handle, operation, x, bytes);
}

/* One number for each channel; for each activation of a sample in that mode. Half types have float32 statistics. */
ANSWER(int, cudnnDeriveBNTensorDescriptor, void *derived, const void *input, int mode)
{
    const struct dnn_tensor *x = dnn_get(input, DNN_TENSOR);
    struct dnn_tensor *made = dnn_get(derived, DNN_TENSOR);

    if (!x || !made || x->dims < 2)
        return DNN_BAD_PARAM;
    *made = *x;
    made->type = x->type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT;
    made->sizes[0] = 1;
    for (int i = 2; i < x->dims && mode != PER_ACTIVATION; i++)
        made->sizes[i] = made->strides[i] = 1;
    if (mode != PER_ACTIVATION)
        made->strides[1] = 1;
    made->strides[0] = mode == PER_ACTIVATION ? x->strides[0] : x->sizes[1];
    return DNN_SUCCESS;
}

/* ---- CTC ---- */

struct ctc {
    int kind, type, normalization, gradient, longest;
};

static int
set_ctc(void *descriptor, int type, int normalization, int gradient, int longest)
{
    struct ctc *ctc = dnn_get(descriptor, DNN_CTC);

    if (!ctc || type != DNN_FLOAT || longest < 0)
        return DNN_BAD_PARAM;
    *ctc = (struct ctc){DNN_CTC, type, normalization, gradient, longest};
    return DNN_SUCCESS;
}

ANSWER(int, cudnnSetCTCLossDescriptor, void *descriptor, int type)
{
    return set_ctc(descriptor, type, 0, 0, 0);
}

ANSWER(int, cudnnSetCTCLossDescriptorEx, void *descriptor, int type, int normalization, int gradient)
{
    return set_ctc(descriptor, type, normalization, gradient, 0);
}

ANSWER(int, cudnnSetCTCLossDescriptor_v8, void *descriptor, int type, int normalization, int gradient, int longest)
{
    return set_ctc(descriptor, type, normalization, gradient, longest);
}

ANSWER(int, cudnnSetCTCLossDescriptor_v9, void *descriptor, int type, int normalization, int gradient, int longest)
{
    return set_ctc(descriptor, type, normalization, gradient, longest);
}

static int
get_ctc(const void *descriptor, int *const out[4])
{
    const struct ctc *ctc = dnn_get(descriptor, DNN_CTC);
    int values[4];

    if (!ctc)
        return DNN_BAD_PARAM;
    values[0] = ctc->type;
    values[1] = ctc->normalization;
    values[2] = ctc->gradient;
    values[3] = ctc->longest;
    for (int i = 0; i < 4; i++)
        if (out[i])
            *out[i] = values[i];
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetCTCLossDescriptor, const void *descriptor, int *type)
{
    return get_ctc(descriptor, (int *const[]){type, NULL, NULL, NULL});
}

ANSWER(int, cudnnGetCTCLossDescriptorEx, const void *descriptor, int *type, int *normalization, int *gradient)
{
    return get_ctc(descriptor, (int *const[]){type, normalization, gradient, NULL});
}

ANSWER(int, cudnnGetCTCLossDescriptor_v8, const void *descriptor, int *type, int *normalization, int *gradient,
       int *longest)
{
    return get_ctc(descriptor, (int *const[]){type, normalization, gradient, longest});
}

ANSWER(int, cudnnGetCTCLossDescriptor_v9, const void *descriptor, int *type, int *normalization, int *gradient,
       int *longest)
{
    return get_ctc(descriptor, (int *const[]){type, normalization, gradient, longest});
}

/*
 * Not known of cuDNN. What the algorithm takes in Baidu's warp-ctc (github.com/baidu-research/warp-ctc, src/ctc_entrypoint.cpp,
 * get_workspace_size), in float32: for each sample the alphas of each time and label with blanks between, a denominator and
 * the probabilities of each time, and six lengths and two lists of labels.
 */
static int64_t
ctc_workspace(const struct dnn_tensor *probabilities, int64_t longest)
{
    enum { LENGTHS = 6, FLOAT = 4 };
    int64_t times = probabilities->sizes[0], alphabet = probabilities->sizes[2], labels = 2 * longest + 1;
    int64_t numbers = LENGTHS + longest + labels + times * (labels + 1 + alphabet);

    return multiply_saturating(numbers, (int64_t)FLOAT * probabilities->sizes[1]);
}

static int
get_ctc_workspace(const void *handle, const void *descriptor, const void *probabilities, const int *lengths,
                  size_t *bytes)
{
    const struct ctc *ctc = dnn_get(descriptor, DNN_CTC);
    const struct dnn_tensor *x = dnn_get(probabilities, DNN_TENSOR);
    int longest;

    if (!dnn_is_handle(handle) || !ctc || !x || x->dims != 3 || !bytes)
        return DNN_BAD_PARAM;
    longest = ctc->longest;
    for (int i = 0; lengths && i < x->sizes[1]; i++)
        longest = lengths[i] > longest ? lengths[i] : longest;
    note_profile("the workspace of cuDNN's CTC loss is an estimate");
    *bytes = (size_t)ctc_workspace(x, longest);
    return DNN_SUCCESS;
}

/* Lengths of the labels are on the host. */
ANSWER(int, cudnnGetCTCLossWorkspaceSize, void *handle, const void *probabilities, const void *gradients,
       const int *labels, const int *label_lengths, const int *input_lengths, int algorithm, const void *descriptor,
       size_t *bytes)
{
    return label_lengths ? get_ctc_workspace(handle, descriptor, probabilities, label_lengths, bytes) : DNN_BAD_PARAM;
}

ANSWER(int, cudnnGetCTCLossWorkspaceSize_v8, void *handle, int algorithm, const void *descriptor,
       const void *probabilities, const void *gradients, size_t *bytes)
{
    return get_ctc_workspace(handle, descriptor, probabilities, NULL, bytes);
}
