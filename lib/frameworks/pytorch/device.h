/*
 * What the devices that PyTorch runs on do in ways of their own. A rule says what its operator is on all of them; where
 * kernels take something else it asks the step's device: a flag of this table where something is left out, a function
 * where something else happens. device_cpu.c and device_cuda.c fill one in each.
 */
#ifndef PYTORCH_DEVICE_H
#define PYTORCH_DEVICE_H

#include "frameworks/pytorch/state.h"

struct gpu;
struct layer;
struct convolution;
struct batch_statistics;
struct recurrence;
struct memmodel_attention;

extern const struct device pytorch_cpu, pytorch_cuda;

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

void
cpu_product(struct step *step, const struct matrix_product *product);

void
cuda_product(struct step *step, const struct matrix_product *product);

/* A product inside a kernel of the CPU's, of [rows, summed] and [summed, columns]: whether it is oneDNN's. */
bool
cpu_runs_tile_on_onednn(const struct step *step, int dtype, const int64_t sizes[3]);

/* It runs; `column_major`: the first operand lies column after column. */
void
cpu_tile_product(struct step *step, int dtype, const int64_t sizes[3], bool column_major);

struct value *
cuda_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3]);

struct value *
cuda_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics);

struct value *
cuda_attention(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask,
               const struct memmodel_attention *options);

void
cuda_embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

void
cpu_recurrent(struct recurrence *recurrence, const struct layer *layer, struct value *x);

/* The greatest power of two up to `number`: last_pow2() of Reduce.cuh, lastPow2() of Normalization.cuh. */
int64_t
cuda_last_power(int64_t number);

/* What a reduction of `x` over axes takes on the way, added up in `dtype`: enum memmodel_dtype. */
void
cuda_reduce(struct step *step, const struct value *x, uint64_t axes, int dtype);

void
cuda_index_put(struct step *step, const struct value *x, const struct value *added, const struct value *const *indices,
               int count);

void
cuda_recurrent(struct recurrence *recurrence, const struct layer *layer, struct value *x);

#endif
