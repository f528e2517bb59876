/* Orders that are made in one go: by least growth, by depth. */
#include "inference/order.h"

#include "base/checked.h"

#include <string.h>

/* A window while its operators run. */
struct run {
    const struct window *window;
    int32_t *touches; /* of each memory, so far */
    int32_t *waits;   /* of each operator: inputs that are still to be made; -1: it has run */
    int64_t used;
    int32_t count; /* of operators that have run */
};

static int
run_begin(const struct window *window, struct run *run)
{
    memmodel_context *context = window->arena.context;

    *run = (struct run){
        .window = window,
        .touches = memory_allocate_zeroed(context, (size_t)window->memory_count + 1, sizeof *run->touches),
        .waits = memory_allocate_zeroed(context, (size_t)window->count + 1, sizeof *run->waits),
        .used = window->used,
    };
    for (int32_t i = 0; i < window->count && run->waits; i++)
        run->waits[i] = window->operators[i].input_count;
    return run->touches && run->waits ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static void
run_end(struct run *run)
{
    memory_release(run->window->arena.context, run->touches);
    memory_release(run->window->arena.context, run->waits);
}

static bool
is_last_use(const struct run *run, int32_t memory)
{
    const struct window_memory *of = &run->window->memories[memory];

    return !of->after && run->touches[memory] + 1 == of->touches;
}

/* Bytes while it runs and afterwards, against those before. */
static void
live_bytes(const struct run *run, int32_t number, int64_t *during, int64_t *after)
{
    const struct window_operator *operator= & run->window->operators[number];
    int64_t grown = operator->workspace, kept = 0, saved = 0;

    for (int32_t i = 0; i < operator->memory_count; i++) {
        const struct window_memory *memory = &run->window->memories[operator->memories[i]];
        int64_t born = memory->before || run->touches[operator->memories[i]] ? 0 : memory->bytes;

        grown += born;
        kept += born - (is_last_use(run, operator->memories[i]) ? memory->bytes : 0);
    }
    for (int32_t i = 0; i < operator->in_place_count && !saved; i++)
        if (is_last_use(run, operator->in_place[i]) && !run->touches[operator->result] &&
            !run->window->memories[operator->result].before)
            saved = run->window->memories[operator->result].bytes;
    *during = grown - saved + (run->count == 0 ? run->window->idle : 0);
    *after = kept;
}

static void
run_operator(struct run *run, int32_t number)
{
    const struct window *window = run->window;
    int64_t during, after;

    live_bytes(run, number, &during, &after);
    run->used += after;
    run->waits[number] = -1;
    run->count++;
    for (int32_t i = 0; i < window->operators[number].memory_count; i++)
        run->touches[window->operators[number].memories[i]]++;
    for (int32_t i = 0; i < window->count; i++)
        for (int32_t k = 0; k < window->operators[i].input_count; k++)
            if (window->operators[i].inputs[k] == number)
                run->waits[i]--;
}

int
window_peak(const struct window *window, const int32_t *order, int64_t *peak)
{
    struct run run;
    int status = run_begin(window, &run);

    *peak = 0;
    for (int32_t i = 0; i < window->count && !status; i++) {
        int64_t during, after;

        live_bytes(&run, order[i], &during, &after);
        *peak = max_i64(*peak, run.used + during);
        run_operator(&run, order[i]);
    }
    run_end(&run);
    return status;
}

static int32_t
min_growth(const struct run *run)
{
    int64_t best_after = 0, best_during = 0;
    int32_t best = -1;

    for (int32_t i = 0; i < run->window->count; i++) {
        int64_t during, after;

        if (run->waits[i])
            continue;
        live_bytes(run, i, &during, &after);
        if (best >= 0 && (after > best_after || (after == best_after && during >= best_during)))
            continue;
        best = i;
        best_after = after;
        best_during = during;
    }
    return best;
}

int
order_by_growth(const struct window *window, int32_t *order)
{
    struct run run;
    int status = run_begin(window, &run);

    for (int32_t i = 0; i < window->count && !status; i++) {
        order[i] = min_growth(&run);
        run_operator(&run, order[i]);
    }
    run_end(&run);
    return status;
}

/* ---- by depth ---- */

/* The operator that is ready to stand behind its inputs; -1 puts one of these on the stack first. */
static int32_t
missing_input(const struct window *window, int32_t number, const bool *stands)
{
    const struct window_operator *operator= & window->operators[number];

    for (int32_t i = 0; i < operator->input_count; i++)
        if (!stands[operator->inputs[i]])
            return operator->inputs[i];
    return -1;
}

/* The stack is a path against the inputs' direction, and so no longer than there are operators. */
static int32_t
stand_with_inputs(const struct window *window, int32_t number, int32_t *stack, bool *stands, int32_t *order,
                  int32_t count)
{
    int32_t depth = 0;

    stack[depth++] = number;
    while (depth > 0) {
        int32_t input = missing_input(window, stack[depth - 1], stands);

        if (input >= 0) {
            stack[depth++] = input;
            continue;
        }
        stands[stack[--depth]] = true;
        order[count++] = stack[depth];
    }
    return count;
}

int
order_by_depth(const struct window *window, int32_t *order)
{
    memmodel_context *context = window->arena.context;
    size_t count = (size_t)window->count + 1;
    int32_t *stack = memory_allocate_zeroed(context, count, sizeof *stack), placed = 0;
    bool *stands = memory_allocate_zeroed(context, count, sizeof *stands);
    int status = stack && stands ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    for (int32_t i = window->count - 1; i >= 0 && !status; i--)
        if (!stands[i])
            placed = stand_with_inputs(window, i, stack, stands, order, placed);
    memory_release(context, stack);
    memory_release(context, stands);
    return status;
}
