/* memmodel_chain: blocks one after the other, and the schedule that runs them within a budget. */
#include "recompute/chain.h"

#include "base/environment.h"
#include "base/checked.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { DEFAULT_SLOTS = 500, MAX_SLOTS = 100000 };

/* The sum of all a chain may hold, so that no sum of parts overflows. */
#define MAX_BYTES (INT64_MAX / 4)

/* ---- life ---- */

int
memmodel_chain_new(memmodel_context *context, int64_t output, memmodel_chain **chain)
{
    memmodel_chain *new;

    if (!context || !chain)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (output < 0 || output > MAX_BYTES)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "output",
                             "a chain's output cannot have %" PRId64 " bytes", output);
    new = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    *new = (struct memmodel_chain){.context = memmodel_context_ref(context),
                                   .arena = ARENA_INIT(context),
                                   .output = output,
                                   .total = 2 * output,
                                   .result = {.size = sizeof new->result}};
    atomic_init(&new->references, 1);
    *chain = new;
    return 0;
}

DEFINE_REF(memmodel_chain)

static void
forget_schedule(memmodel_chain *chain)
{
    memory_release(chain->context, chain->schedule.steps);
    chain->schedule = (struct chain_schedule){0};
    chain->result = (struct memmodel_chain_result){.size = sizeof chain->result};
}

void
memmodel_chain_unref(memmodel_chain *chain)
{
    memmodel_context *context;

    if (!chain || atomic_fetch_sub(&chain->references, 1) > 1)
        return;
    context = chain->context;
    forget_schedule(chain);
    arena_release(&chain->arena);
    memory_release(context, chain->blocks);
    memory_release(context, chain);
    memmodel_context_unref(context);
}

/* ---- blocks ---- */

static int
refuse(const memmodel_chain *chain, const char *name, const char *what)
{
    char unnamed[32];

    snprintf(unnamed, sizeof unnamed, "block %zu", chain->count);
    return context_error(chain->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name && *name ? name : unnamed, "%s", what);
}

/* Of what the block before has made. */
static int
check_input(const memmodel_chain *chain, const struct chain_block *before, const char *name, int64_t input)
{
    if (before->saved >= input)
        return 0;
    return context_error(chain->context, MEMMODEL_ERROR_INVALID_ARGUMENT, before->name,
                         "it saves %" PRId64 " bytes, its output included, but %s has %" PRId64, before->saved, name,
                         input);
}

static int
check_block(const memmodel_chain *chain, const struct memmodel_chain_block *block)
{
    if (block->input_bytes < 0 || block->saved_bytes < 0 || block->forward_workspace_bytes < 0 ||
        block->backward_workspace_bytes < 0)
        return refuse(chain, block->name, "its bytes must not be negative");
    if (!(block->forward_cost >= 0 && block->backward_cost >= 0) || !isfinite(block->forward_cost) ||
        !isfinite(block->backward_cost))
        return refuse(chain, block->name, "its costs must be 0 or more, and finite");
    if (chain->count == 0)
        return 0;
    return check_input(chain, &chain->blocks[chain->count - 1], "the input of the next block", block->input_bytes);
}

/* All that is held at a time is less than inputs and their gradients, what is saved, and what is used for a while. */
static int
count_bytes(memmodel_chain *chain, const struct memmodel_chain_block *block)
{
    const int64_t parts[] = {block->input_bytes, block->input_bytes, block->saved_bytes, block->forward_workspace_bytes,
                             block->backward_workspace_bytes};
    int64_t total = chain->total;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!checked_accumulate(&total, parts[i]) || total > MAX_BYTES)
            return context_error(chain->context, MEMMODEL_ERROR_OVERFLOW, block->name,
                                 "the bytes of all blocks together exceed %" PRId64, MAX_BYTES);
    chain->total = total;
    return 0;
}

/* A block without a name is called by its number. */
static const char *
block_name(memmodel_chain *chain, const char *name)
{
    char unnamed[32];

    snprintf(unnamed, sizeof unnamed, "block %zu", chain->count);
    return arena_copy_text(&chain->arena, name && *name ? name : unnamed);
}

int
memmodel_chain_add_block(memmodel_chain *chain, const struct memmodel_chain_block *block)
{
    struct memmodel_chain_block own = {0};
    const char *name;
    int status;

    if (!chain || !block)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = options_copy(chain->context, "struct memmodel_chain_block", block, &own, sizeof own);
    if (!status)
        status = check_block(chain, &own);
    if (!status)
        status =
            array_reserve(chain->context, &chain->blocks, &chain->capacity, chain->count + 1, sizeof *chain->blocks);
    if (status)
        return context_status(chain->context, status);
    name = block_name(chain, own.name);
    if (!name)
        return context_status(chain->context, MEMMODEL_ERROR_NO_MEMORY);
    status = count_bytes(chain, &own);
    if (status)
        return status;
    forget_schedule(chain);
    chain->blocks[chain->count++] = (struct chain_block){name,
                                                         own.input_bytes,
                                                         own.saved_bytes,
                                                         own.forward_workspace_bytes,
                                                         own.backward_workspace_bytes,
                                                         own.forward_cost,
                                                         own.backward_cost};
    return 0;
}

/* ---- what steps need ---- */

int64_t
chain_need_of_saving(const memmodel_chain *chain, size_t s, size_t t)
{
    const struct chain_block *block = &chain->blocks[s];
    int64_t forward = chain_input(chain, t + 1) + block->saved + block->forward_bytes;
    int64_t backward = chain_input(chain, s + 1) + block->saved + block->input + block->backward_bytes;

    return max_i64(forward, backward);
}

int64_t
chain_need_of_passing(const memmodel_chain *chain, size_t s, size_t last)
{
    int64_t input = last > s ? chain->blocks[last].input : 0;

    return input + chain_input(chain, last + 1) + chain->blocks[last].forward_bytes;
}

int
chain_append(const memmodel_chain *chain, struct chain_schedule *schedule, enum memmodel_chain_operation operation,
             size_t block)
{
    int status = array_reserve(chain->context, &schedule->steps, &schedule->capacity, schedule->count + 1,
                               sizeof *schedule->steps);

    if (!status)
        schedule->steps[schedule->count++] =
            (struct chain_step){.operation = (int32_t)operation, .block = (int32_t)block};
    return status;
}

/* ---- solving ---- */

static int
check_chain(const memmodel_chain *chain, const struct memmodel_chain_options *options)
{
    if (chain->count == 0)
        return context_error(chain->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "a chain needs at least one block");
    if (options->budget <= 0)
        return context_error(chain->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget",
                             "%" PRId64 " bytes; give more than 0", options->budget);
    if (options->slots < 0 || options->slots > MAX_SLOTS)
        return context_error(chain->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "slots",
                             "%" PRId64 " slots; give 1 to %d", options->slots, MAX_SLOTS);
    return check_input(chain, &chain->blocks[chain->count - 1], "the chain's output", chain->output);
}

/* All is saved on the way forward. */
static int
measure_without(memmodel_chain *chain, struct memmodel_chain_result *result)
{
    struct chain_schedule schedule = {0};
    int status = 0;

    for (size_t i = 0; i < chain->count && !status; i++)
        status = chain_append(chain, &schedule, MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL, i);
    for (size_t i = chain->count; i-- > 0 && !status;)
        status = chain_append(chain, &schedule, MEMMODEL_CHAIN_OPERATION_BACKWARD, i);
    if (!status)
        status = chain_verify(chain, &schedule, &result->max_peak, &result->min_cost);
    memory_release(chain->context, schedule.steps);
    return status;
}

/* In bytes where slots are too coarse for any; the least peak where the budget is below it. */
static int
find_schedule(const memmodel_chain *chain, const struct memmodel_chain_options *options, int64_t min_peak,
              struct chain_schedule *schedule)
{
    int64_t slots = options->slots ? options->slots : DEFAULT_SLOTS, min;
    size_t block;
    int status = options->budget < min_peak ? 0 : chain_optimum(chain, options->budget, slots, schedule);

    if (!status && schedule->count == 0)
        status = chain_floor(chain, &min, &block, schedule);
    return status;
}

static int
solve(memmodel_chain *chain, const struct memmodel_chain_options *options)
{
    OWN_ENVIRONMENT;
    struct memmodel_chain_result result = {.size = sizeof result};
    struct chain_schedule schedule = {0};
    size_t block = 0;
    int status = check_chain(chain, options);

    if (!status)
        status = chain_floor(chain, &result.min_peak, &block, NULL);
    if (!status)
        status = measure_without(chain, &result);
    if (!status)
        status = find_schedule(chain, options, result.min_peak, &schedule);
    if (!status)
        status = chain_verify(chain, &schedule, &result.peak, &result.cost);
    if (status) {
        memory_release(chain->context, schedule.steps);
        return status;
    }
    result.status = result.peak <= options->budget ? MEMMODEL_SEARCH_STATUS_OPTIMAL : MEMMODEL_SEARCH_STATUS_INFEASIBLE;
    forget_schedule(chain);
    chain->schedule = schedule;
    chain->result = result;
    return 0;
}

int
memmodel_chain_solve(memmodel_chain *chain, const struct memmodel_chain_options *options)
{
    struct memmodel_chain_options own;
    int status;

    if (!chain)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(chain->context);
    if (!status)
        status = options_copy(chain->context, "memmodel_chain_options", options, &own, sizeof own);
    return context_end(chain->context, status ? status : solve(chain, &own));
}

/* ---- asking ---- */

int
memmodel_chain_get_result(const memmodel_chain *chain, struct memmodel_chain_result *result)
{
    if (!chain || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&chain->result, sizeof chain->result, result);
}

size_t
memmodel_chain_step_count(const memmodel_chain *chain)
{
    return chain ? chain->schedule.count : 0;
}

int
memmodel_chain_get_step(const memmodel_chain *chain, size_t index, struct memmodel_chain_step *step)
{
    const struct chain_step *found;
    struct memmodel_chain_step own;

    if (!chain || !step)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (index >= chain->schedule.count)
        return context_error(chain->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no step %zu", index);
    found = &chain->schedule.steps[index];
    own = (struct memmodel_chain_step){sizeof own, found->operation, found->block, found->held, found->peak};
    return result_copy(&own, sizeof own, step);
}

const char *
memmodel_chain_operation_name(int operation)
{
    static const char *const names[] = {
        [MEMMODEL_CHAIN_OPERATION_FORWARD] = "forward",
        [MEMMODEL_CHAIN_OPERATION_FORWARD_CHECKPOINT] = "forward with checkpoint",
        [MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL] = "forward with all saved",
        [MEMMODEL_CHAIN_OPERATION_BACKWARD] = "backward",
    };

    return operation >= 0 && operation <= MEMMODEL_CHAIN_OPERATION_BACKWARD ? names[operation] : NULL;
}
