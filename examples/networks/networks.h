/*
 * Ready-made networks, built through the public API: read them as examples, or link them.
 *
 * Each constructor returns 0 or a negative enum memmodel_status with its text on the context. Zero means the default
 * for every option. The batch is the symbol "batch" everywhere; an image's edge is "dim", a sequence's length "length".
 */
#ifndef NETWORKS_H
#define NETWORKS_H

#include "memmodel.h"

#include <stdbool.h>

/* 3D U-Net after IntelAI/unet, 3D/model.py: two 3x3x3 convolutions a level, each with batch norm and ReLU. */
struct unet3d {
    int64_t filters;  /* of the first level; 16 */
    int depth;        /* poolings; 4 */
    int64_t channels; /* of the input; 1 */
    int64_t classes;  /* of the mask; 1 */
    bool box;         /* symbols height, width and depth in place of dim */
    bool no_batch_norm;
    bool upsampling;    /* decoder by nearest upsampling instead of transposed convolution */
    bool channels_last; /* Keras; else PyTorch */
    bool fused_mask;    /* the sigmoid belongs to the last convolution, as in Keras */
    bool loss;          /* with binary cross entropy against a target, for simulated training */
};

int
network_unet3d(memmodel_context *context, const struct unet3d *options, memmodel_network **network);

/*
 * 50x50x3: conv 32 3x3 same, pool 2, conv 64 3x3 same, pool 2, dense 500, dense 10, with ReLU counted with its layer.
 */
struct cnn50 {
    bool separate_activations; /* ReLU as layers of their own, as in PyTorch */
    bool loss;                 /* with cross entropy against a target */
};

int
network_cnn50(memmodel_context *context, const struct cnn50 *options, memmodel_network **network);

int
network_vgg16(memmodel_context *context, memmodel_network **network);

int
network_resnet50(memmodel_context *context, memmodel_network **network);

int
network_mobilenet(memmodel_context *context, memmodel_network **network);

/* GPT-2 style decoder. */
struct gpt2 {
    int64_t vocabulary; /* 50257 */
    int64_t positions;  /* 1024 */
    int64_t width;      /* 768 */
    int64_t heads;      /* 12 */
    int layers;         /* 12 */
};

int
network_gpt2(memmodel_context *context, const struct gpt2 *options, memmodel_network **network);

#endif
