/* Pages of memory that were written to: what the kernel holds of a range of addresses. */
#ifndef ALLOCATORS_PAGES_H
#define ALLOCATORS_PAGES_H

#include "base/arena.h"
#include "base/ordered.h"

#include <stdint.h>

#define PAGE INT64_C(4096)

struct page_span;

struct pages {
    struct arena *arena;
    struct ordered_set spans; /* apart from each other, by address */
    struct page_span *spare;
    struct page_span *latest; /* that was touched: most often it is the next, too; NULL: unknown */
    int64_t bytes;            /* of all pages */
};

void
pages_init(struct pages *pages, struct arena *arena);

/* Each page that [address, address + bytes) lies on is there. 0, MEMMODEL_ERROR_NO_MEMORY. bytes > 0. */
int
pages_touch(struct pages *pages, int64_t address, int64_t bytes);

/* Each page that lies whole in the range is not. */
int
pages_drop(struct pages *pages, int64_t address, int64_t bytes);

#endif
