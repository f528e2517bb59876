/*
 * Where every public field lies and which number every name has, as programs compiled with a released version rely on.
 * Written from include/memmodel/ by ./run generate; a block of a released version never changes, see doc/abi.md.
 */
#include <memmodel.h>

#include <stddef.h>
#include <stdint.h>

/* clang-format off */

/* The first number holds where pointers have 64 bits, the second on 32-bit x86, which aligns int64_t to 4 bytes. */
#if UINTPTR_MAX > UINT32_MAX
#define PLACE(wide, narrow) (wide)
#elif defined(__i386__)
#define PLACE(wide, narrow) (narrow)
#endif

#define VALUE(name, value) _Static_assert((name) == (value), #name)

#ifdef PLACE
#define FIELD(type, field, wide, narrow) \
    _Static_assert(offsetof(struct type, field) == PLACE(wide, narrow), #type "." #field)
#define BYTES(type, wide, narrow) _Static_assert(sizeof(struct type) >= PLACE(wide, narrow), #type)
#else
#define FIELD(type, field, wide, narrow) _Static_assert(1, "")
#define BYTES(type, wide, narrow) _Static_assert(1, "")
#endif

/* 0.1 */

VALUE(MEMMODEL_OK, 0);
VALUE(MEMMODEL_ERROR_NO_MEMORY, -1);
VALUE(MEMMODEL_ERROR_INVALID_ARGUMENT, -2);
VALUE(MEMMODEL_ERROR_OVERFLOW, -3);
VALUE(MEMMODEL_ERROR_SHAPE, -4);
VALUE(MEMMODEL_ERROR_UNSUPPORTED, -5);
VALUE(MEMMODEL_ERROR_PARSE, -6);
VALUE(MEMMODEL_ERROR_IO, -7);
VALUE(MEMMODEL_ERROR_STRUCT_SIZE, -8);
VALUE(MEMMODEL_ERROR_NOT_FOUND, -9);
VALUE(MEMMODEL_ERROR_UNBOUND, -10);
VALUE(MEMMODEL_ERROR_DATA, -11);
VALUE(MEMMODEL_ERROR_VERSION, -12);
VALUE(MEMMODEL_ERROR_PROCESS, -13);
VALUE(MEMMODEL_ERROR_CALLBACK, -14);
VALUE(MEMMODEL_ERROR_LIMIT, -15);
VALUE(MEMMODEL_ERROR_CANCELLED, -16);

VALUE(MEMMODEL_LANGUAGE_TEXT, 0);
VALUE(MEMMODEL_LANGUAGE_C, 1);
VALUE(MEMMODEL_LANGUAGE_PYTHON, 2);
VALUE(MEMMODEL_LANGUAGE_LATEX, 3);
VALUE(MEMMODEL_LANGUAGE_SQL, 4);

VALUE(MEMMODEL_DTYPE_DEFAULT, 0);
VALUE(MEMMODEL_DTYPE_FLOAT32, 1);
VALUE(MEMMODEL_DTYPE_FLOAT64, 2);
VALUE(MEMMODEL_DTYPE_FLOAT16, 3);
VALUE(MEMMODEL_DTYPE_BFLOAT16, 4);
VALUE(MEMMODEL_DTYPE_INT64, 5);
VALUE(MEMMODEL_DTYPE_INT32, 6);
VALUE(MEMMODEL_DTYPE_INT8, 7);
VALUE(MEMMODEL_DTYPE_UINT8, 8);
VALUE(MEMMODEL_DTYPE_BOOL, 9);

VALUE(MEMMODEL_LAYOUT_DEFAULT, 0);
VALUE(MEMMODEL_LAYOUT_CHANNELS_FIRST, 1);
VALUE(MEMMODEL_LAYOUT_CHANNELS_LAST, 2);

VALUE(MEMMODEL_CHECKPOINT_NONE, 0);
VALUE(MEMMODEL_CHECKPOINT_NON_REENTRANT, 1);
VALUE(MEMMODEL_CHECKPOINT_REENTRANT, 2);

VALUE(MEMMODEL_AUTO_PAD_EXPLICIT, 0);
VALUE(MEMMODEL_AUTO_PAD_VALID, 1);
VALUE(MEMMODEL_AUTO_PAD_SAME, 2);

VALUE(MEMMODEL_ACTIVATION_NONE, 0);
VALUE(MEMMODEL_ACTIVATION_RELU, 1);
VALUE(MEMMODEL_ACTIVATION_LEAKY_RELU, 2);
VALUE(MEMMODEL_ACTIVATION_ELU, 3);
VALUE(MEMMODEL_ACTIVATION_SELU, 4);
VALUE(MEMMODEL_ACTIVATION_GELU, 5);
VALUE(MEMMODEL_ACTIVATION_GELU_TANH, 6);
VALUE(MEMMODEL_ACTIVATION_SILU, 7);
VALUE(MEMMODEL_ACTIVATION_SIGMOID, 8);
VALUE(MEMMODEL_ACTIVATION_TANH, 9);
VALUE(MEMMODEL_ACTIVATION_HARDSWISH, 10);
VALUE(MEMMODEL_ACTIVATION_HARDSIGMOID, 11);
VALUE(MEMMODEL_ACTIVATION_RELU6, 12);
VALUE(MEMMODEL_ACTIVATION_SOFTPLUS, 13);
VALUE(MEMMODEL_ACTIVATION_MISH, 14);
VALUE(MEMMODEL_ACTIVATION_PRELU, 15);
VALUE(MEMMODEL_ACTIVATION_EXP, 16);
VALUE(MEMMODEL_ACTIVATION_LOG, 17);
VALUE(MEMMODEL_ACTIVATION_SQRT, 18);
VALUE(MEMMODEL_ACTIVATION_SQUARE, 19);
VALUE(MEMMODEL_ACTIVATION_ABS, 20);
VALUE(MEMMODEL_ACTIVATION_NEGATE, 21);

VALUE(MEMMODEL_POOL_MAX, 0);
VALUE(MEMMODEL_POOL_AVERAGE, 1);

VALUE(MEMMODEL_REDUCE_MAX, 0);
VALUE(MEMMODEL_REDUCE_MEAN, 1);
VALUE(MEMMODEL_REDUCE_SUM, 2);
VALUE(MEMMODEL_REDUCE_MIN, 3);
VALUE(MEMMODEL_REDUCE_PRODUCT, 4);

VALUE(MEMMODEL_INTERPOLATION_NEAREST, 0);
VALUE(MEMMODEL_INTERPOLATION_LINEAR, 1);
VALUE(MEMMODEL_INTERPOLATION_CUBIC, 2);

VALUE(MEMMODEL_PAD_CONSTANT, 0);
VALUE(MEMMODEL_PAD_REFLECT, 1);
VALUE(MEMMODEL_PAD_REPLICATE, 2);
VALUE(MEMMODEL_PAD_CIRCULAR, 3);

VALUE(MEMMODEL_BINARY_ADD, 0);
VALUE(MEMMODEL_BINARY_SUBTRACT, 1);
VALUE(MEMMODEL_BINARY_MULTIPLY, 2);
VALUE(MEMMODEL_BINARY_DIVIDE, 3);
VALUE(MEMMODEL_BINARY_MAXIMUM, 4);
VALUE(MEMMODEL_BINARY_MINIMUM, 5);

VALUE(MEMMODEL_RECURRENT_LSTM, 0);
VALUE(MEMMODEL_RECURRENT_GRU, 1);
VALUE(MEMMODEL_RECURRENT_RNN_TANH, 2);
VALUE(MEMMODEL_RECURRENT_RNN_RELU, 3);

VALUE(MEMMODEL_LOSS_CROSS_ENTROPY, 0);
VALUE(MEMMODEL_LOSS_BINARY_CROSS_ENTROPY, 1);
VALUE(MEMMODEL_LOSS_BINARY_CROSS_ENTROPY_WITH_LOGITS, 2);
VALUE(MEMMODEL_LOSS_MEAN_SQUARED_ERROR, 3);
VALUE(MEMMODEL_LOSS_MEAN_ABSOLUTE_ERROR, 4);
VALUE(MEMMODEL_LOSS_SMOOTH_L1, 5);
VALUE(MEMMODEL_LOSS_NEGATIVE_LOG_LIKELIHOOD, 6);
VALUE(MEMMODEL_LOSS_KL_DIVERGENCE, 7);
VALUE(MEMMODEL_LOSS_DICE, 8);

VALUE(MEMMODEL_LOSS_REDUCTION_MEAN, 0);
VALUE(MEMMODEL_LOSS_REDUCTION_SUM, 1);
VALUE(MEMMODEL_LOSS_REDUCTION_NONE, 2);

VALUE(MEMMODEL_FIT_SELECTION_DEFAULT, 0);
VALUE(MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR, 1);
VALUE(MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH, 2);

VALUE(MEMMODEL_FIT_LOSS_DEFAULT, 0);
VALUE(MEMMODEL_FIT_LOSS_RELATIVE, 1);
VALUE(MEMMODEL_FIT_LOSS_SQUARED, 2);
VALUE(MEMMODEL_FIT_LOSS_MAPE, 3);
VALUE(MEMMODEL_FIT_LOSS_LOG_RATIO, 4);
VALUE(MEMMODEL_FIT_LOSS_ABSOLUTE, 5);
VALUE(MEMMODEL_FIT_LOSS_PINBALL, 6);

VALUE(MEMMODEL_FIT_SEARCH_NONE, 0);
VALUE(MEMMODEL_FIT_SEARCH_ENUMERATE, 1);
VALUE(MEMMODEL_FIT_SEARCH_EVOLVE, 2);
VALUE(MEMMODEL_FIT_SEARCH_ALL, 3);

VALUE(MEMMODEL_FIT_BASIS_POSYNOMIAL, 0);
VALUE(MEMMODEL_FIT_BASIS_USER, 1);
VALUE(MEMMODEL_FIT_BASIS_GENERAL, 2);

VALUE(MEMMODEL_BOUND_METHOD_DEFAULT, 0);
VALUE(MEMMODEL_BOUND_METHOD_CONFORMAL, 1);
VALUE(MEMMODEL_BOUND_METHOD_STUDENT_T, 2);
VALUE(MEMMODEL_BOUND_METHOD_EXTRAPOLATION, 3);
VALUE(MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS, 4);

VALUE(MEMMODEL_METRIC_DEFAULT, 0);
VALUE(MEMMODEL_METRIC_LIVE, 1);
VALUE(MEMMODEL_METRIC_RESERVED, 2);
VALUE(MEMMODEL_METRIC_PROCESS, 3);

VALUE(MEMMODEL_VERDICT_NONE, 0);
VALUE(MEMMODEL_VERDICT_FITS, 1);
VALUE(MEMMODEL_VERDICT_EXCEEDS, 2);
VALUE(MEMMODEL_VERDICT_UNKNOWN, 3);

VALUE(MEMMODEL_MODE_TRAINING, 0);
VALUE(MEMMODEL_MODE_INFERENCE, 1);
VALUE(MEMMODEL_MODE_FORWARD, 2);

VALUE(MEMMODEL_TECHNIQUE_NO_REUSE, 0);
VALUE(MEMMODEL_TECHNIQUE_REUSE, 1);
VALUE(MEMMODEL_TECHNIQUE_REORDER, 2);
VALUE(MEMMODEL_TECHNIQUE_RECOMPUTE, 3);
VALUE(MEMMODEL_TECHNIQUE_TILE, 4);
VALUE(MEMMODEL_TECHNIQUE_BATCH, 5);

VALUE(MEMMODEL_SEARCH_STATUS_NONE, 0);
VALUE(MEMMODEL_SEARCH_STATUS_OPTIMAL, 1);
VALUE(MEMMODEL_SEARCH_STATUS_CONVERGED, 2);
VALUE(MEMMODEL_SEARCH_STATUS_FEASIBLE, 3);
VALUE(MEMMODEL_SEARCH_STATUS_LIMIT, 4);
VALUE(MEMMODEL_SEARCH_STATUS_CANCELLED, 5);
VALUE(MEMMODEL_SEARCH_STATUS_INFEASIBLE, 6);

VALUE(MEMMODEL_CATEGORY_PARAMETERS, 0);
VALUE(MEMMODEL_CATEGORY_GRADIENTS, 1);
VALUE(MEMMODEL_CATEGORY_OPTIMIZER_STATE, 2);
VALUE(MEMMODEL_CATEGORY_INPUTS, 3);
VALUE(MEMMODEL_CATEGORY_SAVED_ACTIVATIONS, 4);
VALUE(MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS, 5);
VALUE(MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS, 6);
VALUE(MEMMODEL_CATEGORY_WORKSPACE, 7);
VALUE(MEMMODEL_CATEGORY_ALLOCATOR_OVERHEAD, 8);
VALUE(MEMMODEL_CATEGORY_RUNTIME, 9);

VALUE(MEMMODEL_PHASE_SETUP, 0);
VALUE(MEMMODEL_PHASE_FORWARD, 1);
VALUE(MEMMODEL_PHASE_BACKWARD, 2);
VALUE(MEMMODEL_PHASE_OPTIMIZER, 3);

VALUE(MEMMODEL_CHAIN_OPERATION_FORWARD, 0);
VALUE(MEMMODEL_CHAIN_OPERATION_FORWARD_CHECKPOINT, 1);
VALUE(MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL, 2);
VALUE(MEMMODEL_CHAIN_OPERATION_BACKWARD, 3);

VALUE(MEMMODEL_BLOCK_STATE_FREE, 0);
VALUE(MEMMODEL_BLOCK_STATE_ALLOCATED, 1);
VALUE(MEMMODEL_BLOCK_STATE_PENDING_FREE, 2);

VALUE(MEMMODEL_SCHEDULE_PASS_FUSION, 1);
VALUE(MEMMODEL_SCHEDULE_PASS_RESIDUAL_FUSION, 2);
VALUE(MEMMODEL_SCHEDULE_PASS_VIEW_ALIASING, 4);
VALUE(MEMMODEL_SCHEDULE_PASS_IN_PLACE, 8);
VALUE(MEMMODEL_SCHEDULE_PASS_CONCAT_ELIMINATION, 16);
VALUE(MEMMODEL_SCHEDULE_PASS_REORDERING, 32);

FIELD(memmodel_allocator, size, 0, 0);
FIELD(memmodel_allocator, allocate, 8, 4);
FIELD(memmodel_allocator, reallocate, 16, 8);
FIELD(memmodel_allocator, deallocate, 24, 12);
FIELD(memmodel_allocator, user, 32, 16);
BYTES(memmodel_allocator, 40, 20);

FIELD(memmodel_limits, size, 0, 0);
FIELD(memmodel_limits, memory_bytes, 8, 4);
FIELD(memmodel_limits, input_bytes, 16, 12);
FIELD(memmodel_limits, nodes, 24, 20);
FIELD(memmodel_limits, layers, 32, 28);
FIELD(memmodel_limits, seconds, 40, 36);
BYTES(memmodel_limits, 48, 44);

FIELD(memmodel_error, size, 0, 0);
FIELD(memmodel_error, status, 8, 4);
FIELD(memmodel_error, line, 12, 8);
FIELD(memmodel_error, column, 16, 12);
FIELD(memmodel_error, reserved, 20, 16);
FIELD(memmodel_error, message, 24, 20);
FIELD(memmodel_error, object, 32, 24);
BYTES(memmodel_error, 40, 28);

FIELD(memmodel_progress, size, 0, 0);
FIELD(memmodel_progress, stage, 8, 4);
FIELD(memmodel_progress, done, 16, 8);
FIELD(memmodel_progress, total, 24, 16);
FIELD(memmodel_progress, seconds, 32, 24);
FIELD(memmodel_progress, best, 40, 32);
BYTES(memmodel_progress, 48, 40);

FIELD(memmodel_advise_options, size, 0, 0);
FIELD(memmodel_advise_options, target, 8, 4);
FIELD(memmodel_advise_options, domain, 16, 8);
FIELD(memmodel_advise_options, domain_count, 24, 12);
FIELD(memmodel_advise_options, cost, 32, 16);
FIELD(memmodel_advise_options, target_error, 40, 20);
FIELD(memmodel_advise_options, noise, 48, 28);
FIELD(memmodel_advise_options, count, 56, 36);
FIELD(memmodel_advise_options, candidates, 64, 44);
BYTES(memmodel_advise_options, 72, 48);

FIELD(memmodel_advise_result, size, 0, 0);
FIELD(memmodel_advise_result, expected_error, 8, 4);
FIELD(memmodel_advise_result, needed_count, 16, 12);
BYTES(memmodel_advise_result, 24, 20);

FIELD(memmodel_shape, dims, 0, 0);
FIELD(memmodel_shape, rank, 64, 64);
FIELD(memmodel_shape, dtype, 68, 68);
BYTES(memmodel_shape, 72, 72);

FIELD(memmodel_conv, size, 0, 0);
FIELD(memmodel_conv, name, 8, 4);
FIELD(memmodel_conv, filters, 16, 8);
FIELD(memmodel_conv, kernel, 24, 16);
FIELD(memmodel_conv, stride, 48, 40);
FIELD(memmodel_conv, dilation, 72, 64);
FIELD(memmodel_conv, padding, 96, 88);
FIELD(memmodel_conv, output_padding, 120, 112);
FIELD(memmodel_conv, groups, 144, 136);
FIELD(memmodel_conv, auto_pad, 152, 144);
FIELD(memmodel_conv, layout, 156, 148);
FIELD(memmodel_conv, no_bias, 160, 152);
FIELD(memmodel_conv, activation, 164, 156);
FIELD(memmodel_conv, tied_to, 168, 160);
BYTES(memmodel_conv, 176, 164);

FIELD(memmodel_linear, size, 0, 0);
FIELD(memmodel_linear, name, 8, 4);
FIELD(memmodel_linear, units, 16, 8);
FIELD(memmodel_linear, no_bias, 24, 16);
FIELD(memmodel_linear, activation, 28, 20);
FIELD(memmodel_linear, tied_to, 32, 24);
BYTES(memmodel_linear, 40, 28);

FIELD(memmodel_pool, size, 0, 0);
FIELD(memmodel_pool, name, 8, 4);
FIELD(memmodel_pool, kernel, 16, 8);
FIELD(memmodel_pool, stride, 40, 32);
FIELD(memmodel_pool, dilation, 64, 56);
FIELD(memmodel_pool, padding, 88, 80);
FIELD(memmodel_pool, auto_pad, 112, 104);
FIELD(memmodel_pool, layout, 116, 108);
FIELD(memmodel_pool, kind, 120, 112);
FIELD(memmodel_pool, ceil_mode, 124, 116);
BYTES(memmodel_pool, 128, 120);

FIELD(memmodel_adaptive_pool, size, 0, 0);
FIELD(memmodel_adaptive_pool, name, 8, 4);
FIELD(memmodel_adaptive_pool, output_size, 16, 8);
FIELD(memmodel_adaptive_pool, layout, 40, 32);
FIELD(memmodel_adaptive_pool, kind, 44, 36);
BYTES(memmodel_adaptive_pool, 48, 40);

FIELD(memmodel_global_pool, size, 0, 0);
FIELD(memmodel_global_pool, name, 8, 4);
FIELD(memmodel_global_pool, layout, 16, 8);
FIELD(memmodel_global_pool, kind, 20, 12);
FIELD(memmodel_global_pool, keep_dims, 24, 16);
FIELD(memmodel_global_pool, reserved, 28, 20);
BYTES(memmodel_global_pool, 32, 24);

FIELD(memmodel_batch_norm, size, 0, 0);
FIELD(memmodel_batch_norm, name, 8, 4);
FIELD(memmodel_batch_norm, layout, 16, 8);
FIELD(memmodel_batch_norm, no_affine, 20, 12);
FIELD(memmodel_batch_norm, no_running_stats, 24, 16);
FIELD(memmodel_batch_norm, reserved, 28, 20);
BYTES(memmodel_batch_norm, 32, 24);

FIELD(memmodel_layer_norm, size, 0, 0);
FIELD(memmodel_layer_norm, name, 8, 4);
FIELD(memmodel_layer_norm, axis_count, 16, 8);
FIELD(memmodel_layer_norm, no_affine, 24, 16);
FIELD(memmodel_layer_norm, no_bias, 28, 20);
BYTES(memmodel_layer_norm, 32, 24);

FIELD(memmodel_group_norm, size, 0, 0);
FIELD(memmodel_group_norm, name, 8, 4);
FIELD(memmodel_group_norm, groups, 16, 8);
FIELD(memmodel_group_norm, layout, 24, 16);
FIELD(memmodel_group_norm, no_affine, 28, 20);
BYTES(memmodel_group_norm, 32, 24);

FIELD(memmodel_instance_norm, size, 0, 0);
FIELD(memmodel_instance_norm, name, 8, 4);
FIELD(memmodel_instance_norm, layout, 16, 8);
FIELD(memmodel_instance_norm, affine, 20, 12);
BYTES(memmodel_instance_norm, 24, 16);

FIELD(memmodel_rms_norm, size, 0, 0);
FIELD(memmodel_rms_norm, name, 8, 4);
FIELD(memmodel_rms_norm, axis_count, 16, 8);
FIELD(memmodel_rms_norm, no_affine, 24, 16);
FIELD(memmodel_rms_norm, reserved, 28, 20);
BYTES(memmodel_rms_norm, 32, 24);

FIELD(memmodel_activation, size, 0, 0);
FIELD(memmodel_activation, name, 8, 4);
FIELD(memmodel_activation, kind, 16, 8);
FIELD(memmodel_activation, in_place, 20, 12);
FIELD(memmodel_activation, single_parameter, 24, 16);
FIELD(memmodel_activation, layout, 28, 20);
BYTES(memmodel_activation, 32, 24);

FIELD(memmodel_softmax, size, 0, 0);
FIELD(memmodel_softmax, name, 8, 4);
FIELD(memmodel_softmax, axis, 16, 8);
FIELD(memmodel_softmax, logarithmic, 20, 12);
BYTES(memmodel_softmax, 24, 16);

FIELD(memmodel_dropout, size, 0, 0);
FIELD(memmodel_dropout, name, 8, 4);
FIELD(memmodel_dropout, rate, 16, 8);
FIELD(memmodel_dropout, channelwise, 24, 16);
FIELD(memmodel_dropout, in_place, 28, 20);
FIELD(memmodel_dropout, identity, 32, 24);
FIELD(memmodel_dropout, layout, 36, 28);
BYTES(memmodel_dropout, 40, 32);

FIELD(memmodel_embedding, size, 0, 0);
FIELD(memmodel_embedding, name, 8, 4);
FIELD(memmodel_embedding, num_embeddings, 16, 8);
FIELD(memmodel_embedding, embedding_dim, 24, 16);
FIELD(memmodel_embedding, dtype, 32, 24);
FIELD(memmodel_embedding, reserved, 36, 28);
FIELD(memmodel_embedding, tied_to, 40, 32);
BYTES(memmodel_embedding, 48, 36);

FIELD(memmodel_upsample, size, 0, 0);
FIELD(memmodel_upsample, name, 8, 4);
FIELD(memmodel_upsample, scale, 16, 8);
FIELD(memmodel_upsample, output_size, 40, 32);
FIELD(memmodel_upsample, kind, 64, 56);
FIELD(memmodel_upsample, layout, 68, 60);
BYTES(memmodel_upsample, 72, 64);

FIELD(memmodel_pad, size, 0, 0);
FIELD(memmodel_pad, name, 8, 4);
FIELD(memmodel_pad, before, 16, 8);
FIELD(memmodel_pad, after, 80, 72);
FIELD(memmodel_pad, kind, 144, 136);
FIELD(memmodel_pad, reserved, 148, 140);
BYTES(memmodel_pad, 152, 144);

FIELD(memmodel_concat, size, 0, 0);
FIELD(memmodel_concat, name, 8, 4);
FIELD(memmodel_concat, axis, 16, 8);
FIELD(memmodel_concat, along_channels, 20, 12);
FIELD(memmodel_concat, layout, 24, 16);
FIELD(memmodel_concat, reserved, 28, 20);
BYTES(memmodel_concat, 32, 24);

FIELD(memmodel_split, size, 0, 0);
FIELD(memmodel_split, name, 8, 4);
FIELD(memmodel_split, sizes, 16, 8);
FIELD(memmodel_split, parts, 24, 12);
FIELD(memmodel_split, axis, 28, 16);
BYTES(memmodel_split, 32, 20);

FIELD(memmodel_slice, size, 0, 0);
FIELD(memmodel_slice, name, 8, 4);
FIELD(memmodel_slice, start, 16, 8);
FIELD(memmodel_slice, stop, 24, 16);
FIELD(memmodel_slice, step, 32, 24);
FIELD(memmodel_slice, axis, 40, 32);
FIELD(memmodel_slice, squeeze, 44, 36);
BYTES(memmodel_slice, 48, 40);

FIELD(memmodel_binary, size, 0, 0);
FIELD(memmodel_binary, name, 8, 4);
FIELD(memmodel_binary, kind, 16, 8);
FIELD(memmodel_binary, in_place, 20, 12);
BYTES(memmodel_binary, 24, 16);

FIELD(memmodel_matmul, size, 0, 0);
FIELD(memmodel_matmul, name, 8, 4);
FIELD(memmodel_matmul, transpose_a, 16, 8);
FIELD(memmodel_matmul, transpose_b, 20, 12);
BYTES(memmodel_matmul, 24, 16);

FIELD(memmodel_reduce, size, 0, 0);
FIELD(memmodel_reduce, name, 8, 4);
FIELD(memmodel_reduce, axes, 16, 8);
FIELD(memmodel_reduce, axis_count, 48, 40);
FIELD(memmodel_reduce, kind, 52, 44);
FIELD(memmodel_reduce, keep_dims, 56, 48);
FIELD(memmodel_reduce, reserved, 60, 52);
BYTES(memmodel_reduce, 64, 56);

FIELD(memmodel_attention, size, 0, 0);
FIELD(memmodel_attention, name, 8, 4);
FIELD(memmodel_attention, dropout, 16, 8);
FIELD(memmodel_attention, causal, 24, 16);
FIELD(memmodel_attention, grouped_query, 28, 20);
BYTES(memmodel_attention, 32, 24);

FIELD(memmodel_recurrent, size, 0, 0);
FIELD(memmodel_recurrent, name, 8, 4);
FIELD(memmodel_recurrent, hidden_size, 16, 8);
FIELD(memmodel_recurrent, layer_count, 24, 16);
FIELD(memmodel_recurrent, projection_size, 32, 24);
FIELD(memmodel_recurrent, dropout, 40, 32);
FIELD(memmodel_recurrent, kind, 48, 40);
FIELD(memmodel_recurrent, bidirectional, 52, 44);
FIELD(memmodel_recurrent, batch_first, 56, 48);
FIELD(memmodel_recurrent, no_bias, 60, 52);
BYTES(memmodel_recurrent, 64, 56);

FIELD(memmodel_loss, size, 0, 0);
FIELD(memmodel_loss, name, 8, 4);
FIELD(memmodel_loss, kind, 16, 8);
FIELD(memmodel_loss, reduction, 20, 12);
BYTES(memmodel_loss, 24, 16);

FIELD(memmodel_custom_requirements, size, 0, 0);
FIELD(memmodel_custom_requirements, saved_bytes, 8, 4);
FIELD(memmodel_custom_requirements, forward_workspace_bytes, 16, 12);
FIELD(memmodel_custom_requirements, backward_workspace_bytes, 24, 20);
FIELD(memmodel_custom_requirements, multiply_adds, 32, 28);
BYTES(memmodel_custom_requirements, 40, 36);

FIELD(memmodel_custom, size, 0, 0);
FIELD(memmodel_custom, name, 8, 4);
FIELD(memmodel_custom, outputs, 16, 8);
FIELD(memmodel_custom, output_count, 24, 12);
FIELD(memmodel_custom, parameter_dtype, 28, 16);
FIELD(memmodel_custom, parameter_count, 32, 20);
FIELD(memmodel_custom, saved_bytes, 40, 28);
FIELD(memmodel_custom, forward_workspace_bytes, 48, 36);
FIELD(memmodel_custom, backward_workspace_bytes, 56, 44);
FIELD(memmodel_custom, multiply_adds, 64, 52);
FIELD(memmodel_custom, callback, 72, 60);
FIELD(memmodel_custom, user, 80, 64);
FIELD(memmodel_custom, operation, 88, 68);
FIELD(memmodel_custom, attributes, 96, 72);
BYTES(memmodel_custom, 104, 76);

FIELD(memmodel_fit_options, size, 0, 0);
FIELD(memmodel_fit_options, target, 8, 4);
FIELD(memmodel_fit_options, inputs, 16, 8);
FIELD(memmodel_fit_options, input_count, 24, 12);
FIELD(memmodel_fit_options, weight_column, 32, 16);
FIELD(memmodel_fit_options, terms, 40, 20);
FIELD(memmodel_fit_options, term_count, 48, 24);
FIELD(memmodel_fit_options, basis, 56, 28);
FIELD(memmodel_fit_options, max_terms, 60, 32);
FIELD(memmodel_fit_options, reserved, 64, 36);
FIELD(memmodel_fit_options, threads, 68, 40);
FIELD(memmodel_fit_options, loss, 72, 44);
FIELD(memmodel_fit_options, reserved_2, 76, 48);
FIELD(memmodel_fit_options, quantile, 80, 52);
FIELD(memmodel_fit_options, increasing, 88, 60);
FIELD(memmodel_fit_options, increasing_count, 96, 64);
FIELD(memmodel_fit_options, decreasing, 104, 68);
FIELD(memmodel_fit_options, decreasing_count, 112, 72);
FIELD(memmodel_fit_options, units, 120, 76);
FIELD(memmodel_fit_options, unit_count, 128, 80);
FIELD(memmodel_fit_options, forbidden, 136, 84);
FIELD(memmodel_fit_options, forbidden_count, 144, 88);
FIELD(memmodel_fit_options, max_exponent, 152, 92);
FIELD(memmodel_fit_options, search, 160, 100);
FIELD(memmodel_fit_options, integer_exponents, 164, 104);
FIELD(memmodel_fit_options, non_negative, 168, 108);
FIELD(memmodel_fit_options, change_points, 172, 112);
FIELD(memmodel_fit_options, seed, 176, 116);
FIELD(memmodel_fit_options, max_evaluations, 184, 124);
FIELD(memmodel_fit_options, max_seconds, 192, 132);
FIELD(memmodel_fit_options, resume_path, 200, 140);
FIELD(memmodel_fit_options, selection, 208, 144);
FIELD(memmodel_fit_options, reserved_3, 212, 148);
FIELD(memmodel_fit_options, capacity, 216, 152);
BYTES(memmodel_fit_options, 224, 160);

FIELD(memmodel_predict_options, size, 0, 0);
FIELD(memmodel_predict_options, level, 8, 4);
FIELD(memmodel_predict_options, method, 16, 12);
FIELD(memmodel_predict_options, reserved, 20, 16);
BYTES(memmodel_predict_options, 24, 20);

FIELD(memmodel_prediction, size, 0, 0);
FIELD(memmodel_prediction, value, 8, 4);
FIELD(memmodel_prediction, upper, 16, 12);
FIELD(memmodel_prediction, extrapolated, 24, 20);
FIELD(memmodel_prediction, reserved, 28, 24);
FIELD(memmodel_prediction, calibration_count, 32, 28);
FIELD(memmodel_prediction, distribution_free_level, 40, 36);
FIELD(memmodel_prediction, method, 48, 44);
FIELD(memmodel_prediction, reserved_2, 52, 48);
BYTES(memmodel_prediction, 56, 52);

FIELD(memmodel_model_input, size, 0, 0);
FIELD(memmodel_model_input, name, 8, 4);
FIELD(memmodel_model_input, symbol, 16, 8);
FIELD(memmodel_model_input, min, 24, 12);
FIELD(memmodel_model_input, max, 32, 20);
FIELD(memmodel_model_input, is_whole, 40, 28);
FIELD(memmodel_model_input, reserved, 44, 32);
BYTES(memmodel_model_input, 48, 36);

FIELD(memmodel_model_scores, size, 0, 0);
FIELD(memmodel_model_scores, training_mape, 8, 4);
FIELD(memmodel_model_scores, loo_mape, 16, 12);
FIELD(memmodel_model_scores, sample_count, 24, 20);
FIELD(memmodel_model_scores, term_count, 32, 28);
FIELD(memmodel_model_scores, training_error, 40, 36);
FIELD(memmodel_model_scores, loo_error, 48, 44);
FIELD(memmodel_model_scores, nested_cv_error, 56, 52);
FIELD(memmodel_model_scores, baseline_error, 64, 60);
FIELD(memmodel_model_scores, loss, 72, 68);
FIELD(memmodel_model_scores, reserved, 76, 72);
FIELD(memmodel_model_scores, noise, 80, 76);
FIELD(memmodel_model_scores, noise_dof, 88, 84);
FIELD(memmodel_model_scores, certified, 96, 92);
FIELD(memmodel_model_scores, reserved_2, 100, 96);
FIELD(memmodel_model_scores, censored, 104, 100);
BYTES(memmodel_model_scores, 112, 108);

FIELD(memmodel_model_front_entry, size, 0, 0);
FIELD(memmodel_model_front_entry, node_count, 8, 4);
FIELD(memmodel_model_front_entry, term_count, 16, 12);
FIELD(memmodel_model_front_entry, loo_error, 24, 20);
FIELD(memmodel_model_front_entry, nested_cv_error, 32, 28);
FIELD(memmodel_model_front_entry, selected, 40, 36);
FIELD(memmodel_model_front_entry, reserved, 44, 40);
FIELD(memmodel_model_front_entry, formula, 48, 44);
BYTES(memmodel_model_front_entry, 56, 48);

FIELD(memmodel_symbol_value, name, 0, 0);
FIELD(memmodel_symbol_value, value, 8, 4);
BYTES(memmodel_symbol_value, 16, 12);

FIELD(memmodel_job, size, 0, 0);
FIELD(memmodel_job, framework, 8, 4);
FIELD(memmodel_job, textbook_rule, 16, 8);
FIELD(memmodel_job, device, 24, 12);
FIELD(memmodel_job, optimizer, 32, 16);
FIELD(memmodel_job, isa, 40, 20);
FIELD(memmodel_job, symbols, 48, 24);
FIELD(memmodel_job, symbol_count, 56, 28);
FIELD(memmodel_job, budget, 64, 32);
FIELD(memmodel_job, mode, 72, 40);
FIELD(memmodel_job, steps, 76, 44);
FIELD(memmodel_job, intra_op_threads, 80, 48);
FIELD(memmodel_job, metric, 84, 52);
FIELD(memmodel_job, base_bytes, 88, 56);
FIELD(memmodel_job, precision, 96, 64);
FIELD(memmodel_job, checkpoint, 104, 68);
FIELD(memmodel_job, gpu, 112, 72);
FIELD(memmodel_job, allocator_settings, 120, 76);
FIELD(memmodel_job, graph_optimization, 128, 80);
FIELD(memmodel_job, gradient_accumulation, 136, 84);
FIELD(memmodel_job, keep_gradients, 140, 88);
BYTES(memmodel_job, 144, 92);

FIELD(memmodel_monitor_options, size, 0, 0);
FIELD(memmodel_monitor_options, interval_seconds, 8, 4);
FIELD(memmodel_monitor_options, max_points, 16, 12);
FIELD(memmodel_monitor_options, is_child, 24, 20);
FIELD(memmodel_monitor_options, pss, 28, 24);
FIELD(memmodel_monitor_options, limit, 32, 28);
FIELD(memmodel_monitor_options, cgroup, 40, 36);
FIELD(memmodel_monitor_options, orphans, 44, 40);
BYTES(memmodel_monitor_options, 48, 44);

FIELD(memmodel_monitor_reading, size, 0, 0);
FIELD(memmodel_monitor_reading, time, 8, 4);
FIELD(memmodel_monitor_reading, previous_time, 16, 12);
FIELD(memmodel_monitor_reading, rss, 24, 20);
FIELD(memmodel_monitor_reading, high_water, 32, 28);
FIELD(memmodel_monitor_reading, pss, 40, 36);
FIELD(memmodel_monitor_reading, cgroup, 48, 44);
FIELD(memmodel_monitor_reading, process_count, 56, 52);
FIELD(memmodel_monitor_reading, exited, 60, 56);
FIELD(memmodel_monitor_reading, charge, 64, 60);
FIELD(memmodel_monitor_reading, charge_high, 72, 68);
BYTES(memmodel_monitor_reading, 80, 76);

FIELD(memmodel_monitor_result, size, 0, 0);
FIELD(memmodel_monitor_result, start_time, 8, 4);
FIELD(memmodel_monitor_result, seconds, 16, 12);
FIELD(memmodel_monitor_result, reading_count, 24, 20);
FIELD(memmodel_monitor_result, peak, 32, 28);
FIELD(memmodel_monitor_result, peak_sampled, 40, 36);
FIELD(memmodel_monitor_result, peak_process, 48, 44);
FIELD(memmodel_monitor_result, peak_pss, 56, 52);
FIELD(memmodel_monitor_result, peak_cgroup, 64, 60);
FIELD(memmodel_monitor_result, process_count, 72, 68);
FIELD(memmodel_monitor_result, exited, 76, 72);
FIELD(memmodel_monitor_result, exit_code, 80, 76);
FIELD(memmodel_monitor_result, exit_signal, 84, 80);
FIELD(memmodel_monitor_result, peak_rss, 88, 84);
FIELD(memmodel_monitor_result, pss_seconds, 96, 92);
FIELD(memmodel_monitor_result, pss_readings, 104, 100);
FIELD(memmodel_monitor_result, own_cgroup, 108, 104);
BYTES(memmodel_monitor_result, 112, 108);

FIELD(memmodel_monitor_point, time, 0, 0);
FIELD(memmodel_monitor_point, bytes, 8, 8);
BYTES(memmodel_monitor_point, 16, 16);

FIELD(memmodel_onnx_options, size, 0, 0);
FIELD(memmodel_onnx_options, batch_symbol, 8, 4);
FIELD(memmodel_onnx_options, frozen, 16, 8);
FIELD(memmodel_onnx_options, reserved, 20, 12);
BYTES(memmodel_onnx_options, 24, 16);

FIELD(memmodel_optimization_step, size, 0, 0);
FIELD(memmodel_optimization_step, peak, 8, 4);
FIELD(memmodel_optimization_step, overhead, 16, 12);
FIELD(memmodel_optimization_step, detail, 24, 20);
FIELD(memmodel_optimization_step, technique, 32, 24);
FIELD(memmodel_optimization_step, applied, 36, 28);
BYTES(memmodel_optimization_step, 40, 32);

FIELD(memmodel_optimization_result, size, 0, 0);
FIELD(memmodel_optimization_result, peak, 8, 4);
FIELD(memmodel_optimization_result, batch, 16, 12);
FIELD(memmodel_optimization_result, overhead, 24, 20);
FIELD(memmodel_optimization_result, checkpoint, 32, 28);
FIELD(memmodel_optimization_result, summary, 40, 32);
FIELD(memmodel_optimization_result, verdict, 48, 36);
FIELD(memmodel_optimization_result, metric, 52, 40);
BYTES(memmodel_optimization_result, 56, 44);

FIELD(memmodel_trace_event, size, 0, 0);
FIELD(memmodel_trace_event, bytes, 8, 4);
FIELD(memmodel_trace_event, live, 16, 12);
FIELD(memmodel_trace_event, role, 24, 20);
FIELD(memmodel_trace_event, layer, 32, 24);
FIELD(memmodel_trace_event, block, 40, 28);
FIELD(memmodel_trace_event, step, 44, 32);
FIELD(memmodel_trace_event, category, 48, 36);
FIELD(memmodel_trace_event, phase, 52, 40);
FIELD(memmodel_trace_event, times, 56, 44);
BYTES(memmodel_trace_event, 64, 52);

FIELD(memmodel_plan_buffer, size, 0, 0);
FIELD(memmodel_plan_buffer, name, 8, 4);
FIELD(memmodel_plan_buffer, bytes, 16, 8);
FIELD(memmodel_plan_buffer, lower, 24, 16);
FIELD(memmodel_plan_buffer, upper, 32, 24);
FIELD(memmodel_plan_buffer, alignment, 40, 32);
FIELD(memmodel_plan_buffer, offset, 48, 40);
FIELD(memmodel_plan_buffer, fixed, 56, 48);
FIELD(memmodel_plan_buffer, reserved, 60, 52);
BYTES(memmodel_plan_buffer, 64, 56);

FIELD(memmodel_plan_result, size, 0, 0);
FIELD(memmodel_plan_result, peak, 8, 4);
FIELD(memmodel_plan_result, lower_bound, 16, 12);
FIELD(memmodel_plan_result, total_bytes, 24, 20);
FIELD(memmodel_plan_result, node_count, 32, 28);
FIELD(memmodel_plan_result, seconds, 40, 36);
FIELD(memmodel_plan_result, status, 48, 44);
FIELD(memmodel_plan_result, reserved, 52, 48);
BYTES(memmodel_plan_result, 56, 52);

FIELD(memmodel_plan_options, size, 0, 0);
FIELD(memmodel_plan_options, budget, 8, 4);
FIELD(memmodel_plan_options, max_nodes, 16, 12);
FIELD(memmodel_plan_options, max_seconds, 24, 20);
BYTES(memmodel_plan_options, 32, 28);

FIELD(memmodel_chain_block, size, 0, 0);
FIELD(memmodel_chain_block, name, 8, 4);
FIELD(memmodel_chain_block, input_bytes, 16, 8);
FIELD(memmodel_chain_block, saved_bytes, 24, 16);
FIELD(memmodel_chain_block, forward_workspace_bytes, 32, 24);
FIELD(memmodel_chain_block, backward_workspace_bytes, 40, 32);
FIELD(memmodel_chain_block, forward_cost, 48, 40);
FIELD(memmodel_chain_block, backward_cost, 56, 48);
BYTES(memmodel_chain_block, 64, 56);

FIELD(memmodel_chain_step, size, 0, 0);
FIELD(memmodel_chain_step, operation, 8, 4);
FIELD(memmodel_chain_step, block, 12, 8);
FIELD(memmodel_chain_step, live, 16, 12);
FIELD(memmodel_chain_step, peak, 24, 20);
BYTES(memmodel_chain_step, 32, 28);

FIELD(memmodel_chain_result, size, 0, 0);
FIELD(memmodel_chain_result, peak, 8, 4);
FIELD(memmodel_chain_result, min_peak, 16, 12);
FIELD(memmodel_chain_result, max_peak, 24, 20);
FIELD(memmodel_chain_result, cost, 32, 28);
FIELD(memmodel_chain_result, min_cost, 40, 36);
FIELD(memmodel_chain_result, status, 48, 44);
FIELD(memmodel_chain_result, reserved, 52, 48);
BYTES(memmodel_chain_result, 56, 52);

FIELD(memmodel_chain_options, size, 0, 0);
FIELD(memmodel_chain_options, budget, 8, 4);
FIELD(memmodel_chain_options, slots, 16, 12);
BYTES(memmodel_chain_options, 24, 20);

FIELD(memmodel_recomputation_result, size, 0, 0);
FIELD(memmodel_recomputation_result, peak_baseline, 8, 4);
FIELD(memmodel_recomputation_result, peak, 16, 12);
FIELD(memmodel_recomputation_result, min_peak, 24, 20);
FIELD(memmodel_recomputation_result, simulation_count, 32, 28);
FIELD(memmodel_recomputation_result, overhead, 40, 36);
FIELD(memmodel_recomputation_result, selected_point, 48, 44);
FIELD(memmodel_recomputation_result, verdict, 52, 48);
FIELD(memmodel_recomputation_result, status, 56, 52);
FIELD(memmodel_recomputation_result, metric, 60, 56);
BYTES(memmodel_recomputation_result, 64, 60);

FIELD(memmodel_recomputation_point, size, 0, 0);
FIELD(memmodel_recomputation_point, peak, 8, 4);
FIELD(memmodel_recomputation_point, overhead, 16, 12);
FIELD(memmodel_recomputation_point, segment_count, 24, 20);
FIELD(memmodel_recomputation_point, checkpoint, 32, 24);
BYTES(memmodel_recomputation_point, 40, 28);

FIELD(memmodel_layer_cost, name, 0, 0);
FIELD(memmodel_layer_cost, cost, 8, 4);
BYTES(memmodel_layer_cost, 16, 12);

FIELD(memmodel_recompute_options, size, 0, 0);
FIELD(memmodel_recompute_options, costs, 8, 4);
FIELD(memmodel_recompute_options, cost_count, 16, 8);
FIELD(memmodel_recompute_options, max_simulations, 24, 12);
BYTES(memmodel_recompute_options, 32, 20);

FIELD(memmodel_replay_options, size, 0, 0);
FIELD(memmodel_replay_options, allocator, 8, 4);
FIELD(memmodel_replay_options, allocator_settings, 16, 8);
FIELD(memmodel_replay_options, capacity, 24, 12);
FIELD(memmodel_replay_options, max_events, 32, 20);
BYTES(memmodel_replay_options, 40, 28);

FIELD(memmodel_replay_usage, size, 0, 0);
FIELD(memmodel_replay_usage, requested, 8, 4);
FIELD(memmodel_replay_usage, allocated, 16, 12);
FIELD(memmodel_replay_usage, active, 24, 20);
FIELD(memmodel_replay_usage, reserved, 32, 28);
FIELD(memmodel_replay_usage, resident, 40, 36);
BYTES(memmodel_replay_usage, 48, 44);

FIELD(memmodel_replay_result, size, 0, 0);
FIELD(memmodel_replay_result, peak_requested, 8, 4);
FIELD(memmodel_replay_result, peak_allocated, 16, 12);
FIELD(memmodel_replay_result, peak_active, 24, 20);
FIELD(memmodel_replay_result, peak_reserved, 32, 28);
FIELD(memmodel_replay_result, peak_resident, 40, 36);
FIELD(memmodel_replay_result, peak_event, 48, 44);
FIELD(memmodel_replay_result, oom_event, 56, 52);
FIELD(memmodel_replay_result, retry_count, 64, 60);
FIELD(memmodel_replay_result, event_count, 72, 68);
BYTES(memmodel_replay_result, 80, 76);

FIELD(memmodel_replay_block, size, 0, 0);
FIELD(memmodel_replay_block, segment, 8, 4);
FIELD(memmodel_replay_block, address, 16, 12);
FIELD(memmodel_replay_block, bytes, 24, 20);
FIELD(memmodel_replay_block, requested, 32, 28);
FIELD(memmodel_replay_block, stream, 40, 36);
FIELD(memmodel_replay_block, block, 48, 44);
FIELD(memmodel_replay_block, state, 52, 48);
FIELD(memmodel_replay_block, large, 56, 52);
FIELD(memmodel_replay_block, expandable, 60, 56);
BYTES(memmodel_replay_block, 64, 60);

FIELD(memmodel_report_result, size, 0, 0);
FIELD(memmodel_report_result, live, 8, 4);
FIELD(memmodel_report_result, reserved, 16, 12);
FIELD(memmodel_report_result, process, 24, 20);
FIELD(memmodel_report_result, budget, 32, 28);
FIELD(memmodel_report_result, headroom, 40, 36);
FIELD(memmodel_report_result, peak_location, 48, 44);
FIELD(memmodel_report_result, assumptions, 56, 48);
FIELD(memmodel_report_result, metric, 64, 52);
FIELD(memmodel_report_result, verdict, 68, 56);
FIELD(memmodel_report_result, step_count, 72, 60);
FIELD(memmodel_report_result, validated, 76, 64);
BYTES(memmodel_report_result, 80, 68);

FIELD(memmodel_report_unmodelled, size, 0, 0);
FIELD(memmodel_report_unmodelled, op, 8, 4);
FIELD(memmodel_report_unmodelled, bytes, 16, 8);
BYTES(memmodel_report_unmodelled, 24, 16);

FIELD(memmodel_report_layer, size, 0, 0);
FIELD(memmodel_report_layer, name, 8, 4);
FIELD(memmodel_report_layer, op, 16, 8);
FIELD(memmodel_report_layer, shape, 24, 12);
FIELD(memmodel_report_layer, symbolic_shape, 32, 16);
FIELD(memmodel_report_layer, activation_count, 40, 20);
FIELD(memmodel_report_layer, output_bytes, 48, 28);
FIELD(memmodel_report_layer, parameter_count, 56, 36);
FIELD(memmodel_report_layer, trainable_count, 64, 44);
FIELD(memmodel_report_layer, parameter_bytes, 72, 52);
FIELD(memmodel_report_layer, multiply_adds, 80, 60);
FIELD(memmodel_report_layer, peak_bytes, 88, 68);
FIELD(memmodel_report_layer, peak_by_category, 96, 76);
BYTES(memmodel_report_layer, 224, 204);

FIELD(memmodel_report_change, size, 0, 0);
FIELD(memmodel_report_change, name, 8, 4);
FIELD(memmodel_report_change, live, 16, 8);
FIELD(memmodel_report_change, reserved, 24, 16);
FIELD(memmodel_report_change, process, 32, 24);
FIELD(memmodel_report_change, saving, 40, 32);
BYTES(memmodel_report_change, 48, 40);

FIELD(memmodel_schedule_options, size, 0, 0);
FIELD(memmodel_schedule_options, symbols, 8, 4);
FIELD(memmodel_schedule_options, symbol_count, 16, 8);
FIELD(memmodel_schedule_options, plan, 24, 12);
FIELD(memmodel_schedule_options, disabled_passes, 32, 16);
FIELD(memmodel_schedule_options, alignment, 40, 24);
FIELD(memmodel_schedule_options, include_parameters, 48, 32);
FIELD(memmodel_schedule_options, reserved, 52, 36);
BYTES(memmodel_schedule_options, 56, 40);

FIELD(memmodel_schedule_result, size, 0, 0);
FIELD(memmodel_schedule_result, tensor_bytes, 8, 4);
FIELD(memmodel_schedule_result, parameter_bytes, 16, 12);
FIELD(memmodel_schedule_result, peak, 24, 20);
FIELD(memmodel_schedule_result, lower_bound, 32, 28);
FIELD(memmodel_schedule_result, multiply_adds, 40, 36);
FIELD(memmodel_schedule_result, peak_program_order, 48, 44);
BYTES(memmodel_schedule_result, 56, 52);

FIELD(memmodel_schedule_operator, size, 0, 0);
FIELD(memmodel_schedule_operator, name, 8, 4);
FIELD(memmodel_schedule_operator, first_layer, 16, 8);
FIELD(memmodel_schedule_operator, last_layer, 24, 16);
FIELD(memmodel_schedule_operator, live, 32, 24);
FIELD(memmodel_schedule_operator, is_noop, 40, 32);
FIELD(memmodel_schedule_operator, reserved, 44, 36);
BYTES(memmodel_schedule_operator, 48, 40);

FIELD(memmodel_tiling_axis, size, 0, 0);
FIELD(memmodel_tiling_axis, extent, 8, 4);
FIELD(memmodel_tiling_axis, alignment, 16, 12);
FIELD(memmodel_tiling_axis, halo_before, 24, 20);
FIELD(memmodel_tiling_axis, halo_after, 32, 28);
FIELD(memmodel_tiling_axis, stride, 40, 36);
FIELD(memmodel_tiling_axis, tile_count, 48, 44);
FIELD(memmodel_tiling_axis, max_extent, 56, 52);
BYTES(memmodel_tiling_axis, 64, 60);

FIELD(memmodel_tiling_range, size, 0, 0);
FIELD(memmodel_tiling_range, input_start, 8, 4);
FIELD(memmodel_tiling_range, input_stop, 16, 12);
FIELD(memmodel_tiling_range, output_start, 24, 20);
FIELD(memmodel_tiling_range, output_stop, 32, 28);
FIELD(memmodel_tiling_range, crop, 40, 36);
BYTES(memmodel_tiling_range, 48, 44);

FIELD(memmodel_tiling_result, size, 0, 0);
FIELD(memmodel_tiling_result, peak, 8, 4);
FIELD(memmodel_tiling_result, peak_untiled, 16, 12);
FIELD(memmodel_tiling_result, tensor_bytes, 24, 20);
FIELD(memmodel_tiling_result, tile_count, 32, 28);
FIELD(memmodel_tiling_result, overhead, 40, 36);
FIELD(memmodel_tiling_result, verdict, 48, 44);
FIELD(memmodel_tiling_result, reserved, 52, 48);
BYTES(memmodel_tiling_result, 56, 52);
