#include "frameworks/onednn/scratchpad.h"

#include "frameworks/onednn/blocks.h"

enum { BOOKING_ALIGNMENT = 128 };

void
scratchpad_book(int64_t *scratchpad, int64_t bytes)
{
    if (bytes > 0)
        *scratchpad += bytes + BOOKING_ALIGNMENT;
}

void
scratchpad_book_pages(int64_t *scratchpad, int64_t bytes)
{
    if (bytes > 0)
        *scratchpad += bytes + PAGE;
}

void
scratchpad_book_barriers(int64_t *scratchpad, int64_t count)
{
    scratchpad_book_pages(scratchpad, count * PAGE);
}

int64_t
scratchpad_nested(int64_t scratchpad)
{
    return scratchpad > 0 ? scratchpad + BOOKING_ALIGNMENT : 0;
}

static struct balance
balance_with(int64_t threads, int64_t job, int64_t jobs, int64_t reduction, int64_t jobs_per_group)
{
    int64_t groups = min_i64(jobs / jobs_per_group, threads);

    return (struct balance){groups, min_i64(threads / groups, reduction), ceil_divide(jobs, groups), job};
}

/* Additions that the busiest thread makes. */
static int64_t
balance_cost(struct balance balance, int64_t reduction)
{
    int64_t own = ceil_divide(reduction, balance.threads_per_group) + (balance.threads_per_group != 1);

    return balance.job * balance.jobs_per_group * own;
}

struct balance
balance_reduction(int64_t threads, int64_t job, int64_t jobs, int64_t reduction, int64_t limit)
{
    int64_t fewest = max_i64(1, jobs / threads);
    int64_t max = max_i64(1, limit / (threads * job));
    struct balance best = balance_with(threads, job, jobs, reduction, fewest);
    int64_t best_cost = jobs * job * reduction;

    for (int64_t jobs_per_group = fewest; jobs_per_group < jobs; jobs_per_group++) {
        struct balance next = balance_with(threads, job, jobs, reduction, jobs_per_group);

        if (next.threads_per_group > 1 && next.jobs_per_group > max)
            continue;
        if (balance_cost(next, reduction) < best_cost) {
            best = next;
            best_cost = balance_cost(next, reduction);
        }
    }
    return best;
}

void
scratchpad_book_reducer(int64_t *scratchpad, struct balance balance)
{
    if (balance.threads_per_group == 1)
        return;
    scratchpad_book_pages(scratchpad, balance.groups * (balance.threads_per_group - 1) * balance.jobs_per_group *
                                          balance.job * FLOAT_BYTES);
    scratchpad_book_barriers(scratchpad, balance.groups);
}
