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
    FUNCTION("vp", memmodel_context_cancel),
    FUNCTION("vppp", memmodel_context_memory),
    FUNCTION("vpp", memmodel_free),
    FUNCTION("si", memmodel_status_name),
    FUNCTION("si", memmodel_status_message),
    FUNCTION("s", memmodel_version),
    FUNCTION("ippzp", memmodel_samples_new),
    FUNCTION("ipsp", memmodel_samples_read),
    FUNCTION("ipsszp", memmodel_samples_parse),
    FUNCTION("ips", memmodel_samples_write),
    FUNCTION("ipsppz", memmodel_samples_append),
    FUNCTION("ipp", memmodel_samples_add),
    FUNCTION("ipssp", memmodel_samples_filter),
    FUNCTION("ippzp", memmodel_samples_select),
    FUNCTION("vLzp", memmodel_samples_shuffle),
    FUNCTION("zp", memmodel_samples_row_count),
    FUNCTION("zp", memmodel_samples_column_count),
    FUNCTION("spz", memmodel_samples_column_name),
    FUNCTION("pps", memmodel_samples_column),
    FUNCTION("sps", memmodel_samples_unit),
    FUNCTION("spsz", memmodel_samples_text),
    FUNCTION("pp", memmodel_samples_context),
    FUNCTION("pp", memmodel_samples_ref),
    FUNCTION("vp", memmodel_samples_unref),
    FUNCTION("ippppppp", memmodel_advise),
    FUNCTION("si", memmodel_measure_name),
    FUNCTION("is", memmodel_measure_default),
    FUNCTION("ipp", memmodel_network_new),
    FUNCTION("pp", memmodel_network_ref),
    FUNCTION("vp", memmodel_network_unref),
    FUNCTION("ip", memmodel_network_status),
    FUNCTION("vp", memmodel_network_recover),
    FUNCTION("ipi", memmodel_network_set_layout),
    FUNCTION("lps", memmodel_network_symbol),
    FUNCTION("lps", memmodel_network_expression),
    FUNCTION("iplp", memmodel_network_dim_text),
    FUNCTION("ips", memmodel_network_push_scope),
    FUNCTION("ip", memmodel_network_pop_scope),
    FUNCTION("ip", memmodel_network_checkpoint),
    FUNCTION("ip", memmodel_network_checkpoint_reentrant),
    FUNCTION("ipi", memmodel_network_release),
    FUNCTION("ipi", memmodel_network_output),
    FUNCTION("ipii", memmodel_network_result),
    FUNCTION("ipip", memmodel_network_shape),
    FUNCTION("zp", memmodel_network_layer_count),
    FUNCTION("zp", memmodel_network_symbol_count),
    FUNCTION("spz", memmodel_network_symbol_name),
    FUNCTION("ipp", memmodel_network_to_json),
    FUNCTION("ipsszp", memmodel_network_from_json),
    FUNCTION("ips", memmodel_network_save),
    FUNCTION("ipsp", memmodel_network_load),
    FUNCTION("si", memmodel_budget_means_name),
    FUNCTION("ipplp", memmodel_budget_new),
    FUNCTION("ipp", memmodel_budget_result),
    FUNCTION("zp", memmodel_budget_step_count),
    FUNCTION("ipzp", memmodel_budget_step),
    FUNCTION("sp", memmodel_budget_text),
    FUNCTION("pp", memmodel_budget_ref),
    FUNCTION("vp", memmodel_budget_unref),
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
    FUNCTION("ippp", memmodel_fit),
    FUNCTION("dpp", memmodel_model_evaluate),
    FUNCTION("vppzp", memmodel_model_evaluate_many),
    FUNCTION("ippzzzp", memmodel_model_evaluate_rows),
    FUNCTION("ippzp", memmodel_model_check_points),
    FUNCTION("ippdp", memmodel_model_predict),
    FUNCTION("ippidp", memmodel_model_predict_by),
    FUNCTION("ippzdppp", memmodel_model_predict_many),
    FUNCTION("ippsddp", memmodel_model_solve),
    FUNCTION("zp", memmodel_model_input_count),
    FUNCTION("spz", memmodel_model_input_name),
    FUNCTION("spz", memmodel_model_input_symbol),
    FUNCTION("sp", memmodel_model_target),
    FUNCTION("sp", memmodel_model_unit),
    FUNCTION("dp", memmodel_model_unit_bytes),
    FUNCTION("ipzpp", memmodel_model_domain),
    FUNCTION("ipz", memmodel_model_input_is_whole),
    FUNCTION("ippp", memmodel_model_limits),
    FUNCTION("zp", memmodel_model_front_count),
    FUNCTION("ipzp", memmodel_model_front_entry),
    FUNCTION("spz", memmodel_model_front_formula),
    FUNCTION("ipp", memmodel_model_scores),
    FUNCTION("ipipp", memmodel_model_formula),
    FUNCTION("ipipp", memmodel_model_export),
    FUNCTION("ips", memmodel_model_save),
    FUNCTION("ipp", memmodel_model_to_json),
    FUNCTION("ipsp", memmodel_model_load),
    FUNCTION("ipsszp", memmodel_model_from_json),
    FUNCTION("pp", memmodel_model_ref),
    FUNCTION("vp", memmodel_model_unref),
    FUNCTION("ippdp", memmodel_function_new),
    FUNCTION("pp", memmodel_function_pointer),
    FUNCTION("pp", memmodel_function_ref),
    FUNCTION("vp", memmodel_function_unref),
    FUNCTION("iplpp", memmodel_monitor_new),
    FUNCTION("ipp", memmodel_monitor_read),
    FUNCTION("ippp", memmodel_monitor_run),
    FUNCTION("vp", memmodel_monitor_stop),
    FUNCTION("ipp", memmodel_monitor_summarize),
    FUNCTION("ppp", memmodel_monitor_curve),
    FUNCTION("zppz", memmodel_monitor_processes),
    FUNCTION("pp", memmodel_monitor_ref),
    FUNCTION("vp", memmodel_monitor_unref),
    FUNCTION("ipspp", memmodel_network_load_onnx),
    FUNCTION("ipsszpp", memmodel_network_from_onnx),
    FUNCTION("si", memmodel_category_name),
    FUNCTION("zp", memmodel_trace_event_count),
    FUNCTION("ipzp", memmodel_trace_event),
    FUNCTION("ipsp", memmodel_trace_read),
    FUNCTION("ippp", memmodel_trace_to_perfetto),
    FUNCTION("pp", memmodel_trace_ref),
    FUNCTION("vp", memmodel_trace_unref),
    FUNCTION("si", memmodel_plan_status_name),
    FUNCTION("ipp", memmodel_plan_new),
    FUNCTION("ipsp", memmodel_plan_read),
    FUNCTION("ipsszp", memmodel_plan_parse),
    FUNCTION("ipp", memmodel_plan_from_trace),
    FUNCTION("ipp", memmodel_plan_add),
    FUNCTION("ipzll", memmodel_plan_gap),
    FUNCTION("ipzzl", memmodel_plan_share),
    FUNCTION("ipp", memmodel_plan_solve),
    FUNCTION("zp", memmodel_plan_buffer_count),
    FUNCTION("ipzp", memmodel_plan_place),
    FUNCTION("ipp", memmodel_plan_result),
    FUNCTION("ips", memmodel_plan_write),
    FUNCTION("ipp", memmodel_plan_to_svg),
    FUNCTION("ipsp", memmodel_plan_to_c),
    FUNCTION("pp", memmodel_plan_ref),
    FUNCTION("vp", memmodel_plan_unref),
    FUNCTION("iplp", memmodel_chain_new),
    FUNCTION("ipp", memmodel_chain_add),
    FUNCTION("ipll", memmodel_chain_solve),
    FUNCTION("ipp", memmodel_chain_result),
    FUNCTION("zp", memmodel_chain_step_count),
    FUNCTION("ipzp", memmodel_chain_step),
    FUNCTION("pp", memmodel_chain_ref),
    FUNCTION("vp", memmodel_chain_unref),
    FUNCTION("ipp", memmodel_recomputation_new),
    FUNCTION("ipsd", memmodel_recomputation_cost),
    FUNCTION("ippp", memmodel_recomputation_observe),
    FUNCTION("ippll", memmodel_recomputation_solve),
    FUNCTION("ipp", memmodel_recomputation_result),
    FUNCTION("zp", memmodel_recomputation_point_count),
    FUNCTION("ipzp", memmodel_recomputation_point),
    FUNCTION("spzz", memmodel_recomputation_scope),
    FUNCTION("spzzz", memmodel_recomputation_module),
    FUNCTION("ipp", memmodel_recomputation_to_json),
    FUNCTION("ipp", memmodel_recomputation_to_svg),
    FUNCTION("pp", memmodel_recomputation_ref),
    FUNCTION("vp", memmodel_recomputation_unref),
    FUNCTION("ippp", memmodel_replay_new),
    FUNCTION("pp", memmodel_replay_ref),
    FUNCTION("vp", memmodel_replay_unref),
    FUNCTION("ipp", memmodel_replay_summary),
    FUNCTION("ipzp", memmodel_replay_moment),
    FUNCTION("zp", memmodel_replay_block_count),
    FUNCTION("ipzp", memmodel_replay_block),
    FUNCTION("ips", memmodel_replay_write),
    FUNCTION("ippp", memmodel_estimate),
    FUNCTION("ippp", memmodel_report_what_if),
    FUNCTION("zp", memmodel_report_change_count),
    FUNCTION("ipzp", memmodel_report_change),
    FUNCTION("ip", memmodel_report_measure),
    FUNCTION("ippslp", memmodel_solve),
    FUNCTION("ippspzp", memmodel_scan),
    FUNCTION("ipp", memmodel_report_peak),
    FUNCTION("ip", memmodel_report_step_count),
    FUNCTION("lpi", memmodel_report_step_peak),
    FUNCTION("lpi", memmodel_report_category),
    FUNCTION("zp", memmodel_report_layer_count),
    FUNCTION("ipzp", memmodel_report_layer),
    FUNCTION("ipp", memmodel_report_total),
    FUNCTION("zp", memmodel_report_formula_count),
    FUNCTION("spz", memmodel_report_formula_name),
    FUNCTION("spzi", memmodel_report_formula),
    FUNCTION("sp", memmodel_report_assumptions),
    FUNCTION("spzp", memmodel_report_unmodelled),
    FUNCTION("ip", memmodel_report_verified),
    FUNCTION("sp", memmodel_report_moment),
    FUNCTION("pp", memmodel_report_trace),
    FUNCTION("ippp", memmodel_report_to_json),
    FUNCTION("ippp", memmodel_report_to_html),
    FUNCTION("pp", memmodel_report_ref),
    FUNCTION("vp", memmodel_report_unref),
    FUNCTION("ippp", memmodel_schedule_new),
    FUNCTION("pp", memmodel_schedule_plan),
    FUNCTION("ipip", memmodel_schedule_buffer),
    FUNCTION("zp", memmodel_schedule_operator_count),
    FUNCTION("ipzp", memmodel_schedule_operator),
    FUNCTION("ipp", memmodel_schedule_summary),
    FUNCTION("pp", memmodel_schedule_ref),
    FUNCTION("vp", memmodel_schedule_unref),
    FUNCTION("ipplp", memmodel_tiling_new),
    FUNCTION("ipp", memmodel_tiling_result),
    FUNCTION("zp", memmodel_tiling_axis_count),
    FUNCTION("ipzp", memmodel_tiling_axis),
    FUNCTION("ipzlp", memmodel_tiling_range),
    FUNCTION("pp", memmodel_tiling_plan),
    FUNCTION("pp", memmodel_tiling_ref),
    FUNCTION("vp", memmodel_tiling_unref),
};

const size_t signature_count = 241;

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
drop_memmodel_budget(void *pointer)
{
    memmodel_budget_unref(pointer);
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
    {"memmodel_budget", drop_memmodel_budget},
    {"memmodel_model", drop_memmodel_model},
    {"memmodel_function", drop_memmodel_function},
    {"memmodel_monitor", drop_memmodel_monitor},
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
