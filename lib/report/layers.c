/* The per-layer table: what each layer makes, owns and computes, and what of it is live at the peak. */
#include "base/checked.h"
#include "network/formula.h"
#include "report/report.h"

#include <string.h>

enum { RECENT_SHAPES = 8 };

/* A shape that was printed, and the row that has its texts. */
struct printed_shape {
    const struct tensor *tensor;
    const struct memmodel_report_layer *row;
};

/* What filling the table needs besides the report. */
struct table {
    memmodel_report *report;
    const struct query *query;
    const struct result *result;
    struct formula_space *space;
    int32_t *row_of;                            /* row of each layer of the network */
    struct printed_shape recent[RECENT_SHAPES]; /* most layers have the shape of one not far before */
    size_t printed;
};

static int
overflow(const struct table *table, const struct layer *layer)
{
    return context_error(table->query->context, MEMMODEL_ERROR_OVERFLOW, layer->name,
                         "a count does not fit in 63 bits");
}

/* ---- shapes as text ---- */

static int
keep_text(memmodel_report *report, struct text *text, const char **kept)
{
    if (!text->failed)
        *kept = arena_copy_text(&report->arena, text->bytes ? text->bytes : "");
    else
        *kept = NULL;
    text_release(text);
    return *kept ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static const struct printed_shape *
find_printed(const struct table *table, const struct tensor *tensor)
{
    for (size_t i = 0; i < RECENT_SHAPES && table->recent[i].tensor; i++) {
        const struct tensor *other = table->recent[i].tensor;

        if (other->rank == tensor->rank &&
            memcmp(other->dims, tensor->dims, (size_t)tensor->rank * sizeof *tensor->dims) == 0)
            return &table->recent[i];
    }
    return NULL;
}

static int
print_shapes(const struct table *table, const struct tensor *tensor, struct memmodel_report_layer *row)
{
    struct text numbers = TEXT_INIT(table->query->context), symbols = TEXT_INIT(table->query->context);
    int status;

    for (int32_t i = 0; i < tensor->rank; i++) {
        text_append(&numbers, i ? "x" : "");
        text_append_unsigned(&numbers, (uint64_t)binding_dim(&table->query->binding, tensor->dims[i]));
        text_append(&symbols, i ? " x " : "");
        if (tensor->dims[i] >= 0)
            text_append_unsigned(&symbols, (uint64_t)tensor->dims[i]);
        else
            expression_print(formula_pool(table->space), formula_dim(table->space, tensor->dims[i]), EXPRESSION_TEXT,
                             &symbols);
    }
    if (tensor->rank == 0) {
        text_append(&numbers, "scalar");
        text_append(&symbols, "scalar");
    }
    status = keep_text(table->report, &numbers, &row->shape);
    if (status) {
        text_release(&symbols);
        return status;
    }
    return keep_text(table->report, &symbols, &row->symbolic_shape);
}

static int
add_shapes(struct table *table, const struct tensor *tensor, struct memmodel_report_layer *row)
{
    const struct printed_shape *printed = find_printed(table, tensor);
    int status;

    if (printed) {
        row->shape = printed->row->shape;
        row->symbolic_shape = printed->row->symbolic_shape;
        return 0;
    }
    status = print_shapes(table, tensor, row);
    table->recent[table->printed++ % RECENT_SHAPES] = (struct printed_shape){tensor, row};
    return status;
}

/* ---- counts ---- */

static bool
add_outputs(const struct table *table, const struct layer *layer, struct memmodel_report_layer *row)
{
    const struct binding *binding = &table->query->binding;

    for (int32_t i = 0; i < layer->output_count; i++) {
        const struct tensor *tensor = &binding->network->tensors[layer->first_output + i];
        int64_t elements, bytes;

        if (!binding_elements(binding, tensor->dims, tensor->rank, &elements) ||
            !binding_tensor_bytes(binding, layer->first_output + i, &bytes) ||
            !checked_accumulate(&row->activation_count, elements) || !checked_accumulate(&row->output_bytes, bytes))
            return false;
    }
    return true;
}

static bool
add_parameter(const struct binding *binding, int32_t index, struct memmodel_report_layer *row)
{
    const struct parameter *parameter = &binding->network->parameters[index];
    int64_t elements, bytes;

    if (!binding_elements(binding, parameter->dims, parameter->rank, &elements) ||
        !binding_parameter_bytes(binding, index, &bytes))
        return false;
    if (parameter->trainable && !checked_accumulate(&row->trainable_count, elements))
        return false;
    return checked_accumulate(&row->parameter_count, elements) && checked_accumulate(&row->parameter_bytes, bytes);
}

static bool
add_own_parameters(const struct table *table, const struct layer *layer, struct memmodel_report_layer *row)
{
    const memmodel_network *network = table->query->network;
    int32_t index = (int32_t)(layer - network->layers);

    for (int32_t i = 0; i < layer->parameter_count; i++)
        if (network->parameters[layer->parameters[i]].layer == index &&
            !add_parameter(&table->query->binding, layer->parameters[i], row))
            return false;
    return true;
}

static bool
add_multiply_adds(const struct table *table, const struct layer *layer, struct memmodel_report_layer *row)
{
    int64_t count;

    return binding_multiply_adds(&table->query->binding, layer, &count) &&
           checked_accumulate(&row->multiply_adds, count);
}

/* ---- rows ---- */

static int
fill_row(struct table *table, const struct layer *layer, struct memmodel_report_layer *row)
{
    memmodel_report *report = table->report;

    if (!layer->fused) {
        row->size = sizeof *row;
        row->name = arena_copy_text(&report->arena, layer->name);
        row->op = op_name(layer->op);
        if (!row->name || add_shapes(table, &table->query->network->tensors[layer->first_output], row))
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    if (textbook_counts_output(table->query->network, layer) && !add_outputs(table, layer, row))
        return overflow(table, layer);
    if (!add_own_parameters(table, layer, row) || !add_multiply_adds(table, layer, row))
        return overflow(table, layer);
    return 0;
}

enum { NODES_PER_ROW = 10 }; /* its texts are printed, and take as many microseconds */

static int
fill_rows(struct table *table)
{
    const memmodel_network *network = table->query->network;
    memmodel_report *report = table->report;

    for (size_t i = 0; i < network->layer_count; i++) {
        int status = context_check(table->query->context, NODES_PER_ROW);

        if (status)
            return status;
        if (!network->layers[i].fused)
            report->layer_count++;
        table->row_of[i] = (int32_t)report->layer_count - 1;
        status = fill_row(table, &network->layers[i], &report->layers[report->layer_count - 1]);
        if (status)
            return status;
    }
    return 0;
}

/* Blocks that no layer owns count in the total alone. */
static void
add_peaks(struct table *table)
{
    const struct memmodel_trace *trace = table->result->simulation.trace;
    memmodel_report *report = table->report;

    for (size_t i = 0; trace && i < trace->block_count; i++) {
        const struct trace_block *block = &trace->blocks[i];
        int64_t bytes = result_live_at_peak(table->result, block);

        if (bytes == 0)
            continue;
        if (block->layer >= 0) {
            struct memmodel_report_layer *row = &report->layers[table->row_of[block->layer]];

            row->peak_by_category[block->category] += bytes;
            row->peak_bytes += bytes;
        }
        report->total.peak_by_category[block->category] += bytes;
        report->total.peak_bytes += bytes;
    }
}

static int
add_totals(memmodel_context *context, memmodel_report *report)
{
    struct memmodel_report_layer *total = &report->total;

    for (size_t i = 0; i < report->layer_count; i++) {
        const struct memmodel_report_layer *row = &report->layers[i];

        if (!checked_accumulate(&total->activation_count, row->activation_count) ||
            !checked_accumulate(&total->output_bytes, row->output_bytes) ||
            !checked_accumulate(&total->parameter_count, row->parameter_count) ||
            !checked_accumulate(&total->trainable_count, row->trainable_count) ||
            !checked_accumulate(&total->parameter_bytes, row->parameter_bytes) ||
            !checked_accumulate(&total->multiply_adds, row->multiply_adds))
            return context_error(context, MEMMODEL_ERROR_OVERFLOW, row->name, "a total does not fit in 63 bits");
    }
    return 0;
}

int
report_add_layers(memmodel_report *report, const struct query *query, const struct result *result,
                  struct formula_space *space)
{
    const memmodel_network *network = query->network;
    struct table table = {.report = report, .query = query, .result = result, .space = space};
    int status;

    report->layers = arena_allocate(&report->arena, (network->layer_count + 1) * sizeof *report->layers);
    table.row_of = memory_allocate(query->context, (network->layer_count + 1) * sizeof *table.row_of);
    if (!report->layers || !table.row_of) {
        memory_release(query->context, table.row_of);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    memset(report->layers, 0, (network->layer_count + 1) * sizeof *report->layers);
    status = fill_rows(&table);
    if (!status) {
        add_peaks(&table);
        status = add_totals(query->context, report);
    }
    memory_release(query->context, table.row_of);
    return status;
}
