/* What fits: the largest value of a symbol for which a job stays within a budget. */
#include "base/environment.h"
#include "base/checked.h"
#include "network/formula.h"
#include "report/report.h"

#include <string.h>

/*
 * The search walks multiples of `step`, the multiple of which the network's own constraints ask for (16 for a U-Net
 * with four poolings), so that every value it tries can be built. A budget of INT64_MAX bytes is one less: those stand
 * for more than 63 bits hold.
 */
struct search {
    struct query *query;
    size_t symbol;
    int64_t budget, step;
};

/* Bytes for `multiple` steps: INT64_MAX if 63 bits do not hold them. */
static int
bytes_of(const struct search *search, int64_t multiple, int64_t *bytes)
{
    int64_t value;
    int status;

    *bytes = INT64_MAX;
    if (!checked_multiply(multiple, search->step, &value))
        return 0;
    status = query_measure(search->query, search->symbol, value, bytes);
    return status == MEMMODEL_ERROR_OVERFLOW ? 0 : status;
}

/* How many times as far as the last trial the next one may be. */
enum { FARTHEST = 1000 };

/* A value that was tried. */
struct trial {
    int64_t multiple, bytes;
};

/* Where the line through two trials meets the budget, between `min` and `max`. */
static int64_t
guess(const struct search *search, const struct trial *a, const struct trial *b, int64_t min, int64_t max)
{
    double slope = ((double)b->bytes - (double)a->bytes) / ((double)b->multiple - (double)a->multiple);
    double place = (double)a->multiple + ((double)search->budget - (double)a->bytes) / slope;

    if (!(place > (double)min)) /* not a number, too */
        return min;
    return place < (double)max ? max_i64(min, (int64_t)place) : max;
}

/*
 * Along the line through the last two trials until one does not fit, each stride at least twice the one before: `below`
 * fits, `above` does not. Peaks are nearly straight lines, so few trials find the place.
 */
static int
bracket(const struct search *search, struct trial *below, struct trial *above)
{
    struct trial before = *below;
    int64_t stride = 1;
    int status = 0;

    *above = (struct trial){1, 0};
    while (!status) {
        int64_t max;

        status = bytes_of(search, above->multiple, &above->bytes);
        if (status || above->bytes > search->budget)
            break;
        before = *below;
        *below = *above;
        if (!checked_multiply(below->multiple, FARTHEST, &max))
            max = INT64_MAX;
        if (!checked_add(below->multiple, stride, &above->multiple)) {
            *above = (struct trial){INT64_MAX, INT64_MAX};
            break;
        }
        if (before.multiple > 0)
            above->multiple = guess(search, &before, below, above->multiple, max);
        stride *= 2;
    }
    return status;
}

/* Along the line between the two ends; by halves as soon as that does not halve the gap in two trials. */
static int
narrow(const struct search *search, struct trial below, struct trial above, int64_t *largest)
{
    int64_t gap = above.multiple - below.multiple;

    for (int trials = 1; above.multiple - below.multiple > 1; trials++) {
        int64_t middle = below.multiple + (above.multiple - below.multiple) / 2;
        bool slow = trials % 3 == 0 && above.multiple - below.multiple > gap / 2;
        struct trial trial = {.multiple = middle};
        int status;

        if (!slow && above.bytes < INT64_MAX && below.multiple > 0)
            trial.multiple = guess(search, &below, &above, below.multiple + 1, above.multiple - 1);
        if (trials % 3 == 0)
            gap = above.multiple - below.multiple;
        status = bytes_of(search, trial.multiple, &trial.bytes);
        if (status)
            return status;
        *(trial.bytes <= search->budget ? &below : &above) = trial;
    }
    *largest = below.multiple * search->step;
    return 0;
}

static int
find_largest(const struct search *search, int64_t *largest)
{
    struct trial below = {0, 0}, above;
    int status = bracket(search, &below, &above);

    return status ? status : narrow(search, below, above, largest);
}

/* What the network's formulas take for granted of the symbol; 1 if nothing. */
static int
multiple_of_symbol(const struct query *query, const char *symbol, int64_t *multiple)
{
    struct formula_space *space;
    int status = formula_space_new(query->context, query->network, &space);

    if (status)
        return status;
    *multiple = 1;
    for (size_t i = 0; i < formula_assumption_count(space); i++) {
        int64_t found;

        if (strcmp(formula_assumption(space, i, &found), symbol) == 0)
            *multiple = found;
    }
    formula_space_free(space);
    return 0;
}

int
query_max(struct query *query, const char *name, size_t symbol, int64_t limit, int64_t *max)
{
    struct search search = {.query = query, .symbol = symbol, .budget = min_i64(limit, INT64_MAX - 1)};
    int status = multiple_of_symbol(query, name, &search.step);

    return status ? status : find_largest(&search, max);
}

int
memmodel_estimate_max(const memmodel_network *network, const struct memmodel_job *job, const char *symbol,
                      memmodel_context *context, int64_t *max)
{
    OWN_ENVIRONMENT;
    struct query query;
    size_t index;
    int status;

    if (!network || !symbol || !max)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = query_new(network, job, symbol, context, &query);
    if (status)
        return status;
    status = query_symbol(&query, symbol, &index);
    if (!status && query.job.budget == 0)
        status = context_error(query.context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget",
                               "the job has no budget to be within");
    if (!status)
        status = query_max(&query, symbol, index, job_limit(&query.job), max);
    return query_end(&query, status);
}
