/* Functions of cuDNN that only compute, or only set what cannot be seen here: patterns of fnmatch(3). */
#ifndef CUDA_LAUNCHES_DNN_H
#define CUDA_LAUNCHES_DNN_H

#include <stddef.h>

static const char *const dnn_launches[] = {
    "cudnnActivationForward",
    "cudnnActivationBackward",
    "cudnnAddTensor",
    "cudnnScaleTensor",
    "cudnnSetTensor",
    "cudnnOpTensor",
    "cudnnReduceTensor",
    "cudnnTransformTensor*",
    "cudnnTransformFilter",
    "cudnnBatchNormalizationForward*",
    "cudnnBatchNormalizationBackward*",
    "cudnnNormalizationForward*",
    "cudnnNormalizationBackward*",
    "cudnnDivisiveNormalization*",
    "cudnnLRNCrossChannel*",
    "cudnnConvolutionForward",
    "cudnnConvolutionBackward*",
    "cudnnConvolutionBiasActivationForward",
    "cudnnIm2Col",
    "cudnnReorderFilterAndBias",
    "cudnnPoolingForward",
    "cudnnPoolingBackward",
    "cudnnSoftmaxForward",
    "cudnnSoftmaxBackward",
    "cudnnDropoutForward",
    "cudnnDropoutBackward",
    "cudnnSpatialTf*",
    "cudnnRNNForward*",
    "cudnnRNNBackward*",
    "cudnnBuildRNNDynamic",
    "cudnnCTCLoss",
    "cudnnCTCLoss_v8",
    "cudnnMultiHeadAttnForward",
    "cudnnMultiHeadAttnBackward*",
    "cudnnCausalConv1d*",
    "cudnnB2BCausalConv1d*",
    "cudnnFFTCausalConv1d*",
    "cudnnLongFFTCausalConv1dForward",
    "cudnnLongFFTCausalConv1dBackward",
    "cudnnGnnAgg*",
    "cudnn*VersionCheck",
    NULL,
};

static const char *const dnn_settings[] = {
    "cudnnSetCallback",
    "cudnnSetOpTensorDescriptor",
    "cudnnSetReduceTensorDescriptor",
    "cudnnSetLRNDescriptor",
    "cudnnSetTensorTransformDescriptor",
    "cudnnSetBackdoor*",
    NULL,
};

static const char *const dnn_creates[] = {
    "cudnnCreateOpTensorDescriptor",
    "cudnnCreateReduceTensorDescriptor",
    "cudnnCreateLRNDescriptor",
    "cudnnCreateTensorTransformDescriptor",
    NULL,
};

static const char *const dnn_destroys[] = {
    "cudnnDestroyOpTensorDescriptor",
    "cudnnDestroyReduceTensorDescriptor",
    "cudnnDestroyLRNDescriptor",
    "cudnnDestroyTensorTransformDescriptor",
    NULL,
};

#endif
