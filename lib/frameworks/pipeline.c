#include "frameworks/pipeline.h"

#include "base/text.h"
#include "memmodel/context.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[PIPELINE_KINDS] = {
    [PIPELINE_NONE] = "none",
    [PIPELINE_GPIPE] = "gpipe",
    [PIPELINE_1F1B] = "1f1b",
    [PIPELINE_INTERLEAVED] = "interleaved",
};

/* A call whose name may begin with a digit. */
static bool
read_call(const char *text, struct call_text *call)
{
    static const char one[] = "1f1b";
    struct call_text rest;

    if (strncmp(text, one, sizeof one - 1) != 0)
        return call_read(text, call);
    if (!call_read(text + 1, &rest)) /* "f1b(...)" */
        return false;
    *call = rest;
    call->name = (struct text_part){text, rest.name.length + 1};
    return true;
}

static bool
read_count(const struct text_part *value, int64_t *count)
{
    enum { MAX_COUNT = 1 << 20 };
    double number;

    if (!text_part_number(value, &number) || number < 1 || number > MAX_COUNT)
        return false;
    *count = (int64_t)number;
    return (double)*count == number;
}

static int
read_option(memmodel_context *context, const struct call_argument *argument, struct pipeline_plan *plan)
{
    const struct text_part *key = &argument->key, *value = &argument->value;
    bool known = true;

    if (key->length == 0 || text_part_is(key, "cut"))
        plan->stages++;
    else if (text_part_is(key, "microbatches"))
        known = read_count(value, &plan->microbatches);
    else if (text_part_is(key, "return_outputs"))
        known = text_part_flag(value, &plan->return_outputs);
    else if (text_part_is(key, "scale_grads"))
        known = text_part_flag(value, &plan->scale_grads);
    else
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                             "a pipeline has no option \"%.*s\"; it has microbatches, cut, return_outputs, scale_grads",
                             (int)key->length, key->text);
    if (known)
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline", "%.*s cannot be \"%.*s\"",
                         (int)key->length, key->text, (int)value->length, value->text);
}

static int
check_counts(memmodel_context *context, int64_t ranks, const struct pipeline_plan *plan)
{
    int64_t per_rank = plan->stages / ranks;

    if (plan->kind == PIPELINE_INTERLEAVED ? plan->stages % ranks != 0 || per_rank < 2 : plan->stages != ranks)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                             "%" PRId64 " stages for %" PRId64 " ranks of the axis pp; %s needs %s, each but the first "
                             "named by the module that it begins with, as in cut=layers.4",
                             plan->stages, ranks, names[plan->kind],
                             plan->kind == PIPELINE_INTERLEAVED ? "two or more for each" : "one for each");
    if (plan->microbatches == 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                             "into how many parts is a batch cut? write microbatches=8");
    if (plan->kind == PIPELINE_1F1B && plan->microbatches < plan->stages)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                             "1f1b needs at least as many microbatches as stages, %" PRId64, plan->stages);
    if (plan->kind == PIPELINE_INTERLEAVED &&
        plan->microbatches % (plan->microbatches / ranks ? plan->microbatches / ranks : 1))
        return context_error(
            context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
            "interleaved needs microbatches that are a multiple of their rounds over %" PRId64 " ranks", ranks);
    return 0;
}

int
pipeline_read(memmodel_context *context, const char *text, int64_t ranks, struct pipeline_plan *plan)
{
    struct call_argument argument;
    struct call_text call;
    int kind = PIPELINE_GPIPE, status = 0;

    *plan = (struct pipeline_plan){.return_outputs = true, .scale_grads = true, .stages = 1};
    if (!text || !*text)
        return 0;
    if (!read_call(text, &plan->call))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                             "\"%s\" is no call, such as \"1f1b(microbatches=8, cut=layers.4)\"", text);
    while (kind < PIPELINE_KINDS && !text_part_is(&plan->call.name, names[kind]))
        kind++;
    if (kind == PIPELINE_KINDS)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "pipeline",
                             "no schedule is called \"%.*s\"; there are gpipe, 1f1b and interleaved",
                             (int)plan->call.name.length, plan->call.name.text);
    plan->kind = (enum pipeline_kind)kind;
    call = plan->call;
    while (!status && call_next(&call, &argument))
        status = read_option(context, &argument, plan);
    return status ? status : check_counts(context, ranks, plan);
}

bool
pipeline_next_cut(struct call_text *call, struct text_part *cut)
{
    struct call_argument argument;

    while (call_next(call, &argument))
        if (argument.key.length == 0 || text_part_is(&argument.key, "cut")) {
            *cut = argument.value;
            return true;
        }
    return false;
}
