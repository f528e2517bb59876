/* PyTorch: torch/distributed/tensor/experimental/_context_parallel/_attention.py, set_rotate_method and _cp_options. */
#include "frameworks/ring.h"

#include "base/call.h"
#include "memmodel/context.h"

static bool
read_rotation(const struct text_part *value, bool *all_to_all)
{
    *all_to_all = text_part_is(value, "alltoall");
    return *all_to_all || text_part_is(value, "allgather");
}

static int
read_option(memmodel_context *context, const struct call_argument *argument, struct ring_plan *plan)
{
    const struct text_part *key = &argument->key, *value = &argument->value;
    bool known = true;

    if (text_part_is(key, "rotate_method"))
        known = read_rotation(value, &plan->all_to_all);
    else if (text_part_is(key, "load_balance"))
        known = text_part_flag(value, &plan->load_balance);
    else
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "context",
                             "ring has no option \"%.*s\"; it has rotate_method and load_balance",
                             (int)(key->length ? key->length : value->length), key->length ? key->text : value->text);
    if (known)
        return 0;
    return context_error(
        context, MEMMODEL_ERROR_INVALID_ARGUMENT, "context",
        "%.*s cannot be \"%.*s\"; write rotate_method=allgather or alltoall, load_balance=True or False",
        (int)key->length, key->text, (int)value->length, value->text);
}

int
ring_read(memmodel_context *context, const char *text, struct ring_plan *plan)
{
    struct call_argument argument;
    struct call_text call;
    int status = 0;

    *plan = (struct ring_plan){.load_balance = true};
    if (!text || !*text)
        return 0;
    if (!call_read(text, &call) || !text_part_is(&call.name, "ring"))
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "context",
                             "\"%s\" is not modelled; ranks of the axis cp attend by ring, as in "
                             "\"ring(rotate_method=alltoall)\"",
                             text);
    while (!status && call_next(&call, &argument))
        status = read_option(context, &argument, plan);
    return status;
}
