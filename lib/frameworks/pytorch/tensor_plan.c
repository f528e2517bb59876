/*
 * A tensor plan, "colwise=layers.*.(q|k|v|up), rowwise=layers.*.(o|down), vocab=emb,head, sequence, loss_parallel": what
 * parallelize_module() is given. PyTorch: torch/distributed/tensor/parallel/style.py.
 */
#include "frameworks/pytorch/modules.h"
#include "frameworks/pytorch/tensor_parallel.h"

#include <string.h>

enum plan_key { KEY_COLWISE, KEY_ROWWISE, KEY_VOCAB, KEY_GATHER, KEYS };

static const char *const key_names[KEYS] = {"colwise", "rowwise", "vocab", "gather"};

struct reading {
    memmodel_context *context;
    const struct memmodel_network *network;
    struct tensor_plan *plan;
    enum plan_key key; /* that names belong to; KEYS: none yet */
};

/* ---- modules ---- */

static enum tensor_style
style_of(enum plan_key key, enum op op)
{
    if (op == OP_EMBEDDING)
        return key == KEY_COLWISE ? TENSOR_WHOLE : TENSOR_VOCABULARY;
    return key == KEY_COLWISE ? TENSOR_COLWISE : key == KEY_ROWWISE ? TENSOR_ROWWISE : TENSOR_HEAD;
}

/* The module's only Linear or Embedding. */
static int
set_style(const struct reading *reading, const struct module_run *module)
{
    int count = 0;

    for (int32_t i = module->first; i < module->end; i++) {
        const struct layer *layer = &reading->network->layers[i];
        enum tensor_style style = style_of(reading->key, layer->op);

        if (layer->op == OP_PARAMETER || layer->parameter_count == 0)
            continue;
        if ((layer->op != OP_LINEAR && layer->op != OP_EMBEDDING) || style == TENSOR_WHOLE || ++count > 1)
            return context_error(reading->context, MEMMODEL_ERROR_UNSUPPORTED, module->name,
                                 "%s= takes modules that are one Linear%s each, and this has %s \"%s\"",
                                 key_names[reading->key], reading->key == KEY_COLWISE ? "" : " or Embedding",
                                 count > 1 ? "another," : "", layer->name);
        reading->plan->styles[i] = (unsigned char)style;
    }
    if (count == 1)
        return 0;
    return context_error(reading->context, MEMMODEL_ERROR_UNSUPPORTED, module->name,
                         "%s= takes modules that are one Linear or Embedding each, and this has none",
                         key_names[reading->key]);
}

static int
name_module(const struct reading *reading, size_t index, const struct module_run *module)
{
    if (reading->key != KEY_GATHER)
        return set_style(reading, module);
    if (index < reading->network->scope_count)
        reading->plan->gathers[index] = 1;
    return 0;
}

/* All modules that a pattern names. */
static int
name_modules(const struct reading *reading, struct text_part pattern)
{
    const struct memmodel_network *network = reading->network;
    struct module_run module;
    bool found = false;
    int status = 0;

    for (size_t i = 0; i < module_count(network) && !status; i++) {
        if ((i >= network->scope_count && found) || !module_at(network, i, &module) ||
            !module_is_named(pattern, module.name))
            continue;
        found = true;
        status = name_module(reading, i, &module);
    }
    if (found)
        return status;
    return module_missing(network, reading->context, "tensor", "", pattern);
}

/* ---- the text ---- */

static int
set_key(struct reading *reading, const struct text_part *key)
{
    int i = 0;

    while (i < KEYS && !text_part_is(key, key_names[i]))
        i++;
    reading->key = (enum plan_key)i;
    if (i < KEYS)
        return 0;
    return context_error(reading->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "tensor",
                         "a tensor plan has no \"%.*s\"; it has colwise=, rowwise=, vocab=, gather=, sequence and "
                         "loss_parallel",
                         (int)key->length, key->text);
}

static int
read_part(struct reading *reading, const struct call_argument *part)
{
    int status = part->key.length ? set_key(reading, &part->key) : 0;

    if (status)
        return status;
    if (!part->key.length && text_part_is(&part->value, "sequence")) {
        reading->plan->sequence = true;
        return 0;
    }
    if (!part->key.length && text_part_is(&part->value, "loss_parallel")) {
        reading->plan->loss = true;
        return 0;
    }
    if (reading->key == KEYS)
        return context_error(reading->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "tensor",
                             "\"%.*s\" belongs to nothing; write colwise=%.*s or another of rowwise=, vocab=, gather=",
                             (int)part->value.length, part->value.text, (int)part->value.length, part->value.text);
    return name_modules(reading, part->value);
}

static int
check_loss(const struct reading *reading)
{
    size_t heads = 0;

    for (size_t i = 0; i < reading->network->layer_count; i++)
        heads += reading->plan->styles[i] == TENSOR_HEAD;
    if (!reading->plan->loss || heads > 0)
        return 0;
    return context_error(
        reading->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "tensor",
        "loss_parallel is of logits whose vocabulary is cut; write vocab= with the Linear that makes them");
}

/* Layers of a rank's stages have the styles of the job's. */
static void
find_styles(struct step *step, struct tensor_plan *plan)
{
    size_t count = step->network->layer_count;
    unsigned char *styles = step_arena_allocate(step, count + 1);

    for (size_t i = 0; styles && i < count; i++)
        styles[i] = step->network->layers[i].parameter_count > 0 ? plan->styles[step_origin(step, (int32_t)i)]
                                                                 : (unsigned char)TENSOR_WHOLE;
    plan->styles = styles;
}

int
tensor_plan_read(struct step *step, struct tensor_plan *plan)
{
    const char *text = step->parallel.tensor ? step->parallel.tensor : "";
    struct call_text parts = {.rest = {text, strlen(text)}};
    struct reading reading = {step->context, step->asked, plan, KEYS};
    struct call_argument part;
    int status = 0;

    plan->sequence = plan->loss = false;
    plan->styles = step_arena_allocate(step, step->asked->layer_count + 1);
    plan->gathers = step_arena_allocate(step, step->asked->scope_count + 1);
    if (step->status)
        return step->status;
    memset(plan->styles, TENSOR_WHOLE, step->asked->layer_count + 1);
    memset(plan->gathers, 0, step->asked->scope_count + 1);
    while (!status && call_next(&parts, &part))
        status = read_part(&reading, &part);
    if (!status)
        status = check_loss(&reading);
    if (!status)
        find_styles(step, plan);
    return status ? status : step->status;
}
