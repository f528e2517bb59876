/*
 * What an allocator that goes by order holds, as a word: its pieces in the order of their addresses, each with what
 * decisions depend on and which instance of a block of the trace it is. Words of two times that lie some iterations
 * of a loop apart are the same when each instance is the same, or as many iterations on as the loop goes.
 */
#ifndef ALLOCATORS_WORD_H
#define ALLOCATORS_WORD_H

#include "allocators/allocator.h"

struct letter {
    const void *memory;
    int64_t address, bytes, requested, stream, changed, instance;
    int32_t owner;
    bool first, large; /* of its segment; in the pool of large requests */
};

struct word {
    struct letter *letters;
    size_t count, capacity;
    int64_t stamp; /* the number of calls of the allocator before it */
};

/* 0, MEMMODEL_ERROR_NO_MEMORY, what a limit says */
int
word_take(struct word *word, const struct allocator_run *run);

/* The letter with that address, or the number of letters. */
size_t
word_find(const struct word *word, int64_t address);

/* Whether no call behind the stamp has changed those letters. */
bool
word_untouched(const struct word *word, size_t first, size_t count, int64_t stamp);

/* But for what instance they are, and where. */
bool
letters_alike(const struct letter *a, const struct letter *b);

/* Bytes of those letters. */
struct allocator_counters
word_bytes(const struct word *word, size_t first, size_t count);

/* Two times, the first of which lacks some letters that were there. */
struct word_comparison {
    const struct word *before, *after;
    size_t hole, hole_count;
    const int8_t *slopes; /* by block of the trace: where its instances go with each iteration */
    int64_t iterations;
};

/* Letters of the same form in a row. */
struct word_row {
    size_t first, length, copies;
};

/* The word before is the one after but for letters that are new: those. False if it is not. */
bool
word_insertion(const struct word_comparison *comparison, struct word_row *row);

/*
 * The same where what is new is one more copy at an end of the row, whose place is that in the word before, while a
 * copy was untouched. The row has the copy then.
 */
bool
word_continues(const struct word_comparison *comparison, struct word_row *row);

#endif
