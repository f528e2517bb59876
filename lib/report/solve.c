/* What fits: the largest value of a symbol for which a job stays within a budget. */
#include "base/checked.h"
#include "network/formula.h"
#include "report/report.h"

#include <string.h>

/*
 * The search walks multiples of `step`, the multiple of which the network's own constraints ask for (16 for a U-Net
 * with four poolings), so that every value it tries can be built.
 */
struct search {
    struct query *query;
    size_t symbol;
    int64_t budget, step;
};

int64_t
peak_measured(const struct memmodel_peak *peak, int measure)
{
    const int64_t bytes[] = {
        [MEMMODEL_MEASURE_LIVE] = peak->live,
        [MEMMODEL_MEASURE_RESERVED] = peak->reserved,
        [MEMMODEL_MEASURE_PROCESS] = peak->process,
    };

    return bytes[measure];
}

/* Whether `multiple` steps fit. More bytes than 63 bits hold fit nowhere. */
static int
fits(const struct search *search, int64_t multiple, bool *answer)
{
    struct query *query = search->query;
    struct result result;
    int64_t bytes;
    int status;

    if (!checked_multiply(multiple, search->step, &query->symbols[search->symbol])) {
        *answer = false;
        return 0;
    }
    status = query_bind(query);
    if (!status)
        status = result_of_query(query, &result);
    if (status == MEMMODEL_ERROR_OVERFLOW) {
        *answer = false;
        return 0;
    }
    if (status)
        return status;
    bytes = peak_measured(&result.peak, query->job.measure);
    result_release(query->context, &result);
    if (bytes < 0)
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->job.framework,
                             "the measure is not modelled for this framework");
    *answer = bytes <= search->budget;
    return 0;
}

/* Doubles until it does not fit any more, then halves the gap. */
static int
bisect(const struct search *search, int64_t *largest)
{
    int64_t below = 0, above = 1;
    bool fitting = true;
    int status;

    while (fitting) {
        status = fits(search, above, &fitting);
        if (status)
            return status;
        if (fitting) {
            below = above;
            if (!checked_multiply(above, 2, &above))
                break;
        }
    }
    while (above - below > 1) {
        int64_t middle = below + (above - below) / 2;

        status = fits(search, middle, &fitting);
        if (status)
            return status;
        *(fitting ? &below : &above) = middle;
    }
    *largest = below * search->step;
    return 0;
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
memmodel_solve(const memmodel_network *network, const struct memmodel_job *job, const char *symbol, int64_t budget,
               int64_t *largest)
{
    struct query query;
    struct search search = {.query = &query, .budget = budget};
    int status;

    if (!network || !symbol || !largest)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = query_new(network, job, symbol, &query);
    if (status)
        return status;
    query.without_process = query.job.measure != MEMMODEL_MEASURE_PROCESS;
    status = query_symbol(&query, symbol, &search.symbol);
    if (!status && budget < 0)
        status = context_error(query.context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget", "the budget is negative");
    if (!status)
        status = multiple_of_symbol(&query, symbol, &search.step);
    if (!status)
        status = bisect(&search, largest);
    query_release(&query);
    return status;
}
