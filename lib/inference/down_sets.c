/*
 * The order of a window with the least peak. What memory is in use depends only on which operators have run, not on
 * their order; so for each such set (with an operator, all that it needs) the least peak on the way to it is enough to
 * know. Sets are met in the order of their sizes. After Ahn et al., "Ordering Chaos", MLSys 2020 (Serenity).
 */
#include "inference/order.h"

#include "base/checked.h"

#include <string.h>

enum {
    MAX_SETS = 1 << 17,
    MAX_BUDGETS = 16,
};

struct down_set {
    uint64_t operators;
    int64_t used, peak;
    int32_t from;  /* the set it was reached from */
    int32_t added; /* by this operator */
};

/* Masks of a window: bit i is operator i. */
struct masks {
    uint64_t inputs[WINDOW_MAX];
    uint64_t *touches; /* of each memory */
};

struct search {
    const struct window *window;
    struct masks masks;
    struct down_set *sets;
    int32_t count, room;
    int32_t *slots; /* set + 1; those of the size that is being made */
    size_t slot_count;
    bool too_many;
};

static uint64_t
bit(int32_t i)
{
    return UINT64_C(1) << i;
}

/* ---- what an operator would do to a set ---- */

static bool
is_last_use(const struct search *search, uint64_t with, int32_t memory)
{
    return !search->window->memories[memory].after && !(search->masks.touches[memory] & ~with);
}

static bool
is_born(const struct search *search, uint64_t before, int32_t memory)
{
    return !search->window->memories[memory].before && !(search->masks.touches[memory] & before);
}

static struct down_set
with_operator(const struct search *search, int32_t from, int32_t number)
{
    const struct down_set *set = &search->sets[from];
    const struct window_operator *operator= & search->window->operators[number];
    uint64_t with = set->operators | bit(number);
    struct down_set next = {.operators = with, .used = set->used, .from = from, .added = number};
    int64_t during = set->used + operator->workspace +(set->operators ? 0 : search->window->idle);

    for (int32_t i = 0; i < operator->memory_count; i++) {
        int32_t memory = operator->memories[i];
        int64_t bytes = search->window->memories[memory].bytes;

        if (is_born(search, set->operators, memory)) {
            during += bytes;
            next.used += bytes;
        }
        if (is_last_use(search, with, memory))
            next.used -= bytes;
    }
    for (int32_t i = 0; i < operator->in_place_count; i++)
        if (is_last_use(search, with, operator->in_place[i]) && is_born(search, set->operators, operator->result)) {
            during -= search->window->memories[operator->result].bytes;
            break;
        }
    next.peak = max_i64(set->peak, during);
    return next;
}

/* ---- sets ---- */

static int32_t *
slot_of(const struct search *search, uint64_t operators)
{
    uint64_t at = operators * UINT64_C(0x9e3779b97f4a7c15) >> 40;

    for (;; at++) {
        int32_t *slot = &search->slots[at % search->slot_count];

        if (!*slot || search->sets[*slot - 1].operators == operators)
            return slot;
    }
}

static void
enter(struct search *search, const struct down_set *set)
{
    int32_t *slot = slot_of(search, set->operators);

    if (*slot) {
        if (set->peak < search->sets[*slot - 1].peak)
            search->sets[*slot - 1] = *set;
        return;
    }
    if (search->count == search->room) {
        search->too_many = true;
        return;
    }
    search->sets[search->count++] = *set;
    *slot = search->count;
}

/* An operator that raises neither what is in use nor the peak can come next: no order would gain by its waiting. */
static bool
is_free(const struct search *search, int32_t from, const struct down_set *next)
{
    return next->used <= search->sets[from].used && next->peak == search->sets[from].peak;
}

static void
extend(struct search *search, int32_t from, int64_t limit)
{
    uint64_t operators = search->sets[from].operators;
    struct down_set next[WINDOW_MAX];
    int32_t count = 0;

    for (int32_t i = 0; i < search->window->count; i++) {
        if (operators & bit(i) || search->masks.inputs[i] & ~operators)
            continue;
        next[count] = with_operator(search, from, i);
        if (is_free(search, from, &next[count])) {
            enter(search, &next[count]);
            return;
        }
        count += next[count].peak < limit;
    }
    for (int32_t i = 0; i < count && !search->too_many; i++)
        enter(search, &next[i]);
}

/* All sets with a peak below the limit, one size after the other; whether all operators are in one of them. */
static bool
expand_all(struct search *search, int64_t limit)
{
    int32_t begin = 0, end = 1;

    search->too_many = false;
    search->sets[0] = (struct down_set){.used = search->window->used, .from = -1};
    search->count = 1;
    for (int32_t size = 0; size < search->window->count && begin < end && !search->too_many; size++) {
        memset(search->slots, 0, search->slot_count * sizeof *search->slots);
        for (int32_t i = begin; i < end && !search->too_many; i++)
            extend(search, i, limit);
        begin = end;
        end = search->count;
    }
    return begin < end && !search->too_many;
}

/* ---- the soft budget ---- */

static void
read_order(const struct search *search, int32_t *order)
{
    int32_t set = search->count - 1;

    for (int32_t i = search->window->count - 1; i >= 0; i--) {
        order[i] = search->sets[set].added;
        set = search->sets[set].from;
    }
}

/* No order needs less than its most demanding operator alone. */
static int64_t
min_peak(const struct window *window)
{
    int64_t min = 0;

    for (int32_t i = 0; i < window->count; i++) {
        const struct window_operator *operator= & window->operators[i];
        int64_t bytes = operator->workspace;

        for (int32_t k = 0; k < operator->memory_count; k++)
            bytes += window->memories[operator->memories[k]].bytes;
        if (operator->in_place_count)
            bytes -= window->memories[operator->result].bytes;
        min = max_i64(min, bytes);
    }
    return min;
}

/*
 * A limit prunes; too low a one leaves nothing. Below one that left too many sets and above one that left nothing the
 * next is half-way.
 */
static bool
search_limits(struct search *search, int64_t limit, int32_t *order)
{
    int64_t low = min_peak(search->window), high = limit, at = limit;

    for (int32_t i = 0; i < MAX_BUDGETS && low < high; i++) {
        if (expand_all(search, at)) {
            read_order(search, order);
            return true;
        }
        if (search->too_many)
            high = at;
        else
            low = at + 1;
        if (at == limit && !search->too_many)
            return false;
        at = low + (high - low) / 2;
    }
    return false;
}

static void
fill_masks(struct search *search)
{
    const struct window *window = search->window;

    for (int32_t i = 0; i < window->count; i++) {
        for (int32_t k = 0; k < window->operators[i].input_count; k++)
            search->masks.inputs[i] |= bit(window->operators[i].inputs[k]);
        for (int32_t k = 0; k < window->operators[i].memory_count; k++)
            search->masks.touches[window->operators[i].memories[k]] |= bit(i);
    }
}

int
order_by_down_sets(const struct window *window, int64_t limit, int32_t *order, bool *found)
{
    memmodel_context *context = window->arena.context;
    struct search search = {.window = window, .room = MAX_SETS};
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *found = false;
    if (window->count > WINDOW_MAX || window->count < 2)
        return 0;
    if (UINT64_C(1) << (window->count - 1) < MAX_SETS) /* of so few operators there are no more sets */
        search.room = (int32_t)(UINT64_C(1) << window->count);
    search.slot_count = 2 * (size_t)search.room;
    search.masks.touches =
        memory_allocate_zeroed(context, (size_t)window->memory_count + 1, sizeof *search.masks.touches);
    search.sets = memory_allocate_zeroed(context, (size_t)search.room, sizeof *search.sets);
    search.slots = memory_allocate_zeroed(context, search.slot_count, sizeof *search.slots);
    if (search.masks.touches && search.sets && search.slots) {
        fill_masks(&search);
        *found = search_limits(&search, limit, order);
        status = 0;
    }
    memory_release(context, search.masks.touches);
    memory_release(context, search.sets);
    memory_release(context, search.slots);
    return status;
}
