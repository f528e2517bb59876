/*
 * Workspaces where no cuDNN can be asked. From Hopper on what was seen on an H200 (cuDNN 9.19): row-major tensors are copied
 * channels-last; before it none. See lib/frameworks/pytorch/cuda_convolution.c, which has the same rule, and its figures
 * in doc/guide/frameworks.md.
 */
#include "dnn.h"

int64_t
dnn_convolution_workspace(const struct dnn_convolution_sizes *sizes)
{
    enum { HOPPER = 90, TENSOR_CORE_CHANNELS = 8, WIDE_CHANNELS = 64, ALIGNMENT = 16 };
    int64_t channels = sizes->in_channels < sizes->out_channels ? sizes->in_channels : sizes->out_channels, least;
    bool in_groups = sizes->group_channels < sizes->in_channels;

    if (device_gpu()->capability < HOPPER || sizes->channels_last || sizes->kernel_points == 1 ||
        sizes->type == DNN_DOUBLE)
        return 0;
    if (in_groups && sizes->group_channels == 1)
        return 0;
    least = sizes->type == DNN_FLOAT ? (in_groups ? 0 : WIDE_CHANNELS) : TENSOR_CORE_CHANNELS;
    return channels < least ? 0 : sizes->elements * dnn_element_bytes(sizes->type) + ALIGNMENT;
}
