/*
 * What the devices that PyTorch runs on do in ways of their own. A rule says what its operator is on all of them; where
 * kernels take something else it asks the step's device: a flag of this table where something is left out, a function
 * where something else happens. device_cpu.c and device_cuda.c fill one in each.
 */
#ifndef PYTORCH_DEVICE_H
#define PYTORCH_DEVICE_H

#include "base/context.h"
#include "frameworks/pytorch/tensor.h"
#include "memmodel/job.h"

struct gpu;
struct layer;
struct convolution;
struct batch_statistics;
struct memmodel_attention;

enum product_kind { PRODUCT, PRODUCT_WITH_BIAS, PRODUCT_WITH_VECTOR };

struct device {
    const char *name;

    bool host;               /* what a Python number becomes, and the counters of optimizers, are in its memory, too */
    bool copying_casts;      /* a kernel gets copies of operands of another type than it computes in */
    bool partial_sums;       /* a sum keeps a partial result for each thread */
    bool log_sigmoid_buffer; /* log_sigmoid() fills a buffer beside its result */
    bool half_convolutions;  /* convolutions of half types are like those of float32 */
    bool wide_statistics;    /* means and deviations of half types are kept in float32 */
    bool float_scatters;     /* gather and scatter of half types write into a buffer of floats first */
    bool recurrent;          /* recurrent layers run as their rules say */
    const struct autocast_table *autocast;
    uint32_t optimizer; /* options that are on by default, enum optimizer_option */

    /* Finds what of the job is the device's own. NULL: nothing. */
    int (*open)(struct step *step);

    /* A matrix product begins; its result has been made, each element a sum of `summed` products. */
    void (*product)(struct step *step, enum product_kind kind, const struct value *result, int64_t summed);

    /* `inputs`: input, weight, bias or NULL. */
    struct value *(*convolution)(struct step *step, struct convolution *problem, struct value *const inputs[3]);
    struct value *(*batch_norm)(struct step *step, struct value *x, const struct batch_statistics *statistics);
    struct value *(*dropout)(struct step *step, struct value *x);

    /* A kernel made for attention, or NULL if there is none for these. */
    struct value *(*attention)(struct step *step, struct value *query, struct value *key, struct value *value,
                               struct value *mask, const struct memmodel_attention *options);

    void (*embedding_backward)(struct step *step, struct node *node, struct value **incoming, struct value **gradients);
};

extern const struct device pytorch_cpu, pytorch_cuda;

/* What a GPU keeps between operators. */
struct cuda {
    const struct gpu *gpu;
    struct value *workspaces[2]; /* of cuBLAS, for the thread of the forward and of the backward pass */
};

/* The device of a job; MEMMODEL_ERROR_UNSUPPORTED if PyTorch has no rules for it. */
int
device_find(memmodel_context *context, const char *name, const struct device **device);

/* ---- kernels, by device ---- */

/* (convolution_rule.c) */
struct shape
convolution_result_shape(const struct convolution *problem, const struct value *x);

struct value *
cpu_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3]);

struct value *
cpu_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics);

struct value *
cpu_dropout(struct step *step, struct value *x);

struct value *
cpu_attention(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask,
              const struct memmodel_attention *options);

void
cpu_embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

struct value *
cuda_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3]);

struct value *
cuda_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics);

struct value *
cuda_dropout(struct step *step, struct value *x);

struct value *
cuda_attention(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask,
               const struct memmodel_attention *options);

void
cuda_embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

#endif
