/* Generated from the headers by `./run generate`: how libffi calls the library. Not edited by hand. */
#include "core.h"

#include <memmodel.h>

/* clang-format off */
#define FUNCTION(kinds, name) {#name, kinds, (any_function)name}

const struct signature signatures[] = {
    FUNCTION("ipp", memmodel_context_new),
    FUNCTION("pp", memmodel_context_ref),
    FUNCTION("vp", memmodel_context_unref),
    FUNCTION("pp", memmodel_context_error),
    FUNCTION("vppp", memmodel_context_set_log),
    FUNCTION("ipp", memmodel_context_set_limits),
    FUNCTION("vppp", memmodel_context_set_progress),
    FUNCTION("vp", memmodel_context_cancel),
    FUNCTION("vppp", memmodel_context_memory),
    FUNCTION("vp", memmodel_free),
    FUNCTION("si", memmodel_status_name),
    FUNCTION("si", memmodel_status_message),
    FUNCTION("s", memmodel_version),
    FUNCTION("ippzp", memmodel_samples_new),
    FUNCTION("ipsp", memmodel_samples_load),
    FUNCTION("ipsszp", memmodel_samples_from_csv),
    FUNCTION("ips", memmodel_samples_save),
    FUNCTION("ipsppz", memmodel_samples_append_to_file),
    FUNCTION("ipp", memmodel_samples_add_row),
    FUNCTION("ipsspp", memmodel_samples_filter),
    FUNCTION("ippzpp", memmodel_samples_select),
    FUNCTION("ipdLppp", memmodel_samples_split),
    FUNCTION("zp", memmodel_samples_row_count),
    FUNCTION("zp", memmodel_samples_column_count),
    FUNCTION("spz", memmodel_samples_column_name),
    FUNCTION("pps", memmodel_samples_column),
    FUNCTION("sps", memmodel_samples_unit),
    FUNCTION("spsz", memmodel_samples_text),
    FUNCTION("pp", memmodel_samples_ref),
    FUNCTION("vp", memmodel_samples_unref),
    FUNCTION("ippppp", memmodel_advise),
    FUNCTION("si", memmodel_dtype_name),
    FUNCTION("ipp", memmodel_network_new),
    FUNCTION("pp", memmodel_network_ref),
    FUNCTION("vp", memmodel_network_unref),
    FUNCTION("ip", memmodel_network_status),
    FUNCTION("vp", memmodel_network_clear_error),
    FUNCTION("ipi", memmodel_network_set_layout),
    FUNCTION("lps", memmodel_network_symbol),
    FUNCTION("lps", memmodel_network_expression),
    FUNCTION("iplp", memmodel_network_dim_to_text),
    FUNCTION("ips", memmodel_network_push_scope),
    FUNCTION("ip", memmodel_network_pop_scope),
    FUNCTION("ipi", memmodel_network_checkpoint_scope),
    FUNCTION("ipi", memmodel_network_end_lifetime),
    FUNCTION("ipi", memmodel_network_mark_output),
    FUNCTION("ipii", memmodel_network_layer_output),
    FUNCTION("ipip", memmodel_network_get_shape),
    FUNCTION("zp", memmodel_network_layer_count),
    FUNCTION("zp", memmodel_network_symbol_count),
    FUNCTION("spz", memmodel_network_symbol_name),
    FUNCTION("ippp", memmodel_network_to_json),
    FUNCTION("ipsszp", memmodel_network_from_json),
    FUNCTION("ipsp", memmodel_network_save),
    FUNCTION("ipsp", memmodel_network_load),
    FUNCTION("ipsiip", memmodel_network_input),
    FUNCTION("ipsiipi", memmodel_network_parameter),
    FUNCTION("ipiip", memmodel_network_use_storage),
    FUNCTION("ipsi", memmodel_network_use_parameter),
    FUNCTION("ipip", memmodel_network_conv),
    FUNCTION("ipip", memmodel_network_conv_transpose),
    FUNCTION("ipip", memmodel_network_linear),
    FUNCTION("ipip", memmodel_network_pool),
    FUNCTION("ipip", memmodel_network_adaptive_pool),
    FUNCTION("ipip", memmodel_network_global_pool),
    FUNCTION("ipip", memmodel_network_batch_norm),
    FUNCTION("ipip", memmodel_network_layer_norm),
    FUNCTION("ipip", memmodel_network_group_norm),
    FUNCTION("ipip", memmodel_network_instance_norm),
    FUNCTION("ipip", memmodel_network_rms_norm),
    FUNCTION("ipip", memmodel_network_activation),
    FUNCTION("ipip", memmodel_network_softmax),
    FUNCTION("ipip", memmodel_network_dropout),
    FUNCTION("ipip", memmodel_network_embedding),
    FUNCTION("ipip", memmodel_network_upsample),
    FUNCTION("ipip", memmodel_network_pad),
    FUNCTION("ipip", memmodel_network_crop),
    FUNCTION("ippzp", memmodel_network_concat),
    FUNCTION("ipip", memmodel_network_split),
    FUNCTION("ipip", memmodel_network_slice),
    FUNCTION("ipiip", memmodel_network_reshape),
    FUNCTION("ipiii", memmodel_network_flatten),
    FUNCTION("ipiip", memmodel_network_permute),
    FUNCTION("ipiip", memmodel_network_expand),
    FUNCTION("ipiip", memmodel_network_binary),
    FUNCTION("ipiip", memmodel_network_matmul),
    FUNCTION("ipip", memmodel_network_reduce),
    FUNCTION("ipiiiip", memmodel_network_attention),
    FUNCTION("ipip", memmodel_network_recurrent),
    FUNCTION("ipiip", memmodel_network_loss),
    FUNCTION("ippzp", memmodel_network_custom),
    FUNCTION("si", memmodel_fit_loss_name),
    FUNCTION("si", memmodel_bound_method_name),
    FUNCTION("ipppp", memmodel_fit),
    FUNCTION("dpp", memmodel_model_evaluate),
    FUNCTION("vppzzp", memmodel_model_evaluate_many),
    FUNCTION("ippzp", memmodel_model_check_points),
    FUNCTION("ipppp", memmodel_model_predict),
    FUNCTION("ippzzpppp", memmodel_model_predict_many),
    FUNCTION("ippspdpp", memmodel_model_predict_max),
    FUNCTION("zp", memmodel_model_input_count),
    FUNCTION("ipzp", memmodel_model_get_input),
    FUNCTION("sp", memmodel_model_target),
    FUNCTION("sp", memmodel_model_unit),
    FUNCTION("dp", memmodel_model_unit_bytes),
    FUNCTION("ippp", memmodel_model_output_range),
    FUNCTION("zp", memmodel_model_front_count),
    FUNCTION("ipzp", memmodel_model_get_front_entry),
    FUNCTION("ipp", memmodel_model_get_scores),
    FUNCTION("spi", memmodel_model_formula),
    FUNCTION("ipipp", memmodel_model_to_code),
    FUNCTION("ipsp", memmodel_model_save),
    FUNCTION("ippp", memmodel_model_to_json),
    FUNCTION("ipsp", memmodel_model_load),
    FUNCTION("ipsszp", memmodel_model_from_json),
    FUNCTION("pp", memmodel_model_ref),
    FUNCTION("vp", memmodel_model_unref),
    FUNCTION("ippdp", memmodel_function_new),
    FUNCTION("pp", memmodel_function_pointer),
    FUNCTION("pp", memmodel_function_ref),
    FUNCTION("vp", memmodel_function_unref),
    FUNCTION("si", memmodel_metric_name),
    FUNCTION("is", memmodel_metric_default),
    FUNCTION("si", memmodel_verdict_name),
    FUNCTION("si", memmodel_mode_name),
    FUNCTION("iplpp", memmodel_monitor_new),
    FUNCTION("ipp", memmodel_monitor_read),
    FUNCTION("ippp", memmodel_monitor_run),
    FUNCTION("vp", memmodel_monitor_stop),
    FUNCTION("ipp", memmodel_monitor_get_result),
    FUNCTION("ppp", memmodel_monitor_curve),
    FUNCTION("zppz", memmodel_monitor_processes),
    FUNCTION("pp", memmodel_monitor_ref),
    FUNCTION("vp", memmodel_monitor_unref),
    FUNCTION("ipspp", memmodel_network_load_onnx),
    FUNCTION("ipsszpp", memmodel_network_from_onnx),
    FUNCTION("si", memmodel_technique_name),
    FUNCTION("ipppp", memmodel_optimize),
    FUNCTION("ipp", memmodel_optimization_get_result),
    FUNCTION("zp", memmodel_optimization_step_count),
    FUNCTION("ipzp", memmodel_optimization_get_step),
    FUNCTION("pp", memmodel_optimization_ref),
    FUNCTION("vp", memmodel_optimization_unref),
    FUNCTION("si", memmodel_search_status_name),
    FUNCTION("si", memmodel_category_name),
    FUNCTION("si", memmodel_phase_name),
    FUNCTION("zp", memmodel_trace_event_count),
    FUNCTION("ipzp", memmodel_trace_get_event),
    FUNCTION("ipsp", memmodel_trace_load),
    FUNCTION("ipsszp", memmodel_trace_from_bytes),
    FUNCTION("ippp", memmodel_trace_to_perfetto),
    FUNCTION("pp", memmodel_trace_ref),
    FUNCTION("vp", memmodel_trace_unref),
    FUNCTION("ipp", memmodel_plan_new),
    FUNCTION("ipsp", memmodel_plan_load),
    FUNCTION("ipsszp", memmodel_plan_from_csv),
    FUNCTION("ippp", memmodel_plan_from_trace),
    FUNCTION("ipp", memmodel_plan_add_buffer),
    FUNCTION("ipzll", memmodel_plan_add_gap),
    FUNCTION("ipzzl", memmodel_plan_add_alias),
    FUNCTION("ipp", memmodel_plan_solve),
    FUNCTION("zp", memmodel_plan_buffer_count),
    FUNCTION("ipzp", memmodel_plan_get_buffer),
    FUNCTION("ipp", memmodel_plan_get_result),
    FUNCTION("ips", memmodel_plan_save),
    FUNCTION("ippp", memmodel_plan_to_svg),
    FUNCTION("ipspp", memmodel_plan_to_c),
    FUNCTION("pp", memmodel_plan_ref),
    FUNCTION("vp", memmodel_plan_unref),
    FUNCTION("si", memmodel_chain_operation_name),
    FUNCTION("iplp", memmodel_chain_new),
    FUNCTION("ipp", memmodel_chain_add_block),
    FUNCTION("ipp", memmodel_chain_solve),
    FUNCTION("ipp", memmodel_chain_get_result),
    FUNCTION("zp", memmodel_chain_step_count),
    FUNCTION("ipzp", memmodel_chain_get_step),
    FUNCTION("pp", memmodel_chain_ref),
    FUNCTION("vp", memmodel_chain_unref),
    FUNCTION("ippppp", memmodel_recompute),
    FUNCTION("ipp", memmodel_recomputation_get_result),
    FUNCTION("zp", memmodel_recomputation_point_count),
    FUNCTION("ipzp", memmodel_recomputation_get_point),
    FUNCTION("spzz", memmodel_recomputation_segment),
    FUNCTION("spzzz", memmodel_recomputation_segment_module),
    FUNCTION("ippp", memmodel_recomputation_to_json),
    FUNCTION("ippp", memmodel_recomputation_to_svg),
    FUNCTION("pp", memmodel_recomputation_ref),
    FUNCTION("vp", memmodel_recomputation_unref),
    FUNCTION("si", memmodel_block_state_name),
    FUNCTION("ipppp", memmodel_trace_replay),
    FUNCTION("pp", memmodel_replay_ref),
    FUNCTION("vp", memmodel_replay_unref),
    FUNCTION("ipp", memmodel_replay_get_result),
    FUNCTION("ipzp", memmodel_replay_get_usage),
    FUNCTION("zp", memmodel_replay_block_count),
    FUNCTION("ipzp", memmodel_replay_get_block),
    FUNCTION("ips", memmodel_replay_save_snapshot),
    FUNCTION("ipppp", memmodel_estimate),
    FUNCTION("ipppp", memmodel_estimate_what_if),
    FUNCTION("zp", memmodel_report_change_count),
    FUNCTION("ipzp", memmodel_report_get_change),
    FUNCTION("ippspp", memmodel_estimate_max),
    FUNCTION("ippspzpp", memmodel_estimate_many),
    FUNCTION("ipp", memmodel_report_get_result),
    FUNCTION("zp", memmodel_report_unmodelled_count),
    FUNCTION("ipzp", memmodel_report_get_unmodelled),
    FUNCTION("lpz", memmodel_report_step_peak),
    FUNCTION("lpi", memmodel_report_category_bytes),
    FUNCTION("zp", memmodel_report_layer_count),
    FUNCTION("ipzp", memmodel_report_get_layer),
    FUNCTION("ipp", memmodel_report_get_total),
    FUNCTION("zp", memmodel_report_formula_count),
    FUNCTION("spz", memmodel_report_formula_name),
    FUNCTION("spzi", memmodel_report_formula),
    FUNCTION("pp", memmodel_report_trace),
    FUNCTION("ippp", memmodel_report_to_json),
    FUNCTION("ippp", memmodel_report_to_html),
    FUNCTION("pp", memmodel_report_ref),
    FUNCTION("vp", memmodel_report_unref),
    FUNCTION("ipppp", memmodel_network_schedule),
    FUNCTION("pp", memmodel_schedule_plan),
    FUNCTION("ipip", memmodel_schedule_find_buffer),
    FUNCTION("zp", memmodel_schedule_operator_count),
    FUNCTION("ipzp", memmodel_schedule_get_operator),
    FUNCTION("ipp", memmodel_schedule_get_result),
    FUNCTION("pp", memmodel_schedule_ref),
    FUNCTION("vp", memmodel_schedule_unref),
    FUNCTION("ipplpp", memmodel_network_tile),
    FUNCTION("ipp", memmodel_tiling_get_result),
    FUNCTION("zp", memmodel_tiling_axis_count),
    FUNCTION("ipzp", memmodel_tiling_get_axis),
    FUNCTION("ipzlp", memmodel_tiling_get_range),
    FUNCTION("pp", memmodel_tiling_plan),
    FUNCTION("pp", memmodel_tiling_ref),
    FUNCTION("vp", memmodel_tiling_unref),
};

const size_t signature_count = 235;

static void
drop_memmodel_context(void *pointer)
{
    memmodel_context_unref(pointer);
}

static void
drop_memmodel_samples(void *pointer)
{
    memmodel_samples_unref(pointer);
}

static void
drop_memmodel_network(void *pointer)
{
    memmodel_network_unref(pointer);
}

static void
drop_memmodel_model(void *pointer)
{
    memmodel_model_unref(pointer);
}

static void
drop_memmodel_function(void *pointer)
{
    memmodel_function_unref(pointer);
}

static void
drop_memmodel_monitor(void *pointer)
{
    memmodel_monitor_unref(pointer);
}

static void
drop_memmodel_optimization(void *pointer)
{
    memmodel_optimization_unref(pointer);
}

static void
drop_memmodel_trace(void *pointer)
{
    memmodel_trace_unref(pointer);
}

static void
drop_memmodel_plan(void *pointer)
{
    memmodel_plan_unref(pointer);
}

static void
drop_memmodel_chain(void *pointer)
{
    memmodel_chain_unref(pointer);
}

static void
drop_memmodel_recomputation(void *pointer)
{
    memmodel_recomputation_unref(pointer);
}

static void
drop_memmodel_replay(void *pointer)
{
    memmodel_replay_unref(pointer);
}

static void
drop_memmodel_report(void *pointer)
{
    memmodel_report_unref(pointer);
}

static void
drop_memmodel_schedule(void *pointer)
{
    memmodel_schedule_unref(pointer);
}

static void
drop_memmodel_tiling(void *pointer)
{
    memmodel_tiling_unref(pointer);
}

const struct destructor destructors[] = {
    {"memmodel_context", drop_memmodel_context},
    {"memmodel_samples", drop_memmodel_samples},
    {"memmodel_network", drop_memmodel_network},
    {"memmodel_model", drop_memmodel_model},
    {"memmodel_function", drop_memmodel_function},
    {"memmodel_monitor", drop_memmodel_monitor},
    {"memmodel_optimization", drop_memmodel_optimization},
    {"memmodel_trace", drop_memmodel_trace},
    {"memmodel_plan", drop_memmodel_plan},
    {"memmodel_chain", drop_memmodel_chain},
    {"memmodel_recomputation", drop_memmodel_recomputation},
    {"memmodel_replay", drop_memmodel_replay},
    {"memmodel_report", drop_memmodel_report},
    {"memmodel_schedule", drop_memmodel_schedule},
    {"memmodel_tiling", drop_memmodel_tiling},
    {NULL, NULL},
};
