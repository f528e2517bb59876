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
VALUE(MEMMODEL_ERROR_NOMEM, -1);
VALUE(MEMMODEL_ERROR_INVALID_ARGUMENT, -2);
VALUE(MEMMODEL_ERROR_OVERFLOW, -3);
VALUE(MEMMODEL_ERROR_SHAPE, -4);
VALUE(MEMMODEL_ERROR_UNSUPPORTED, -5);
VALUE(MEMMODEL_ERROR_PARSE, -6);
VALUE(MEMMODEL_ERROR_IO, -7);
VALUE(MEMMODEL_ERROR_STRUCT_SIZE, -8);
VALUE(MEMMODEL_ERROR_UNKNOWN_SYMBOL, -9);
VALUE(MEMMODEL_ERROR_UNBOUND, -10);
VALUE(MEMMODEL_ERROR_DATA, -11);
VALUE(MEMMODEL_ERROR_NEWER, -12);
VALUE(MEMMODEL_ERROR_PROCESS, -13);
VALUE(MEMMODEL_ERROR_CALLBACK, -14);
VALUE(MEMMODEL_ERROR_LIMIT, -15);
VALUE(MEMMODEL_ERROR_CANCELLED, -16);

VALUE(MEMMODEL_TEXT, 0);
VALUE(MEMMODEL_C, 1);
VALUE(MEMMODEL_PYTHON, 2);
VALUE(MEMMODEL_LATEX, 3);

VALUE(MEMMODEL_MEASURE_DEFAULT, 0);
VALUE(MEMMODEL_MEASURE_LIVE, 1);
VALUE(MEMMODEL_MEASURE_RESERVED, 2);
VALUE(MEMMODEL_MEASURE_PROCESS, 3);

VALUE(MEMMODEL_DTYPE_DEFAULT, 0);
VALUE(MEMMODEL_FLOAT32, 1);
VALUE(MEMMODEL_FLOAT64, 2);
VALUE(MEMMODEL_FLOAT16, 3);
VALUE(MEMMODEL_BFLOAT16, 4);
VALUE(MEMMODEL_INT64, 5);
VALUE(MEMMODEL_INT32, 6);
VALUE(MEMMODEL_INT8, 7);
VALUE(MEMMODEL_UINT8, 8);
VALUE(MEMMODEL_BOOL, 9);

VALUE(MEMMODEL_LAYOUT_DEFAULT, 0);
VALUE(MEMMODEL_CHANNELS_FIRST, 1);
VALUE(MEMMODEL_CHANNELS_LAST, 2);

VALUE(MEMMODEL_BUDGET_APART, 0);
VALUE(MEMMODEL_BUDGET_REUSE, 1);
VALUE(MEMMODEL_BUDGET_ORDER, 2);
VALUE(MEMMODEL_BUDGET_RECOMPUTE, 3);
VALUE(MEMMODEL_BUDGET_TILE, 4);
VALUE(MEMMODEL_BUDGET_BATCH, 5);

VALUE(MEMMODEL_EXPLICIT, 0);
VALUE(MEMMODEL_VALID, 1);
VALUE(MEMMODEL_SAME, 2);

VALUE(MEMMODEL_ACTIVATION_NONE, 0);
VALUE(MEMMODEL_RELU, 1);
VALUE(MEMMODEL_LEAKY_RELU, 2);
VALUE(MEMMODEL_ELU, 3);
VALUE(MEMMODEL_SELU, 4);
VALUE(MEMMODEL_GELU, 5);
VALUE(MEMMODEL_GELU_TANH, 6);
VALUE(MEMMODEL_SILU, 7);
VALUE(MEMMODEL_SIGMOID, 8);
VALUE(MEMMODEL_TANH, 9);
VALUE(MEMMODEL_HARDSWISH, 10);
VALUE(MEMMODEL_HARDSIGMOID, 11);
VALUE(MEMMODEL_RELU6, 12);
VALUE(MEMMODEL_SOFTPLUS, 13);
VALUE(MEMMODEL_MISH, 14);
VALUE(MEMMODEL_PRELU, 15);
VALUE(MEMMODEL_EXP, 16);
VALUE(MEMMODEL_LOG, 17);
VALUE(MEMMODEL_SQRT, 18);
VALUE(MEMMODEL_SQUARE, 19);
VALUE(MEMMODEL_ABS, 20);
VALUE(MEMMODEL_NEGATE, 21);

VALUE(MEMMODEL_MAX, 0);
VALUE(MEMMODEL_MEAN, 1);
VALUE(MEMMODEL_SUM, 2);
VALUE(MEMMODEL_MIN, 3);
VALUE(MEMMODEL_PRODUCT, 4);

VALUE(MEMMODEL_NEAREST, 0);
VALUE(MEMMODEL_LINEAR, 1);
VALUE(MEMMODEL_CUBIC, 2);

VALUE(MEMMODEL_PAD_CONSTANT, 0);
VALUE(MEMMODEL_PAD_REFLECT, 1);
VALUE(MEMMODEL_PAD_REPLICATE, 2);
VALUE(MEMMODEL_PAD_CIRCULAR, 3);

VALUE(MEMMODEL_ADD, 0);
VALUE(MEMMODEL_SUBTRACT, 1);
VALUE(MEMMODEL_MULTIPLY, 2);
VALUE(MEMMODEL_DIVIDE, 3);
VALUE(MEMMODEL_MAXIMUM, 4);
VALUE(MEMMODEL_MINIMUM, 5);

VALUE(MEMMODEL_LSTM, 0);
VALUE(MEMMODEL_GRU, 1);
VALUE(MEMMODEL_RNN_TANH, 2);
VALUE(MEMMODEL_RNN_RELU, 3);

VALUE(MEMMODEL_CROSS_ENTROPY, 0);
VALUE(MEMMODEL_BINARY_CROSS_ENTROPY, 1);
VALUE(MEMMODEL_BINARY_CROSS_ENTROPY_WITH_LOGITS, 2);
VALUE(MEMMODEL_MEAN_SQUARED_ERROR, 3);
VALUE(MEMMODEL_MEAN_ABSOLUTE_ERROR, 4);
VALUE(MEMMODEL_SMOOTH_L1, 5);
VALUE(MEMMODEL_NEGATIVE_LOG_LIKELIHOOD, 6);
VALUE(MEMMODEL_KL_DIVERGENCE, 7);
VALUE(MEMMODEL_DICE, 8);

VALUE(MEMMODEL_REDUCE_MEAN, 0);
VALUE(MEMMODEL_REDUCE_SUM, 1);
VALUE(MEMMODEL_REDUCE_NONE, 2);

VALUE(MEMMODEL_FIT_SELECTION_DEFAULT, 0);
VALUE(MEMMODEL_FIT_SELECTION_STANDARD_ERROR, 1);
VALUE(MEMMODEL_FIT_SELECTION_DESCRIPTION, 2);

VALUE(MEMMODEL_FIT_LOSS_DEFAULT, 0);
VALUE(MEMMODEL_FIT_LOSS_RELATIVE, 1);
VALUE(MEMMODEL_FIT_LOSS_SQUARED, 2);
VALUE(MEMMODEL_FIT_LOSS_MAPE, 3);
VALUE(MEMMODEL_FIT_LOSS_LOG_RATIO, 4);
VALUE(MEMMODEL_FIT_LOSS_ABSOLUTE, 5);
VALUE(MEMMODEL_FIT_LOSS_PINBALL, 6);

VALUE(MEMMODEL_FIT_SEARCH_TERMS, 0);
VALUE(MEMMODEL_FIT_SEARCH_ENUMERATE, 1);
VALUE(MEMMODEL_FIT_SEARCH_EVOLVE, 2);
VALUE(MEMMODEL_FIT_SEARCH_ALL, 3);

VALUE(MEMMODEL_BASIS_POSYNOMIAL, 0);
VALUE(MEMMODEL_BASIS_GIVEN, 1);
VALUE(MEMMODEL_BASIS_GENERAL, 2);

VALUE(MEMMODEL_BOUND_LARGER, 0);
VALUE(MEMMODEL_BOUND_HELD_OUT, 1);
VALUE(MEMMODEL_BOUND_STUDENT, 2);
VALUE(MEMMODEL_BOUND_WIDE, 3);
VALUE(MEMMODEL_BOUND_JACKKNIFE_PLUS, 4);

VALUE(MEMMODEL_EXPORT_TEXT, 0);
VALUE(MEMMODEL_EXPORT_C, 1);
VALUE(MEMMODEL_EXPORT_PYTHON, 2);
VALUE(MEMMODEL_EXPORT_LATEX, 3);
VALUE(MEMMODEL_EXPORT_SQL, 4);

VALUE(MEMMODEL_PARAMETERS, 0);
VALUE(MEMMODEL_GRADIENTS, 1);
VALUE(MEMMODEL_OPTIMIZER_STATE, 2);
VALUE(MEMMODEL_INPUTS, 3);
VALUE(MEMMODEL_SAVED_ACTIVATIONS, 4);
VALUE(MEMMODEL_TRANSIENT_ACTIVATIONS, 5);
VALUE(MEMMODEL_ACTIVATION_GRADIENTS, 6);
VALUE(MEMMODEL_WORKSPACE, 7);
VALUE(MEMMODEL_ALLOCATOR_SLACK, 8);
VALUE(MEMMODEL_CONTEXT_MEMORY, 9);
VALUE(MEMMODEL_CATEGORY_COUNT, 10);

VALUE(MEMMODEL_PHASE_SETUP, 0);
VALUE(MEMMODEL_PHASE_FORWARD, 1);
VALUE(MEMMODEL_PHASE_BACKWARD, 2);
VALUE(MEMMODEL_PHASE_OPTIMIZER, 3);

VALUE(MEMMODEL_PLAN_UNSOLVED, 0);
VALUE(MEMMODEL_PLAN_OPTIMAL, 1);
VALUE(MEMMODEL_PLAN_FEASIBLE, 2);
VALUE(MEMMODEL_PLAN_LIMIT, 3);
VALUE(MEMMODEL_PLAN_CANCELLED, 4);
VALUE(MEMMODEL_PLAN_INFEASIBLE, 5);

VALUE(MEMMODEL_PLAN_GREEDY, 1);
VALUE(MEMMODEL_PLAN_CANONICAL, 2);
VALUE(MEMMODEL_PLAN_DOMINANCE, 4);
VALUE(MEMMODEL_PLAN_SECTIONS, 8);
VALUE(MEMMODEL_PLAN_FLOOR, 16);
VALUE(MEMMODEL_PLAN_HATLESS, 32);
VALUE(MEMMODEL_PLAN_SPLIT, 64);
VALUE(MEMMODEL_PLAN_RANK_AGAIN, 128);
VALUE(MEMMODEL_PLAN_RESTART, 256);

VALUE(MEMMODEL_CHAIN_FORWARD, 0);
VALUE(MEMMODEL_CHAIN_KEEP, 1);
VALUE(MEMMODEL_CHAIN_SAVE, 2);
VALUE(MEMMODEL_CHAIN_BACKWARD, 3);

VALUE(MEMMODEL_BLOCK_FREE, 0);
VALUE(MEMMODEL_BLOCK_ALLOCATED, 1);
VALUE(MEMMODEL_BLOCK_AWAITED, 2);

VALUE(MEMMODEL_SCHEDULE_FUSION, 1);
VALUE(MEMMODEL_SCHEDULE_SUMS, 2);
VALUE(MEMMODEL_SCHEDULE_VIEWS, 4);
VALUE(MEMMODEL_SCHEDULE_IN_PLACE, 8);
VALUE(MEMMODEL_SCHEDULE_CONCATENATION, 16);
VALUE(MEMMODEL_SCHEDULE_ORDER, 32);

FIELD(memmodel_allocator, size, 0, 0);
FIELD(memmodel_allocator, allocate, 8, 4);
FIELD(memmodel_allocator, reallocate, 16, 8);
FIELD(memmodel_allocator, release, 24, 12);
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

FIELD(memmodel_advise_options, size, 0, 0);
FIELD(memmodel_advise_options, target, 8, 4);
FIELD(memmodel_advise_options, domain, 16, 8);
FIELD(memmodel_advise_options, domain_count, 24, 12);
FIELD(memmodel_advise_options, cost, 32, 16);
FIELD(memmodel_advise_options, accuracy, 40, 20);
FIELD(memmodel_advise_options, noise, 48, 28);
FIELD(memmodel_advise_options, count, 56, 36);
BYTES(memmodel_advise_options, 64, 44);

FIELD(memmodel_symbol_value, name, 0, 0);
FIELD(memmodel_symbol_value, value, 8, 4);
BYTES(memmodel_symbol_value, 16, 12);

FIELD(memmodel_job, size, 0, 0);
FIELD(memmodel_job, framework, 8, 4);
FIELD(memmodel_job, rule, 16, 8);
FIELD(memmodel_job, device, 24, 12);
FIELD(memmodel_job, optimizer, 32, 16);
FIELD(memmodel_job, isa, 40, 20);
FIELD(memmodel_job, symbols, 48, 24);
FIELD(memmodel_job, symbol_count, 56, 28);
FIELD(memmodel_job, context, 64, 32);
FIELD(memmodel_job, inference, 72, 36);
FIELD(memmodel_job, steps, 76, 40);
FIELD(memmodel_job, threads, 80, 44);
FIELD(memmodel_job, measure, 84, 48);
FIELD(memmodel_job, base_bytes, 88, 52);
FIELD(memmodel_job, precision, 96, 60);
FIELD(memmodel_job, checkpoint, 104, 64);
FIELD(memmodel_job, gpu, 112, 68);
FIELD(memmodel_job, allocator, 120, 72);
FIELD(memmodel_job, optimization, 128, 76);
FIELD(memmodel_job, accumulate, 136, 80);
FIELD(memmodel_job, keep_gradients, 140, 84);
BYTES(memmodel_job, 144, 88);

FIELD(memmodel_shape, dims, 0, 0);
FIELD(memmodel_shape, rank, 64, 64);
FIELD(memmodel_shape, dtype, 68, 68);
BYTES(memmodel_shape, 72, 72);

FIELD(memmodel_budget_step, size, 0, 0);
FIELD(memmodel_budget_step, peak, 8, 4);
FIELD(memmodel_budget_step, extra, 16, 12);
FIELD(memmodel_budget_step, what, 24, 20);
FIELD(memmodel_budget_step, means, 32, 24);
FIELD(memmodel_budget_step, taken, 36, 28);
BYTES(memmodel_budget_step, 40, 32);

FIELD(memmodel_budget_result, size, 0, 0);
FIELD(memmodel_budget_result, peak, 8, 4);
FIELD(memmodel_budget_result, batch, 16, 12);
FIELD(memmodel_budget_result, extra, 24, 20);
FIELD(memmodel_budget_result, checkpoint, 32, 28);
FIELD(memmodel_budget_result, fits, 40, 32);
FIELD(memmodel_budget_result, measure, 44, 36);
BYTES(memmodel_budget_result, 48, 40);

FIELD(memmodel_conv, size, 0, 0);
FIELD(memmodel_conv, name, 8, 4);
FIELD(memmodel_conv, filters, 16, 8);
FIELD(memmodel_conv, kernel, 24, 16);
FIELD(memmodel_conv, stride, 48, 40);
FIELD(memmodel_conv, dilation, 72, 64);
FIELD(memmodel_conv, pad, 96, 88);
FIELD(memmodel_conv, output_padding, 120, 112);
FIELD(memmodel_conv, groups, 144, 136);
FIELD(memmodel_conv, padding, 152, 144);
FIELD(memmodel_conv, layout, 156, 148);
FIELD(memmodel_conv, no_bias, 160, 152);
FIELD(memmodel_conv, activation, 164, 156);
FIELD(memmodel_conv, shared, 168, 160);
BYTES(memmodel_conv, 176, 164);

FIELD(memmodel_linear, size, 0, 0);
FIELD(memmodel_linear, name, 8, 4);
FIELD(memmodel_linear, units, 16, 8);
FIELD(memmodel_linear, no_bias, 24, 16);
FIELD(memmodel_linear, activation, 28, 20);
FIELD(memmodel_linear, shared, 32, 24);
BYTES(memmodel_linear, 40, 28);

FIELD(memmodel_pool, size, 0, 0);
FIELD(memmodel_pool, name, 8, 4);
FIELD(memmodel_pool, kernel, 16, 8);
FIELD(memmodel_pool, stride, 40, 32);
FIELD(memmodel_pool, dilation, 64, 56);
FIELD(memmodel_pool, pad, 88, 80);
FIELD(memmodel_pool, padding, 112, 104);
FIELD(memmodel_pool, layout, 116, 108);
FIELD(memmodel_pool, kind, 120, 112);
FIELD(memmodel_pool, ceil_mode, 124, 116);
BYTES(memmodel_pool, 128, 120);

FIELD(memmodel_adaptive_pool, size, 0, 0);
FIELD(memmodel_adaptive_pool, name, 8, 4);
FIELD(memmodel_adaptive_pool, output, 16, 8);
FIELD(memmodel_adaptive_pool, layout, 40, 32);
FIELD(memmodel_adaptive_pool, kind, 44, 36);
BYTES(memmodel_adaptive_pool, 48, 40);

FIELD(memmodel_global_pool, size, 0, 0);
FIELD(memmodel_global_pool, name, 8, 4);
FIELD(memmodel_global_pool, layout, 16, 8);
FIELD(memmodel_global_pool, kind, 20, 12);
FIELD(memmodel_global_pool, keep, 24, 16);
FIELD(memmodel_global_pool, reserved, 28, 20);
BYTES(memmodel_global_pool, 32, 24);

FIELD(memmodel_norm, size, 0, 0);
FIELD(memmodel_norm, name, 8, 4);
FIELD(memmodel_norm, groups, 16, 8);
FIELD(memmodel_norm, axes, 24, 16);
FIELD(memmodel_norm, layout, 32, 24);
FIELD(memmodel_norm, no_affine, 36, 28);
FIELD(memmodel_norm, no_statistics, 40, 32);
FIELD(memmodel_norm, no_shift, 44, 36);
FIELD(memmodel_norm, affine, 48, 40);
FIELD(memmodel_norm, reserved, 52, 44);
BYTES(memmodel_norm, 56, 48);

FIELD(memmodel_activation, size, 0, 0);
FIELD(memmodel_activation, name, 8, 4);
FIELD(memmodel_activation, kind, 16, 8);
FIELD(memmodel_activation, in_place, 20, 12);
FIELD(memmodel_activation, one_weight, 24, 16);
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
FIELD(memmodel_dropout, feature, 24, 16);
FIELD(memmodel_dropout, in_place, 28, 20);
FIELD(memmodel_dropout, identity, 32, 24);
FIELD(memmodel_dropout, layout, 36, 28);
BYTES(memmodel_dropout, 40, 32);

FIELD(memmodel_embedding, size, 0, 0);
FIELD(memmodel_embedding, name, 8, 4);
FIELD(memmodel_embedding, rows, 16, 8);
FIELD(memmodel_embedding, width, 24, 16);
FIELD(memmodel_embedding, dtype, 32, 24);
FIELD(memmodel_embedding, reserved, 36, 28);
FIELD(memmodel_embedding, shared, 40, 32);
BYTES(memmodel_embedding, 48, 36);

FIELD(memmodel_upsample, size, 0, 0);
FIELD(memmodel_upsample, name, 8, 4);
FIELD(memmodel_upsample, scale, 16, 8);
FIELD(memmodel_upsample, output, 40, 32);
FIELD(memmodel_upsample, mode, 64, 56);
FIELD(memmodel_upsample, layout, 68, 60);
BYTES(memmodel_upsample, 72, 64);

FIELD(memmodel_pad, size, 0, 0);
FIELD(memmodel_pad, name, 8, 4);
FIELD(memmodel_pad, before, 16, 8);
FIELD(memmodel_pad, after, 80, 72);
FIELD(memmodel_pad, mode, 144, 136);
FIELD(memmodel_pad, reserved, 148, 140);
BYTES(memmodel_pad, 152, 144);

FIELD(memmodel_concat, size, 0, 0);
FIELD(memmodel_concat, name, 8, 4);
FIELD(memmodel_concat, axis, 16, 8);
FIELD(memmodel_concat, channels, 20, 12);
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
FIELD(memmodel_slice, drop, 44, 36);
BYTES(memmodel_slice, 48, 40);

FIELD(memmodel_binary, size, 0, 0);
FIELD(memmodel_binary, name, 8, 4);
FIELD(memmodel_binary, kind, 16, 8);
FIELD(memmodel_binary, in_place, 20, 12);
BYTES(memmodel_binary, 24, 16);

FIELD(memmodel_matmul, size, 0, 0);
FIELD(memmodel_matmul, name, 8, 4);
FIELD(memmodel_matmul, transpose_first, 16, 8);
FIELD(memmodel_matmul, transpose_second, 20, 12);
BYTES(memmodel_matmul, 24, 16);

FIELD(memmodel_reduce, size, 0, 0);
FIELD(memmodel_reduce, name, 8, 4);
FIELD(memmodel_reduce, axes, 16, 8);
FIELD(memmodel_reduce, axis_count, 48, 40);
FIELD(memmodel_reduce, kind, 52, 44);
FIELD(memmodel_reduce, keep, 56, 48);
FIELD(memmodel_reduce, reserved, 60, 52);
BYTES(memmodel_reduce, 64, 56);

FIELD(memmodel_attention, size, 0, 0);
FIELD(memmodel_attention, name, 8, 4);
FIELD(memmodel_attention, dropout, 16, 8);
FIELD(memmodel_attention, causal, 24, 16);
FIELD(memmodel_attention, grouped, 28, 20);
BYTES(memmodel_attention, 32, 24);

FIELD(memmodel_recurrent, size, 0, 0);
FIELD(memmodel_recurrent, name, 8, 4);
FIELD(memmodel_recurrent, hidden, 16, 8);
FIELD(memmodel_recurrent, layers, 24, 16);
FIELD(memmodel_recurrent, projection, 32, 24);
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

FIELD(memmodel_custom_needs, size, 0, 0);
FIELD(memmodel_custom_needs, saved, 8, 4);
FIELD(memmodel_custom_needs, forward_temporary, 16, 12);
FIELD(memmodel_custom_needs, backward_temporary, 24, 20);
FIELD(memmodel_custom_needs, multiply_adds, 32, 28);
BYTES(memmodel_custom_needs, 40, 36);

FIELD(memmodel_custom, size, 0, 0);
FIELD(memmodel_custom, name, 8, 4);
FIELD(memmodel_custom, outputs, 16, 8);
FIELD(memmodel_custom, output_count, 24, 12);
FIELD(memmodel_custom, parameter_dtype, 28, 16);
FIELD(memmodel_custom, parameters, 32, 20);
FIELD(memmodel_custom, saved, 40, 28);
FIELD(memmodel_custom, forward_temporary, 48, 36);
FIELD(memmodel_custom, backward_temporary, 56, 44);
FIELD(memmodel_custom, multiply_adds, 64, 52);
FIELD(memmodel_custom, rule, 72, 60);
FIELD(memmodel_custom, user, 80, 64);
FIELD(memmodel_custom, operation, 88, 68);
FIELD(memmodel_custom, attributes, 96, 72);
BYTES(memmodel_custom, 104, 76);

FIELD(memmodel_fit_progress, size, 0, 0);
FIELD(memmodel_fit_progress, evaluations, 8, 4);
FIELD(memmodel_fit_progress, most, 16, 12);
FIELD(memmodel_fit_progress, seconds, 24, 20);
FIELD(memmodel_fit_progress, error, 32, 28);
BYTES(memmodel_fit_progress, 40, 36);

FIELD(memmodel_fit_options, size, 0, 0);
FIELD(memmodel_fit_options, target, 8, 4);
FIELD(memmodel_fit_options, inputs, 16, 8);
FIELD(memmodel_fit_options, input_count, 24, 12);
FIELD(memmodel_fit_options, weight, 32, 16);
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
FIELD(memmodel_fit_options, most_exponent, 152, 92);
FIELD(memmodel_fit_options, search, 160, 100);
FIELD(memmodel_fit_options, integer_exponents, 164, 104);
FIELD(memmodel_fit_options, non_negative, 168, 108);
FIELD(memmodel_fit_options, change_points, 172, 112);
FIELD(memmodel_fit_options, seed, 176, 116);
FIELD(memmodel_fit_options, evaluations, 184, 124);
FIELD(memmodel_fit_options, seconds, 192, 132);
FIELD(memmodel_fit_options, checkpoint, 200, 140);
FIELD(memmodel_fit_options, progress, 208, 144);
FIELD(memmodel_fit_options, user, 216, 148);
FIELD(memmodel_fit_options, selection, 224, 152);
FIELD(memmodel_fit_options, reserved_3, 228, 156);
FIELD(memmodel_fit_options, capacity, 232, 160);
BYTES(memmodel_fit_options, 240, 168);

FIELD(memmodel_prediction, size, 0, 0);
FIELD(memmodel_prediction, value, 8, 4);
FIELD(memmodel_prediction, upper, 16, 12);
FIELD(memmodel_prediction, outside, 24, 20);
FIELD(memmodel_prediction, reserved, 28, 24);
FIELD(memmodel_prediction, points, 32, 28);
FIELD(memmodel_prediction, attained, 40, 36);
FIELD(memmodel_prediction, rule, 48, 44);
FIELD(memmodel_prediction, reserved_2, 52, 48);
BYTES(memmodel_prediction, 56, 52);

FIELD(memmodel_model_scores, size, 0, 0);
FIELD(memmodel_model_scores, training_mape, 8, 4);
FIELD(memmodel_model_scores, loo_mape, 16, 12);
FIELD(memmodel_model_scores, samples, 24, 20);
FIELD(memmodel_model_scores, terms, 32, 28);
FIELD(memmodel_model_scores, training_error, 40, 36);
FIELD(memmodel_model_scores, loo_error, 48, 44);
FIELD(memmodel_model_scores, held_out_error, 56, 52);
FIELD(memmodel_model_scores, constant_error, 64, 60);
FIELD(memmodel_model_scores, loss, 72, 68);
FIELD(memmodel_model_scores, reserved, 76, 72);
FIELD(memmodel_model_scores, noise, 80, 76);
FIELD(memmodel_model_scores, noise_freedom, 88, 84);
FIELD(memmodel_model_scores, certified, 96, 92);
FIELD(memmodel_model_scores, reserved_2, 100, 96);
FIELD(memmodel_model_scores, censored, 104, 100);
BYTES(memmodel_model_scores, 112, 108);

FIELD(memmodel_front_entry, size, 0, 0);
FIELD(memmodel_front_entry, nodes, 8, 4);
FIELD(memmodel_front_entry, terms, 16, 12);
FIELD(memmodel_front_entry, loo_error, 24, 20);
FIELD(memmodel_front_entry, held_out_error, 32, 28);
FIELD(memmodel_front_entry, chosen, 40, 36);
FIELD(memmodel_front_entry, reserved, 44, 40);
BYTES(memmodel_front_entry, 48, 44);

FIELD(memmodel_monitor_options, size, 0, 0);
FIELD(memmodel_monitor_options, interval, 8, 4);
FIELD(memmodel_monitor_options, curve_limit, 16, 12);
FIELD(memmodel_monitor_options, own_child, 24, 20);
FIELD(memmodel_monitor_options, pss, 28, 24);
FIELD(memmodel_monitor_options, limit, 32, 28);
FIELD(memmodel_monitor_options, cgroup, 40, 36);
FIELD(memmodel_monitor_options, orphans, 44, 40);
BYTES(memmodel_monitor_options, 48, 44);

FIELD(memmodel_monitor_reading, size, 0, 0);
FIELD(memmodel_monitor_reading, time, 8, 4);
FIELD(memmodel_monitor_reading, previous, 16, 12);
FIELD(memmodel_monitor_reading, rss, 24, 20);
FIELD(memmodel_monitor_reading, high, 32, 28);
FIELD(memmodel_monitor_reading, pss, 40, 36);
FIELD(memmodel_monitor_reading, cgroup, 48, 44);
FIELD(memmodel_monitor_reading, processes, 56, 52);
FIELD(memmodel_monitor_reading, ended, 60, 56);
FIELD(memmodel_monitor_reading, charge, 64, 60);
FIELD(memmodel_monitor_reading, charge_high, 72, 68);
BYTES(memmodel_monitor_reading, 80, 76);

FIELD(memmodel_monitor_summary, size, 0, 0);
FIELD(memmodel_monitor_summary, start, 8, 4);
FIELD(memmodel_monitor_summary, seconds, 16, 12);
FIELD(memmodel_monitor_summary, readings, 24, 20);
FIELD(memmodel_monitor_summary, peak, 32, 28);
FIELD(memmodel_monitor_summary, peak_sampled, 40, 36);
FIELD(memmodel_monitor_summary, peak_process, 48, 44);
FIELD(memmodel_monitor_summary, peak_pss, 56, 52);
FIELD(memmodel_monitor_summary, peak_cgroup, 64, 60);
FIELD(memmodel_monitor_summary, processes, 72, 68);
FIELD(memmodel_monitor_summary, ended, 76, 72);
FIELD(memmodel_monitor_summary, exit_code, 80, 76);
FIELD(memmodel_monitor_summary, exit_signal, 84, 80);
FIELD(memmodel_monitor_summary, peak_rss, 88, 84);
FIELD(memmodel_monitor_summary, pss_seconds, 96, 92);
FIELD(memmodel_monitor_summary, pss_readings, 104, 100);
FIELD(memmodel_monitor_summary, own_cgroup, 108, 104);
BYTES(memmodel_monitor_summary, 112, 108);

FIELD(memmodel_monitor_point, time, 0, 0);
FIELD(memmodel_monitor_point, bytes, 8, 8);
BYTES(memmodel_monitor_point, 16, 16);

FIELD(memmodel_onnx_options, size, 0, 0);
FIELD(memmodel_onnx_options, batch, 8, 4);
FIELD(memmodel_onnx_options, frozen, 16, 8);
FIELD(memmodel_onnx_options, reserved, 20, 12);
BYTES(memmodel_onnx_options, 24, 16);

FIELD(memmodel_event, size, 0, 0);
FIELD(memmodel_event, bytes, 8, 4);
FIELD(memmodel_event, live, 16, 12);
FIELD(memmodel_event, what, 24, 20);
FIELD(memmodel_event, layer, 32, 24);
FIELD(memmodel_event, block, 40, 28);
FIELD(memmodel_event, step, 44, 32);
FIELD(memmodel_event, category, 48, 36);
FIELD(memmodel_event, phase, 52, 40);
FIELD(memmodel_event, times, 56, 44);
BYTES(memmodel_event, 64, 52);

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

FIELD(memmodel_plan_place, size, 0, 0);
FIELD(memmodel_plan_place, name, 8, 4);
FIELD(memmodel_plan_place, offset, 16, 8);
FIELD(memmodel_plan_place, bytes, 24, 16);
FIELD(memmodel_plan_place, lower, 32, 24);
FIELD(memmodel_plan_place, upper, 40, 32);
FIELD(memmodel_plan_place, alignment, 48, 40);
BYTES(memmodel_plan_place, 56, 48);

FIELD(memmodel_plan_result, size, 0, 0);
FIELD(memmodel_plan_result, peak, 8, 4);
FIELD(memmodel_plan_result, lower_bound, 16, 12);
FIELD(memmodel_plan_result, total, 24, 20);
FIELD(memmodel_plan_result, nodes, 32, 28);
FIELD(memmodel_plan_result, seconds, 40, 36);
FIELD(memmodel_plan_result, status, 48, 44);
FIELD(memmodel_plan_result, reserved, 52, 48);
BYTES(memmodel_plan_result, 56, 52);

FIELD(memmodel_plan_options, size, 0, 0);
FIELD(memmodel_plan_options, capacity, 8, 4);
FIELD(memmodel_plan_options, nodes, 16, 12);
FIELD(memmodel_plan_options, seconds, 24, 20);
FIELD(memmodel_plan_options, progress, 32, 28);
FIELD(memmodel_plan_options, user, 40, 32);
FIELD(memmodel_plan_options, without, 48, 36);
BYTES(memmodel_plan_options, 56, 44);

FIELD(memmodel_chain_block, size, 0, 0);
FIELD(memmodel_chain_block, name, 8, 4);
FIELD(memmodel_chain_block, input, 16, 8);
FIELD(memmodel_chain_block, saved, 24, 16);
FIELD(memmodel_chain_block, forward_bytes, 32, 24);
FIELD(memmodel_chain_block, backward_bytes, 40, 32);
FIELD(memmodel_chain_block, forward_cost, 48, 40);
FIELD(memmodel_chain_block, backward_cost, 56, 48);
BYTES(memmodel_chain_block, 64, 56);

FIELD(memmodel_chain_step, size, 0, 0);
FIELD(memmodel_chain_step, operation, 8, 4);
FIELD(memmodel_chain_step, block, 12, 8);
FIELD(memmodel_chain_step, held, 16, 12);
FIELD(memmodel_chain_step, peak, 24, 20);
BYTES(memmodel_chain_step, 32, 28);

FIELD(memmodel_chain_result, size, 0, 0);
FIELD(memmodel_chain_result, peak, 8, 4);
FIELD(memmodel_chain_result, least, 16, 12);
FIELD(memmodel_chain_result, most, 24, 20);
FIELD(memmodel_chain_result, cost, 32, 28);
FIELD(memmodel_chain_result, least_cost, 40, 36);
BYTES(memmodel_chain_result, 48, 44);

FIELD(memmodel_recomputation_result, size, 0, 0);
FIELD(memmodel_recomputation_result, before, 8, 4);
FIELD(memmodel_recomputation_result, peak, 16, 12);
FIELD(memmodel_recomputation_result, least, 24, 20);
FIELD(memmodel_recomputation_result, simulations, 32, 28);
FIELD(memmodel_recomputation_result, extra, 40, 36);
FIELD(memmodel_recomputation_result, point, 48, 44);
FIELD(memmodel_recomputation_result, fits, 52, 48);
FIELD(memmodel_recomputation_result, settled, 56, 52);
FIELD(memmodel_recomputation_result, measure, 60, 56);
BYTES(memmodel_recomputation_result, 64, 60);

FIELD(memmodel_recomputation_point, size, 0, 0);
FIELD(memmodel_recomputation_point, peak, 8, 4);
FIELD(memmodel_recomputation_point, extra, 16, 12);
FIELD(memmodel_recomputation_point, scopes, 24, 20);
FIELD(memmodel_recomputation_point, checkpoint, 32, 24);
BYTES(memmodel_recomputation_point, 40, 28);

FIELD(memmodel_replay_options, size, 0, 0);
FIELD(memmodel_replay_options, allocator, 8, 4);
FIELD(memmodel_replay_options, settings, 16, 8);
FIELD(memmodel_replay_options, capacity, 24, 12);
FIELD(memmodel_replay_options, events, 32, 20);
BYTES(memmodel_replay_options, 40, 28);

FIELD(memmodel_replay_moment, size, 0, 0);
FIELD(memmodel_replay_moment, requested, 8, 4);
FIELD(memmodel_replay_moment, allocated, 16, 12);
FIELD(memmodel_replay_moment, active, 24, 20);
FIELD(memmodel_replay_moment, reserved, 32, 28);
FIELD(memmodel_replay_moment, touched, 40, 36);
BYTES(memmodel_replay_moment, 48, 44);

FIELD(memmodel_replay_summary, size, 0, 0);
FIELD(memmodel_replay_summary, requested_peak, 8, 4);
FIELD(memmodel_replay_summary, allocated_peak, 16, 12);
FIELD(memmodel_replay_summary, active_peak, 24, 20);
FIELD(memmodel_replay_summary, reserved_peak, 32, 28);
FIELD(memmodel_replay_summary, touched_peak, 40, 36);
FIELD(memmodel_replay_summary, reserved_event, 48, 44);
FIELD(memmodel_replay_summary, out_of_memory, 56, 52);
FIELD(memmodel_replay_summary, retries, 64, 60);
FIELD(memmodel_replay_summary, events, 72, 68);
BYTES(memmodel_replay_summary, 80, 76);

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

FIELD(memmodel_peak, size, 0, 0);
FIELD(memmodel_peak, live, 8, 4);
FIELD(memmodel_peak, reserved, 16, 12);
FIELD(memmodel_peak, process, 24, 20);
BYTES(memmodel_peak, 32, 28);

FIELD(memmodel_report_layer, size, 0, 0);
FIELD(memmodel_report_layer, name, 8, 4);
FIELD(memmodel_report_layer, op, 16, 8);
FIELD(memmodel_report_layer, shape, 24, 12);
FIELD(memmodel_report_layer, formula, 32, 16);
FIELD(memmodel_report_layer, activations, 40, 20);
FIELD(memmodel_report_layer, output_bytes, 48, 28);
FIELD(memmodel_report_layer, parameters, 56, 36);
FIELD(memmodel_report_layer, trainable, 64, 44);
FIELD(memmodel_report_layer, parameter_bytes, 72, 52);
FIELD(memmodel_report_layer, multiply_adds, 80, 60);
FIELD(memmodel_report_layer, peak_bytes, 88, 68);
FIELD(memmodel_report_layer, peak, 96, 76);
BYTES(memmodel_report_layer, 176, 156);

FIELD(memmodel_change, size, 0, 0);
FIELD(memmodel_change, name, 8, 4);
FIELD(memmodel_change, live, 16, 8);
FIELD(memmodel_change, reserved, 24, 16);
FIELD(memmodel_change, process, 32, 24);
FIELD(memmodel_change, saved, 40, 32);
BYTES(memmodel_change, 48, 40);

FIELD(memmodel_inference, size, 0, 0);
FIELD(memmodel_inference, symbols, 8, 4);
FIELD(memmodel_inference, symbol_count, 16, 8);
FIELD(memmodel_inference, context, 24, 12);
FIELD(memmodel_inference, without, 32, 16);
FIELD(memmodel_inference, alignment, 40, 24);
FIELD(memmodel_inference, parameters, 48, 32);
FIELD(memmodel_inference, reserved, 52, 36);
BYTES(memmodel_inference, 56, 40);

FIELD(memmodel_schedule_summary, size, 0, 0);
FIELD(memmodel_schedule_summary, tensors, 8, 4);
FIELD(memmodel_schedule_summary, parameters, 16, 12);
FIELD(memmodel_schedule_summary, peak, 24, 20);
FIELD(memmodel_schedule_summary, lower_bound, 32, 28);
FIELD(memmodel_schedule_summary, multiply_adds, 40, 36);
FIELD(memmodel_schedule_summary, built_peak, 48, 44);
BYTES(memmodel_schedule_summary, 56, 52);

FIELD(memmodel_schedule_operator, size, 0, 0);
FIELD(memmodel_schedule_operator, name, 8, 4);
FIELD(memmodel_schedule_operator, first, 16, 8);
FIELD(memmodel_schedule_operator, last, 24, 16);
FIELD(memmodel_schedule_operator, live, 32, 24);
FIELD(memmodel_schedule_operator, does_nothing, 40, 32);
FIELD(memmodel_schedule_operator, reserved, 44, 36);
BYTES(memmodel_schedule_operator, 48, 40);

FIELD(memmodel_tiling_axis, size, 0, 0);
FIELD(memmodel_tiling_axis, extent, 8, 4);
FIELD(memmodel_tiling_axis, alignment, 16, 12);
FIELD(memmodel_tiling_axis, before, 24, 20);
FIELD(memmodel_tiling_axis, after, 32, 28);
FIELD(memmodel_tiling_axis, step, 40, 36);
FIELD(memmodel_tiling_axis, count, 48, 44);
FIELD(memmodel_tiling_axis, largest, 56, 52);
BYTES(memmodel_tiling_axis, 64, 60);

FIELD(memmodel_tiling_range, size, 0, 0);
FIELD(memmodel_tiling_range, begin, 8, 4);
FIELD(memmodel_tiling_range, stop, 16, 12);
FIELD(memmodel_tiling_range, first, 24, 20);
FIELD(memmodel_tiling_range, last, 32, 28);
FIELD(memmodel_tiling_range, skip, 40, 36);
BYTES(memmodel_tiling_range, 48, 44);

FIELD(memmodel_tiling_result, size, 0, 0);
FIELD(memmodel_tiling_result, peak, 8, 4);
FIELD(memmodel_tiling_result, whole_peak, 16, 12);
FIELD(memmodel_tiling_result, tensors, 24, 20);
FIELD(memmodel_tiling_result, tiles, 32, 28);
FIELD(memmodel_tiling_result, overhead, 40, 36);
BYTES(memmodel_tiling_result, 48, 44);
