/* memmodel_plan: buffers, and the result of solving them. */
#include "plan/plan.h"

#include "base/checked.h"
#include "base/choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t MAX_BYTES = INT64_MAX / 8; /* of all buffers, and of an offset: sums of them cannot overflow */
static const int64_t LAST_TIME = INT64_MAX / 2; /* and the first is as far below 0: no span overflows, nor do sums of
                                                     spans that do not overlap */

/* ---- life ---- */

int
memmodel_plan_new(memmodel_context *context, memmodel_plan **plan)
{
    memmodel_plan *new;

    if (!context || !plan)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    new = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    *new = (struct memmodel_plan){
        .context = memmodel_context_ref(context), .arena = ARENA_INIT(context), .result = {.size = sizeof new->result}};
    atomic_init(&new->references, 1);
    *plan = new;
    return 0;
}

DEFINE_REF(memmodel_plan)

void
memmodel_plan_unref(memmodel_plan *plan)
{
    memmodel_context *context;

    if (!plan || atomic_fetch_sub(&plan->references, 1) > 1)
        return;
    context = plan->context;
    arena_release(&plan->arena);
    memory_release(context, plan->buffers);
    memory_release(context, plan->offsets);
    plan_table_release(plan);
    memory_release(context, plan);
    memmodel_context_unref(context);
}

/* ---- buffers ---- */

size_t
plan_base(const memmodel_plan *plan, size_t buffer, int64_t *displacement)
{
    int64_t into = 0;

    while (plan->buffers[buffer].base != buffer) {
        into += plan->buffers[buffer].displacement;
        buffer = plan->buffers[buffer].base;
    }
    *displacement = into;
    return buffer;
}

static int
refuse(const memmodel_plan *plan, const char *name, const char *what, int64_t number)
{
    char unnamed[32];

    snprintf(unnamed, sizeof unnamed, "buffer %zu", plan->count);
    return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name && name[0] ? name : unnamed,
                         "%s: %" PRId64, what, number);
}

static int
check_buffer(const memmodel_plan *plan, const struct memmodel_plan_buffer *buffer)
{
    int64_t alignment = buffer->alignment;

    if (buffer->reserved)
        return refuse(plan, buffer->name, "its reserved field must be 0", buffer->reserved);
    if (flag_check(plan->context, buffer->name, "fixed", buffer->fixed))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (buffer->bytes <= 0)
        return refuse(plan, buffer->name, "its size must be above 0", buffer->bytes);
    if (buffer->lower < -LAST_TIME - 1)
        return refuse(plan, buffer->name, "its lifetime must not begin before -2^62", buffer->lower);
    if (buffer->upper > LAST_TIME)
        return refuse(plan, buffer->name, "its lifetime must end before 2^62", buffer->upper);
    if (buffer->upper <= buffer->lower)
        return refuse(plan, buffer->name, "its life must end after it begins, not at", buffer->upper);
    if (alignment < 0 || (alignment & (alignment - 1)))
        return refuse(plan, buffer->name, "its alignment must be a power of two", alignment);
    if (buffer->fixed && buffer->offset < 0)
        return refuse(plan, buffer->name, "it is fixed at a negative offset", buffer->offset);
    if (buffer->fixed && alignment && buffer->offset % alignment)
        return refuse(plan, buffer->name, "it is fixed at an offset that is no multiple of its alignment",
                      buffer->offset);
    return 0;
}

/* Solved offsets do not hold for other buffers. */
void
plan_forget_offsets(memmodel_plan *plan)
{
    memory_release(plan->context, plan->offsets);
    plan->offsets = NULL;
    plan->result = (struct memmodel_plan_result){.size = sizeof plan->result};
}

/* What a buffer may add to the height of an arena, checked so that no sum of them overflows. */
static int
count_bytes(memmodel_plan *plan, const struct memmodel_plan_buffer *buffer)
{
    int64_t max = plan->max_height;

    if (!checked_accumulate(&max, buffer->bytes) || !checked_accumulate(&max, buffer->alignment) ||
        (buffer->fixed && !checked_accumulate(&max, buffer->offset)) || max > MAX_BYTES)
        return context_error(plan->context, MEMMODEL_ERROR_OVERFLOW, buffer->name,
                             "the sizes of all buffers together exceed %" PRId64 " bytes", MAX_BYTES);
    plan->max_height = max;
    plan->total += buffer->bytes;
    return 0;
}

int
memmodel_plan_add_buffer(memmodel_plan *plan, const struct memmodel_plan_buffer *buffer)
{
    struct memmodel_plan_buffer own = {0};
    const char *name;
    int status;

    if (!plan || !buffer)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = options_copy(plan->context, "struct memmodel_plan_buffer", buffer, &own, sizeof own);
    if (!status)
        status = check_buffer(plan, &own);
    if (!status)
        status = array_reserve(plan->context, &plan->buffers, &plan->capacity, plan->count + 1, sizeof *plan->buffers);
    if (status)
        return context_status(plan->context, status);
    name = own.name && own.name[0] ? arena_copy_text(&plan->arena, own.name) : "";
    if (!name)
        return context_status(plan->context, MEMMODEL_ERROR_NO_MEMORY);
    status = count_bytes(plan, &own);
    if (status)
        return status;
    plan_forget_offsets(plan);
    plan->buffers[plan->count] = (struct plan_buffer){.name = name,
                                                      .bytes = own.bytes,
                                                      .begin = own.lower,
                                                      .end = own.upper,
                                                      .alignment = max_i64(own.alignment, 1),
                                                      .offset = own.fixed ? own.offset : -1,
                                                      .base = plan->count};
    plan->count++;
    return 0;
}

static int
no_such_buffer(const memmodel_plan *plan, size_t buffer)
{
    return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no buffer %zu", buffer);
}

int
memmodel_plan_add_gap(memmodel_plan *plan, size_t buffer, int64_t begin, int64_t end)
{
    struct plan_buffer *given;
    struct plan_gap *gap;

    if (!plan)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (buffer >= plan->count)
        return no_such_buffer(plan, buffer);
    given = &plan->buffers[buffer];
    if (end <= begin || begin <= given->begin || end >= given->end ||
        (given->last_gap && begin <= given->last_gap->end))
        return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, given->name,
                             "a gap from %" PRId64 " to %" PRId64 " is not within its life, after the gaps before",
                             begin, end);
    gap = arena_allocate(&plan->arena, sizeof *gap);
    if (!gap)
        return context_status(plan->context, MEMMODEL_ERROR_NO_MEMORY);
    *gap = (struct plan_gap){begin, end, NULL};
    *(given->last_gap ? &given->last_gap->next : &given->gaps) = gap;
    given->last_gap = gap;
    plan_forget_offsets(plan);
    return 0;
}

int
memmodel_plan_add_alias(memmodel_plan *plan, size_t buffer, size_t base, int64_t displacement)
{
    int64_t into, max;

    if (!plan)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (buffer >= plan->count || base >= plan->count)
        return no_such_buffer(plan, buffer >= plan->count ? buffer : base);
    if (plan->buffers[buffer].base != buffer)
        return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, plan->buffers[buffer].name,
                             "it shares the memory of another buffer already");
    if (displacement < 0)
        return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, plan->buffers[buffer].name,
                             "it cannot begin before the buffer whose memory it shares");
    if (plan_base(plan, base, &into) == buffer)
        return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, plan->buffers[buffer].name,
                             "it would share its own memory");
    max = plan->max_height;
    if (!checked_accumulate(&max, displacement) || max > MAX_BYTES)
        return context_error(plan->context, MEMMODEL_ERROR_OVERFLOW, plan->buffers[buffer].name,
                             "it begins too far into the other buffer");
    plan->max_height = max;
    plan->buffers[buffer].base = base;
    plan->buffers[buffer].displacement = displacement;
    plan_forget_offsets(plan);
    return 0;
}

/* ---- asking ---- */

size_t
memmodel_plan_buffer_count(const memmodel_plan *plan)
{
    return plan ? plan->count : 0;
}

int
memmodel_plan_get_buffer(const memmodel_plan *plan, size_t index, struct memmodel_plan_buffer *buffer)
{
    const struct plan_buffer *given;
    struct memmodel_plan_buffer own;

    if (!plan || !buffer)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (index >= plan->count)
        return no_such_buffer(plan, index);
    given = &plan->buffers[index];
    own = (struct memmodel_plan_buffer){
        .size = sizeof own,
        .name = given->name,
        .bytes = given->bytes,
        .lower = given->begin,
        .upper = given->end,
        .alignment = given->alignment,
        .offset = plan->offsets ? plan->offsets[index] : -1,
        .fixed = given->offset >= 0,
    };
    return result_copy(&own, sizeof own, buffer);
}

int
memmodel_plan_get_result(const memmodel_plan *plan, struct memmodel_plan_result *result)
{
    if (!plan || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&plan->result, sizeof plan->result, result);
}
