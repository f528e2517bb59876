/* Touched pages as spans that neither meet nor overlap. */
#include "allocators/pages.h"
#include "base/checked.h"

struct page_span {
    struct ordered_node node;
    int64_t begin, end;
    struct page_span *next_spare;
};

static int
compare_spans(const struct ordered_node *a, const struct ordered_node *b)
{
    int64_t x = ORDERED_OBJECT(a, const struct page_span, node)->begin;
    int64_t y = ORDERED_OBJECT(b, const struct page_span, node)->begin;

    return (x > y) - (x < y);
}

static struct page_span *
span_of(struct ordered_node *node)
{
    return node ? ORDERED_OBJECT(node, struct page_span, node) : NULL;
}

void
pages_init(struct pages *pages, struct arena *arena)
{
    *pages = (struct pages){.arena = arena, .spans = {.compare = compare_spans}};
}

static int
add_span(struct pages *pages, int64_t begin, int64_t end)
{
    struct page_span *span = pages->spare;

    if (span)
        pages->spare = span->next_spare;
    else
        span = arena_allocate(pages->arena, sizeof *span);
    if (!span)
        return MEMMODEL_ERROR_NO_MEMORY;
    *span = (struct page_span){.begin = begin, .end = end};
    ordered_insert(&pages->spans, &span->node);
    pages->latest = span;
    pages->bytes += end - begin;
    return 0;
}

static void
remove_span(struct pages *pages, struct page_span *span)
{
    pages->bytes -= span->end - span->begin;
    ordered_remove(&pages->spans, &span->node);
    pages->latest = NULL;
    span->next_spare = pages->spare;
    pages->spare = span;
}

/* The first span that ends at `address` or behind it. */
static struct page_span *
first_reaching(const struct pages *pages, int64_t address)
{
    struct page_span key = {.begin = address};
    struct ordered_node *node = ordered_lower_bound(&pages->spans, &key.node);
    struct page_span *before = span_of(node ? ordered_previous(node) : ordered_last(&pages->spans));

    return before && before->end >= address ? before : span_of(node);
}

static bool
holds(const struct page_span *span, int64_t begin, int64_t end)
{
    return span && span->begin <= begin && span->end >= end;
}

int
pages_touch(struct pages *pages, int64_t address, int64_t bytes)
{
    int64_t begin = address / PAGE * PAGE, end = round_up(address + bytes, PAGE);
    struct page_span *span = pages->latest;

    if (holds(span, begin, end))
        return 0;
    span = first_reaching(pages, begin);
    if (holds(span, begin, end)) {
        pages->latest = span;
        return 0;
    }
    while (span && span->begin <= end) {
        begin = min_i64(begin, span->begin);
        end = max_i64(end, span->end);
        remove_span(pages, span);
        span = first_reaching(pages, begin);
    }
    return add_span(pages, begin, end);
}

int
pages_drop(struct pages *pages, int64_t address, int64_t bytes)
{
    int64_t begin = round_up(address, PAGE), end = (address + bytes) / PAGE * PAGE;
    struct page_span *span = first_reaching(pages, begin + 1);
    int status = 0;

    while (!status && span && span->begin < end && begin < end) {
        int64_t first = span->begin, last = span->end;

        remove_span(pages, span);
        if (first < begin)
            status = add_span(pages, first, begin);
        if (!status && last > end)
            status = add_span(pages, end, last);
        span = last > end ? NULL : first_reaching(pages, begin + 1);
    }
    return status;
}
