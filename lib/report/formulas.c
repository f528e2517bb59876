/* Closed formulas: the textbook's sums in the network's symbols. */
#include "network/formula.h"
#include "report/report.h"

/* The quantities as expressions of the space. */
struct quantities {
    expression bytes[TEXTBOOK_QUANTITY_COUNT];
};

static expression
times(struct expression_pool *pool, expression elements, int64_t factor)
{
    return expression_multiply(pool, elements, expression_integer(pool, factor));
}

static void
accumulate(struct expression_pool *pool, expression *total, expression part)
{
    *total = expression_add(pool, *total, part);
}

static void
add_outputs(struct formula_space *space, const memmodel_network *network, const struct layer *layer, expression *total)
{
    for (int32_t i = 0; i < layer->output_count; i++) {
        memmodel_tensor tensor = layer->first_output + i;

        accumulate(formula_pool(space), total,
                   times(formula_pool(space), formula_tensor_elements(space, tensor),
                         dtype_bytes(network->tensors[tensor].dtype)));
    }
}

static void
add_layers(struct formula_space *space, const memmodel_network *network, struct quantities *quantities)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];

        if (textbook_counts_input(network, layer))
            add_outputs(space, network, layer, &quantities->bytes[TEXTBOOK_INPUTS]);
        else if (textbook_counts_output(network, layer))
            add_outputs(space, network, layer, &quantities->bytes[TEXTBOOK_OUTPUTS]);
    }
}

static void
add_parameters(struct formula_space *space, const memmodel_network *network, const int *slots,
               struct quantities *quantities)
{
    struct expression_pool *pool = formula_pool(space);

    for (size_t i = 0; i < network->parameter_count; i++) {
        const struct parameter *parameter = &network->parameters[i];
        expression bytes = times(pool, formula_parameter_elements(space, (int32_t)i), dtype_bytes(parameter->dtype));

        accumulate(pool, &quantities->bytes[TEXTBOOK_PARAMETERS], bytes);
        if (!parameter->trainable)
            continue;
        accumulate(pool, &quantities->bytes[TEXTBOOK_TRAINED], bytes);
        accumulate(pool, &quantities->bytes[TEXTBOOK_STATE], times(pool, bytes, slots[i]));
    }
}

static int
add_formula(memmodel_report *report, const struct query *query, struct formula_space *space, const char *name,
            expression bytes)
{
    struct formula *formula = &report->formulas[report->formula_count];

    if (bytes < 0)
        return bytes;
    formula->name = name;
    for (int language = 0; language < LANGUAGE_COUNT; language++) {
        struct text text = TEXT_INIT(query->context);

        expression_print(formula_pool(space), bytes, (enum expression_language)language, &text);
        formula->text[language] = text.failed ? NULL : arena_copy_text(&report->arena, text.bytes ? text.bytes : "0");
        text_release(&text);
        if (!formula->text[language])
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    report->formula_count++;
    return 0;
}

static int
add_rule(memmodel_report *report, const struct query *query, struct formula_space *space,
         const struct textbook_rule *rule, const struct quantities *quantities)
{
    struct expression_pool *pool = formula_pool(space);
    expression total = expression_integer(pool, 0);
    int status = 0;

    for (int i = 0; !status && i < rule->term_count; i++) {
        const struct textbook_term *term = &rule->terms[i];
        expression bytes = times(pool, quantities->bytes[term->quantity], term->factor);

        accumulate(pool, &total, bytes);
        status = add_formula(report, query, space, memmodel_category_name(term->category), bytes);
    }
    if (!status)
        status = add_formula(report, query, space, "layer outputs", quantities->bytes[TEXTBOOK_OUTPUTS]);
    if (!status)
        status = add_formula(report, query, space, "total", total);
    return status;
}

static int
add_assumptions(memmodel_report *report, const struct query *query, const struct formula_space *space)
{
    struct text text = TEXT_INIT(query->context);

    for (size_t i = 0; i < formula_assumption_count(space); i++) {
        int64_t multiple;
        const char *symbol = formula_assumption(space, i, &multiple);

        text_printf(&text, "%s%s is a multiple of %lld", i ? ", " : "", symbol, (long long)multiple);
    }
    report->result.assumptions = text.failed ? NULL : arena_copy_text(&report->arena, text.bytes ? text.bytes : "");
    text_release(&text);
    return report->result.assumptions ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

int
report_add_formulas(memmodel_report *report, const struct query *query, struct formula_space *space)
{
    struct quantities quantities;
    struct textbook_rule rule;
    int *slots;
    int status = textbook_rule_of_job(query->context, &query->job, &rule);

    if (status)
        return status;
    report->formulas = arena_allocate(&report->arena, (TEXTBOOK_MAX_TERMS + 2) * sizeof *report->formulas);
    if (!report->formulas)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (int i = 0; i < TEXTBOOK_QUANTITY_COUNT; i++)
        quantities.bytes[i] = expression_integer(formula_pool(space), 0);
    status = textbook_slots(query->context, query->network, &query->job, &slots);
    if (status)
        return status;
    add_parameters(space, query->network, slots, &quantities);
    memory_release(query->context, slots);
    add_layers(space, query->network, &quantities);
    for (int i = 0; i < TEXTBOOK_QUANTITY_COUNT; i++)
        if (quantities.bytes[i] < 0) /* even if the rule does not ask for it: memory ran out */
            return quantities.bytes[i];
    status = add_rule(report, query, space, &rule, &quantities);
    return status ? status : add_assumptions(report, query, space);
}
