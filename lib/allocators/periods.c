/* Periods of a loop: seen, and left out. */
#include "allocators/periods.h"
#include "base/checked.h"

#include <string.h>

#define GRAIN (INT64_C(2) << 20)     /* addresses of segments are multiples of it, or take longer to be found alike */
#define MAX_BYTES (INT64_C(1) << 61) /* sums of counters fit */

enum { NONE = -1, MIN_COPIES = 2, MAX_GUESSES = 6, MAX_LOOKS = 4, FREE_LOOKS = 100000 };

/* ---- made ---- */

static void
observe(void *user, enum allocator_action action, int64_t address, int64_t bytes, int64_t stream)
{
    struct period_search *search = user;

    (void)stream;
    period_search_sign(search, (int64_t)action);
    period_search_sign(search, address % GRAIN);
    period_search_sign(search, bytes);
}

struct allocator_observer
periods_observer(struct periods *periods)
{
    return (struct allocator_observer){.observe = observe, .user = &periods->search};
}

int
periods_new(struct allocator_run *run, int64_t patience)
{
    struct periods *periods = memory_allocate_zeroed(run->context, 1, sizeof *periods);

    if (!periods)
        return MEMMODEL_ERROR_NO_MEMORY;
    periods->patience = patience;
    periods->consumed = NONE;
    run->periods = periods;
    periods->slopes = memory_allocate_zeroed(run->context, run->trace->block_count + 1, sizeof *periods->slopes);
    return periods->slopes ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

void
periods_delete(memmodel_context *context, struct periods *periods)
{
    for (size_t i = 0; i < periods->count; i++) {
        memory_release(context, periods->families[i].ends);
        memory_release(context, periods->families[i].shifts);
    }
    memory_release(context, periods->families);
    memory_release(context, periods->search.signatures);
    memory_release(context, periods->slopes);
    memory_release(context, periods->before.letters);
    memory_release(context, periods->after.letters);
    memory_release(context, periods);
}

bool
periods_possible(const struct allocator_run *run)
{
    if (!run->allocator->goes_by_order || !run->allocator->goes_by_order(run->self))
        return false;
    for (size_t i = 0; i < run->trace->block_count; i++)
        if (run->trace->blocks[i].reusable >= 0)
            return false;
    return true;
}

bool
periods_failed(const struct periods *periods)
{
    return periods->failed;
}

void
periods_add(const struct periods *periods, struct allocator_counters *counters)
{
    for (size_t i = 0; i < periods->count; i++) {
        const struct family *family = &periods->families[i];

        counters->requested += family->left_out * family->each.requested;
        counters->allocated += family->left_out * family->each.allocated;
        counters->active += family->left_out * family->each.active;
        counters->reserved += family->left_out * family->each.reserved;
    }
}

/* ---- looking ---- */

/* To look must not cost much more than to run: then all is run. */
static int
look(const struct allocator_run *run, struct word *word)
{
    struct periods *periods = run->periods;
    int status = word_take(word, run);

    periods->seen += (int64_t)word->count;
    if (periods->seen > MAX_LOOKS * run->count + FREE_LOOKS)
        periods->failed = true;
    return status;
}

/* ---- families ---- */

/* The first letter of a copy that nothing has touched; false if there is none. */
static bool
find_copy(const struct family *family, const struct word *word, size_t *first)
{
    for (size_t i = 0; i < family->copies; i++) {
        size_t last;

        *first = word_find(word, family->ends[i][0]);
        last = *first + family->length - 1;
        if (last < word->count && word->letters[last].address == family->ends[i][1] &&
            word_untouched(word, *first, family->length, family->since))
            return true;
    }
    return false;
}

/* Whether a copy has blocks of that repeat. */
static bool
is_of(const struct allocator_run *run, const struct family *family, const struct word *word, int32_t repeat)
{
    size_t first;

    if (!find_copy(family, word, &first))
        return false;
    for (size_t i = first; i < first + family->length; i++)
        if (word->letters[i].owner >= 0 && run->trace->blocks[word->letters[i].owner].repeat == repeat)
            return true;
    return false;
}

/* Whether the letters behind a copy are one more, or those of the copy the one before. */
static bool
is_followed(const struct family *family, const struct word *word, size_t first)
{
    if (first + 2 * family->length > word->count)
        return false;
    for (size_t i = first; i < first + family->length; i++)
        if (!letters_alike(&word->letters[i], &word->letters[i + family->length]) ||
            word->letters[i + family->length].instance - word->letters[i].instance != family->shifts[i - first])
            return false;
    return true;
}

/* Where one copy was not touched until now, all that are in a row with it may stand for those that are left out. */
static int
keep_copies(memmodel_context *context, struct family *family, const struct word *word, size_t first)
{
    size_t copies = 1;

    while (first >= family->length && is_followed(family, word, first - family->length))
        first -= family->length;
    while (is_followed(family, word, first + (copies - 1) * family->length))
        copies++;
    memory_release(context, family->ends);
    family->copies = 0;
    family->ends = memory_allocate_zeroed(context, copies, sizeof *family->ends);
    if (!family->ends)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < copies; i++) {
        family->ends[i][0] = word->letters[first + i * family->length].address;
        family->ends[i][1] = word->letters[first + (i + 1) * family->length - 1].address;
    }
    family->copies = copies;
    family->since = word->stamp;
    return 0;
}

static int
add_family(struct allocator_run *run, int64_t left_out)
{
    struct periods *periods = run->periods;
    const struct word_row *row = &periods->row;
    const struct letter *letters = periods->after.letters + row->first;
    struct family family = {
        .left_out = left_out,
        .iterations = periods->iterations,
        .each = word_bytes(&periods->after, row->first, row->length),
        .length = row->length,
    };
    int status = array_reserve(run->context, &periods->families, &periods->capacity, periods->count + 1, sizeof family);

    if (status)
        return status;
    family.shifts = memory_allocate_zeroed(run->context, row->length, sizeof *family.shifts);
    if (!family.shifts)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < row->length; i++)
        family.shifts[i] = letters[i + row->length].instance - letters[i].instance;
    periods->families[periods->count++] = family;
    status = keep_copies(run->context, &periods->families[periods->count - 1], &periods->after, row->first);
    periods->failed |= periods->families[periods->count - 1].copies < row->copies;
    return status;
}

/* Whether one copy of each is still there. */
static int
renew_copies(struct allocator_run *run, bool *proven)
{
    struct periods *periods = run->periods;
    int status = periods->count > 0 ? look(run, &periods->after) : 0;
    size_t first;

    *proven = true;
    for (size_t i = 0; i < periods->count && !status && *proven; i++) {
        struct family *family = &periods->families[i];

        if (family->left_out == 0)
            continue;
        *proven = find_copy(family, &periods->after, &first);
        if (*proven)
            status = keep_copies(run->context, family, &periods->after, first);
    }
    return status;
}

/* ---- into a period of the walk, and out of it ---- */

/* Iterations that are left out of the repeat so far. */
static int64_t
left_out_of(const struct allocator_run *run, int32_t repeat)
{
    return run->trace->repeats[repeat].times - run->walk.times[repeat];
}

/* As many iterations as were left out of the repeat that kept what this period releases are left out of it. */
static void
find_debt(struct allocator_run *run, const struct walk_period *period)
{
    struct periods *periods = run->periods;
    bool any = false;

    for (int32_t i = 0; i < period->count; i++) {
        int32_t from = run->trace->blocks[run->walk.plan[i].block].repeat;

        if (from < 0 || (period->repeat && from == period->of))
            continue;
        if (any && left_out_of(run, from) != periods->owed)
            periods->failed = true;
        if (any && from != periods->owed_to && periods->owed > 0)
            periods->failed = true;
        any = true;
        periods->owed = left_out_of(run, from);
        periods->owed_to = from;
    }
    if (period->repeat)
        trace_walk_shorten(&run->walk, period->of, periods->owed);
}

static int
enter(struct allocator_run *run)
{
    struct periods *periods = run->periods;
    const struct walk_period *period = &run->walk.periods[run->walk.period];
    bool proven;
    int status;

    periods->inside = true;
    periods->period = run->walk.period;
    periods->skipped = 0;
    periods->owed = 0;
    periods->iterations = 0;
    periods->guesses = 0;
    periods->search.count = periods->search.next = 0;
    for (int32_t i = 0; i < period->count; i++)
        periods->slopes[run->walk.plan[i].block] = (int8_t)run->walk.plan[i].slope;
    find_debt(run, period);
    status = renew_copies(run, &proven);
    periods->failed |= !proven;
    return status;
}

static void
leave(struct allocator_run *run)
{
    struct periods *periods = run->periods;

    if (periods->owed > 0)
        periods->failed = true;
    memset(periods->slopes, 0, run->trace->block_count);
    periods->inside = false;
}

/* ---- comparing ---- */

/* The words before and after, but for a copy of the family that is consumed, if any. */
static bool
compare(struct periods *periods, int64_t consumed)
{
    struct word_row row = periods->row;
    struct word_comparison comparison = {
        .before = &periods->before,
        .after = &periods->after,
        .slopes = periods->slopes,
        .iterations = periods->iterations,
    };

    if (consumed != NONE) {
        const struct family *family = &periods->families[consumed];
        size_t there;

        if (!find_copy(family, &periods->after, &there))
            return false;
        comparison.hole = word_find(&periods->before, periods->after.letters[there].address);
        comparison.hole_count = family->length;
        if (row.copies > 0 && row.first > comparison.hole)
            row.first -= family->length;
    }
    if (row.copies > 0 ? !word_continues(&comparison, &row) : !word_insertion(&comparison, &row))
        return false;
    periods->row = row;
    periods->consumed = consumed;
    return true;
}

/* What is consumed is found with the first comparison. */
static bool
compare_any(const struct allocator_run *run)
{
    struct periods *periods = run->periods;

    if (periods->row.copies > 0)
        return compare(periods, periods->consumed);
    if (periods->owed == 0 && compare(periods, NONE))
        return true;
    for (size_t i = periods->count; i > 0; i--) {
        const struct family *family = &periods->families[i - 1];

        if (family->left_out == 0 || (periods->owed > 0 && !is_of(run, family, &periods->after, periods->owed_to)))
            continue;
        if (compare(periods, (int64_t)i - 1))
            return true;
    }
    return false;
}

/* ---- leaving out ---- */

/* Whether a counter is greater after a period than before. */
static bool
grows(const struct periods *periods)
{
    struct allocator_counters more = word_bytes(&periods->after, periods->row.first, periods->row.length), less = {0};

    if (periods->consumed != NONE)
        less = periods->families[periods->consumed].each;
    return more.reserved > less.reserved || more.allocated > less.allocated || more.requested > less.requested;
}

/* How many periods may be left out: where counters grow the last one is run. */
static int64_t
count_periods(const struct allocator_run *run)
{
    const struct periods *periods = run->periods;
    int64_t left = run->walk.times[run->walk.periods[periods->period].of] + 1 - run->walk.copy;
    int64_t count = left / periods->iterations - 1, bytes;

    if (periods->owed > 0)
        count = left < periods->iterations && grows(periods) ? 0 : periods->owed / periods->iterations;
    if (periods->consumed != NONE)
        count = min_i64(count, periods->families[periods->consumed].left_out);
    bytes = word_bytes(&periods->after, periods->row.first, periods->row.length).reserved;
    return count > 0 && bytes > MAX_BYTES / count ? 0 : count;
}

/* The periods that follow are as the last ones were. */
static int
leave_out(struct allocator_run *run)
{
    struct periods *periods = run->periods;
    int64_t count = count_periods(run), iterations;
    int status = 0;

    if (count > 0 && periods->row.length > 0)
        status = add_family(run, count);
    if (count <= 0 || status)
        return status;
    iterations = count * periods->iterations;
    if (periods->consumed != NONE)
        periods->families[periods->consumed].left_out -= count;
    if (periods->owed > 0)
        periods->owed -= iterations;
    else
        trace_walk_shorten(&run->walk, run->walk.periods[periods->period].of, iterations);
    periods->skipped += iterations;
    return 0;
}

/* ---- from iteration to iteration ---- */

/* What consumes needs copies of what it consumes, which end; what grows leaves copies for what will consume it. */
static size_t
wanted(const struct periods *periods)
{
    return periods->consumed != NONE || periods->row.length == 0 ? MIN_COPIES : (size_t)periods->patience;
}

static int
begin_comparing(struct allocator_run *run, int64_t iterations)
{
    struct periods *periods = run->periods;
    int status = look(run, &periods->before);

    periods->iterations = iterations;
    periods->next = run->walk.copy + iterations;
    periods->row = (struct word_row){.copies = 0};
    return status;
}

/* A period, or several of them, in which about as many events are run as there are letters to be looked at. */
static int
begin_with_period(struct allocator_run *run, int64_t length)
{
    struct periods *periods = run->periods;
    int64_t events = length * run->walk.periods[periods->period].count;
    int status = begin_comparing(run, length);
    int64_t times = max_i64(1, ceil_divide((int64_t)periods->before.count, events));

    periods->iterations = times * length;
    periods->next = run->walk.copy + periods->iterations;
    return status;
}

/* The last family that may be consumed: what is owed, or is free. */
static const struct family *
consumable(const struct allocator_run *run)
{
    const struct periods *periods = run->periods;

    for (size_t i = periods->count; i > 0; i--) {
        const struct family *family = &periods->families[i - 1];

        if (family->left_out == 0)
            continue;
        if (periods->owed > 0 ? is_of(run, family, &periods->after, periods->owed_to) : family->each.allocated == 0)
            return family;
    }
    return NULL;
}

/* What is consumed is likely to be so in periods as long as those in which it was made. */
static int
guess(struct allocator_run *run)
{
    struct periods *periods = run->periods;
    const struct family *family;
    int status = look(run, &periods->after);

    periods->guesses++;
    family = status ? NULL : consumable(run);
    if (family)
        return begin_comparing(run, family->iterations);
    periods->failed |= periods->owed > 0;
    periods->guesses = MAX_GUESSES;
    return status;
}

static int
look_for_period(struct allocator_run *run)
{
    struct periods *periods = run->periods;
    size_t length;
    int status;

    if (periods->owed > 0 || (periods->count > 0 && periods->guesses < MAX_GUESSES))
        return guess(run);
    status = period_search_find(run->context, &periods->search, &length);
    if (status || length == 0)
        return status;
    return begin_with_period(run, (int64_t)length);
}

/* The word after is the one before the next period. */
static void
go_on(struct periods *periods)
{
    struct word before = periods->before;

    periods->before = periods->after;
    periods->after = before;
    periods->next += periods->iterations;
}

static void
stop_comparing(struct periods *periods)
{
    periods->row.copies = 0;
    periods->iterations = 0;
    periods->search.count = periods->search.next = 0;
}

/* One period on. */
static int
compare_periods(struct allocator_run *run)
{
    struct periods *periods = run->periods;
    int status = look(run, &periods->after);

    if (status)
        return status;
    if (!compare_any(run)) {
        stop_comparing(periods);
        return 0;
    }
    if (periods->row.copies >= wanted(periods)) {
        status = leave_out(run);
        stop_comparing(periods);
    }
    go_on(periods);
    return status;
}

static int
end_iteration(struct allocator_run *run)
{
    struct periods *periods = run->periods;
    int status = period_search_add(run->context, &periods->search);

    if (status || periods->iterations == 0)
        return status ? status : look_for_period(run);
    return run->walk.copy == periods->next ? compare_periods(run) : 0;
}

int
periods_step(struct allocator_run *run)
{
    struct periods *periods = run->periods;
    int status = 0;

    if (periods->inside)
        run->at.copy += periods->skipped;
    if (periods->inside && (!run->walk.inside || run->walk.period != periods->period))
        leave(run);
    if (!periods->inside && run->walk.inside)
        status = enter(run);
    if (status)
        return status;
    return !periods->failed && trace_walk_boundary(&run->walk) ? end_iteration(run) : 0;
}

int
periods_end(struct allocator_run *run, bool *proven)
{
    struct periods *periods = run->periods;
    int status = renew_copies(run, proven);

    *proven = *proven && !periods->failed;
    return status;
}
