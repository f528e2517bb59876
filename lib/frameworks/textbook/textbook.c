/*
 * The rules of textbooks.
 *
 * "outputs" is Eq. 1 + Eq. 2 of "Memory Consumption Modeling of Deep Learning Workloads" (Dell Technologies):
 * activation maps of all layers times the batch, plus the weights. "cs231n" is the rule of Stanford's CS231n,
 * "Convolutional Neural Networks for Visual Recognition", section "Computational considerations": activations and
 * their gradients, parameters times three (their gradients and the momentum cache), and the input batch.
 */
#include "frameworks/textbook/textbook.h"
#include "base/checked.h"
#include "base/text.h"
#include "frameworks/optimizer.h"

#include <string.h>

static const struct textbook_rule rules[] = {
    {"forward",
     {{MEMMODEL_CATEGORY_PARAMETERS, TEXTBOOK_PARAMETERS, 1},
      {MEMMODEL_CATEGORY_INPUTS, TEXTBOOK_INPUTS, 1},
      {MEMMODEL_CATEGORY_SAVED_ACTIVATIONS, TEXTBOOK_OUTPUTS, 1}},
     3},
    {"outputs",
     {{MEMMODEL_CATEGORY_PARAMETERS, TEXTBOOK_PARAMETERS, 1},
      {MEMMODEL_CATEGORY_SAVED_ACTIVATIONS, TEXTBOOK_OUTPUTS, 1}},
     2},
    {"cs231n",
     {{MEMMODEL_CATEGORY_PARAMETERS, TEXTBOOK_PARAMETERS, 1},
      {MEMMODEL_CATEGORY_GRADIENTS, TEXTBOOK_PARAMETERS, 1},
      {MEMMODEL_CATEGORY_OPTIMIZER_STATE, TEXTBOOK_PARAMETERS, 1},
      {MEMMODEL_CATEGORY_INPUTS, TEXTBOOK_INPUTS, 1},
      {MEMMODEL_CATEGORY_SAVED_ACTIVATIONS, TEXTBOOK_OUTPUTS, 1},
      {MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS, TEXTBOOK_OUTPUTS, 1}},
     6},
    {"slots",
     {{MEMMODEL_CATEGORY_PARAMETERS, TEXTBOOK_PARAMETERS, 1},
      {MEMMODEL_CATEGORY_GRADIENTS, TEXTBOOK_TRAINED, 1},
      {MEMMODEL_CATEGORY_OPTIMIZER_STATE, TEXTBOOK_STATE, 1},
      {MEMMODEL_CATEGORY_INPUTS, TEXTBOOK_INPUTS, 1},
      {MEMMODEL_CATEGORY_SAVED_ACTIVATIONS, TEXTBOOK_OUTPUTS, 1},
      {MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS, TEXTBOOK_OUTPUTS, 1}},
     6},
};

/* ---- rules ---- */

static int
unknown_optimizer(memmodel_context *context, const char *name)
{
    struct text names = TEXT_INIT(context);
    int status;

    optimizer_print_names(&names);
    status = context_error(context, MEMMODEL_ERROR_UNSUPPORTED, name, "unknown optimizer; known are %s",
                           names.failed ? "sgd and adam" : names.bytes);
    text_release(&names);
    return status;
}

static int
slots_of(memmodel_context *context, const char *text, int *slots)
{
    struct optimizer_choice choice;

    if (!optimizer_parse(text, &choice) || choice.id == OPTIMIZERS)
        return unknown_optimizer(context, text);
    *slots = optimizer_slots(&choice);
    return 0;
}

static bool
is_for_training(int category)
{
    return category == MEMMODEL_CATEGORY_GRADIENTS || category == MEMMODEL_CATEGORY_OPTIMIZER_STATE ||
           category == MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS;
}

/* Greatest number of slots that a parameter has. */
static int
max_slots(memmodel_context *context, const char *text, int *max)
{
    struct optimizer_part part;
    int status = 0, slots = 0;

    *max = 0;
    for (const char *rest = text; !status && optimizer_next_part(&rest, &part);) {
        status = slots_of(context, part.optimizer, &slots);
        *max = slots > *max ? slots : *max;
    }
    return status;
}

static void
specialise_rule(struct textbook_rule *rule, const struct memmodel_job *job, int slots)
{
    int kept = 0;

    for (int i = 0; i < rule->term_count; i++) {
        struct textbook_term term = rule->terms[i];

        if (job->mode && is_for_training(term.category))
            continue;
        if (term.quantity != TEXTBOOK_STATE || slots > 0)
            rule->terms[kept++] = term;
    }
    rule->term_count = kept;
}

int
textbook_rule_of_job(memmodel_context *context, const struct memmodel_job *job, struct textbook_rule *rule)
{
    int slots = 0, status = max_slots(context, job->optimizer, &slots);

    if (status)
        return status;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].name, job->textbook_rule) == 0) {
            *rule = rules[i];
            specialise_rule(rule, job, slots);
            return 0;
        }
    }
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, job->textbook_rule,
                         "unknown textbook rule; known are forward, outputs, cs231n and slots");
}

static int
fill_slots(memmodel_context *context, const char *text, const struct optimizer_members *members, int *slots)
{
    struct optimizer_part part;
    size_t index = 0;
    int status = 0;

    for (const char *rest = text; !status && optimizer_next_part(&rest, &part); index++) {
        int each = 0;

        status = slots_of(context, part.optimizer, &each);
        for (size_t i = optimizer_members_begin(members, index); i < members->ends[index]; i++)
            slots[members->parameters[i]] = each;
    }
    return status;
}

int
textbook_slots(memmodel_context *context, const memmodel_network *network, const struct memmodel_job *job, int **slots)
{
    struct optimizer_members members;
    int status = optimizer_members_new(context, network, job->optimizer, &members);
    int *found = status ? NULL : memory_allocate_zeroed(context, network->parameter_count + 1, sizeof *found);

    if (!status && !found)
        status = MEMMODEL_ERROR_NO_MEMORY;
    if (!status)
        status = fill_slots(context, job->optimizer, &members, found);
    optimizer_members_release(context, &members);
    if (status) {
        memory_release(context, found);
        return status;
    }
    *slots = found;
    return 0;
}

int
textbook_categories(memmodel_context *context, const struct textbook_rule *rule,
                    const int64_t quantities[TEXTBOOK_QUANTITY_COUNT], int64_t bytes[MEMMODEL_MAX_CATEGORIES])
{
    memset(bytes, 0, MEMMODEL_MAX_CATEGORIES * sizeof bytes[0]);
    for (int i = 0; i < rule->term_count; i++) {
        const struct textbook_term *term = &rule->terms[i];
        int64_t part;

        if (!checked_multiply(quantities[term->quantity], term->factor, &part) ||
            !checked_accumulate(&bytes[term->category], part))
            return context_error(context, MEMMODEL_ERROR_OVERFLOW, memmodel_category_name(term->category),
                                 "the bytes do not fit in 63 bits");
    }
    return 0;
}

/* ---- quantities ---- */

bool
textbook_is_view(enum op op)
{
    return op == OP_RESHAPE || op == OP_FLATTEN || op == OP_PERMUTE || op == OP_EXPAND || op == OP_SPLIT ||
           op == OP_SLICE;
}

bool
textbook_counts_output(const memmodel_network *network, const struct layer *layer)
{
    size_t next = (size_t)(layer - network->layers) + 1;

    if (layer_is_given(layer) || layer->op == OP_LOSS || textbook_is_view(layer->op))
        return false;
    return next >= network->layer_count || !network->layers[next].fused;
}

bool
textbook_counts_input(const memmodel_network *network, const struct layer *input)
{
    for (size_t i = 0; input->op == OP_INPUT && i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];

        for (int32_t j = 0; layer->op != OP_LOSS && j < layer->input_count; j++)
            if (layer->inputs[j] == input->first_output)
                return true;
    }
    return false;
}

static bool
add_outputs(const struct binding *binding, const struct layer *layer, int64_t *bytes)
{
    for (int32_t i = 0; i < layer->output_count; i++) {
        int64_t output;

        if (!binding_tensor_bytes(binding, layer->first_output + i, &output) || !checked_accumulate(bytes, output))
            return false;
    }
    return true;
}

static bool
add_trained(int64_t parameter, int slots, int64_t bytes[TEXTBOOK_QUANTITY_COUNT])
{
    int64_t state;

    return checked_accumulate(&bytes[TEXTBOOK_TRAINED], parameter) && checked_multiply(parameter, slots, &state) &&
           checked_accumulate(&bytes[TEXTBOOK_STATE], state);
}

static bool
add_parameters(const struct binding *binding, const int *slots, int64_t bytes[TEXTBOOK_QUANTITY_COUNT], size_t *failed)
{
    const memmodel_network *network = binding->network;

    for (size_t i = 0; i < network->parameter_count; i++) {
        int64_t parameter;

        *failed = (size_t)network->parameters[i].layer;
        if (!binding_parameter_bytes(binding, (int32_t)i, &parameter) ||
            !checked_accumulate(&bytes[TEXTBOOK_PARAMETERS], parameter))
            return false;
        if (network->parameters[i].trainable && !add_trained(parameter, slots[i], bytes))
            return false;
    }
    return true;
}

static bool
add_layers(const struct binding *binding, int64_t bytes[TEXTBOOK_QUANTITY_COUNT], size_t *failed)
{
    const memmodel_network *network = binding->network;

    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];
        bool fits = true;

        *failed = i;
        if (textbook_counts_input(network, layer))
            fits = add_outputs(binding, layer, &bytes[TEXTBOOK_INPUTS]);
        else if (textbook_counts_output(network, layer))
            fits = add_outputs(binding, layer, &bytes[TEXTBOOK_OUTPUTS]);
        if (!fits)
            return false;
    }
    return true;
}

int
textbook_count(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
               int64_t bytes[TEXTBOOK_QUANTITY_COUNT])
{
    size_t failed = 0;
    int *slots;
    int status = textbook_slots(context, binding->network, job, &slots);

    if (status)
        return status;
    memset(bytes, 0, TEXTBOOK_QUANTITY_COUNT * sizeof bytes[0]);
    if (!add_parameters(binding, slots, bytes, &failed) || !add_layers(binding, bytes, &failed))
        status = context_error(context, MEMMODEL_ERROR_OVERFLOW, binding->network->layers[failed].name,
                               "the bytes do not fit in 63 bits");
    memory_release(context, slots);
    return status;
}
