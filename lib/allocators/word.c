/* Words: taken, and compared. */
#include "allocators/word.h"

#include <stdlib.h>

/* ---- taken ---- */

/* Memory of an instance of a block. */
struct held {
    const void *memory;
    int64_t instance;
};

struct taking {
    const struct allocator_run *run;
    struct word *word;
    struct held *held;
    size_t count, capacity;
};

static int
by_memory(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct held *)a)->memory, y = (uintptr_t)((const struct held *)b)->memory;

    return (x > y) - (x < y);
}

static int
by_address(const void *a, const void *b)
{
    int64_t x = ((const struct letter *)a)->address, y = ((const struct letter *)b)->address;

    return (x > y) - (x < y);
}

static int
hold_instances(struct taking *taking, const struct allocator_instances *instances)
{
    for (size_t i = 0; instances->blocks && i < instances->room; i++) {
        int status;

        if (!instances->blocks[i])
            continue;
        status = array_reserve(taking->run->context, &taking->held, &taking->capacity, taking->count + 1,
                               sizeof *taking->held);
        if (status)
            return status;
        taking->held[taking->count++] = (struct held){instances->blocks[i], allocator_instance_at(instances, i)};
    }
    return 0;
}

static int
hold_all(struct taking *taking)
{
    int status = 0;

    for (size_t i = 0; i < taking->run->trace->block_count && !status; i++)
        status = hold_instances(taking, &taking->run->instances[i]);
    if (!status && taking->count)
        qsort(taking->held, taking->count, sizeof *taking->held, by_memory);
    return status;
}

static int64_t
instance_of(const struct taking *taking, const void *memory)
{
    struct held key = {.memory = memory}, *found = NULL;

    if (taking->count)
        found = bsearch(&key, taking->held, taking->count, sizeof *taking->held, by_memory);
    return found ? found->instance : -1;
}

static int
add_letter(void *user, const struct allocator_block *block)
{
    struct taking *taking = user;
    struct word *word = taking->word;
    int status =
        array_reserve(taking->run->context, &word->letters, &word->capacity, word->count + 1, sizeof *word->letters);

    if (status)
        return status;
    word->letters[word->count++] = (struct letter){
        .memory = block->memory,
        .address = block->address,
        .bytes = block->bytes,
        .requested = block->requested,
        .stream = block->stream,
        .changed = block->changed,
        .instance = block->owner < 0 ? -1 : instance_of(taking, block->memory),
        .owner = block->owner,
        .first = block->segment == block->address,
        .large = block->large,
    };
    return 0;
}

int
word_take(struct word *word, const struct allocator_run *run)
{
    struct taking taking = {.run = run, .word = word};
    int status = hold_all(&taking);

    word->count = 0;
    word->stamp = run->count;
    if (!status)
        status = run->allocator->walk(run->self, add_letter, &taking);
    if (!status && word->count)
        qsort(word->letters, word->count, sizeof *word->letters, by_address);
    memory_release(run->context, taking.held);
    return status ? status : context_check(run->context, (int64_t)word->count);
}

/* ---- looked at ---- */

size_t
word_find(const struct word *word, int64_t address)
{
    struct letter key = {.address = address}, *found = NULL;

    if (word->count)
        found = bsearch(&key, word->letters, word->count, sizeof *word->letters, by_address);
    return found ? (size_t)(found - word->letters) : word->count;
}

bool
word_untouched(const struct word *word, size_t first, size_t count, int64_t stamp)
{
    for (size_t i = first; i < first + count; i++)
        if (i >= word->count || word->letters[i].changed > stamp)
            return false;
    return true;
}

struct allocator_counters
word_bytes(const struct word *word, size_t first, size_t count)
{
    struct allocator_counters sum = {.requested = 0};

    for (size_t i = first; i < first + count; i++) {
        const struct letter *letter = &word->letters[i];

        sum.reserved += letter->bytes;
        sum.requested += letter->requested;
        sum.allocated += letter->owner < 0 ? 0 : letter->bytes;
    }
    sum.active = sum.allocated;
    return sum;
}

/* ---- compared ---- */

static int64_t
shift_of(const struct word_comparison *comparison, const struct letter *letter)
{
    return letter->owner < 0 ? 0 : comparison->slopes[letter->owner] * comparison->iterations;
}

bool
letters_alike(const struct letter *a, const struct letter *b)
{
    return a->bytes == b->bytes && a->requested == b->requested && a->stream == b->stream && a->owner == b->owner &&
           a->first == b->first && a->large == b->large;
}

/* Letter `i` of the word before, without the hole, and letter `j` of the one after. */
static bool
same(const struct word_comparison *comparison, size_t i, size_t j)
{
    const struct letter *a = &comparison->before->letters[i < comparison->hole ? i : i + comparison->hole_count];
    const struct letter *b = &comparison->after->letters[j];

    return letters_alike(a, b) && (b->instance == a->instance || b->instance == a->instance + shift_of(comparison, a));
}

static size_t
count_before(const struct word_comparison *comparison)
{
    return comparison->before->count - comparison->hole_count;
}

/* Whether all is the same but for `length` letters that are new at `place`. */
static bool
is_inserted(const struct word_comparison *comparison, size_t place, size_t length)
{
    for (size_t i = 0; i < count_before(comparison); i++)
        if (!same(comparison, i, i < place ? i : i + length))
            return false;
    return true;
}

bool
word_insertion(const struct word_comparison *comparison, struct word_row *row)
{
    size_t count = count_before(comparison), length = comparison->after->count - count, place = 0;

    if (comparison->after->count < count)
        return false;
    while (place < count && same(comparison, place, place))
        place++;
    if (!is_inserted(comparison, place, length)) {
        for (place = count; place > 0 && same(comparison, place - 1, place - 1 + length);)
            place--;
        if (!is_inserted(comparison, place, length))
            return false;
    }
    *row = (struct word_row){.first = place, .length = length, .copies = 1};
    return true;
}

/* The copy at `copy` is the one at `model`, as many iterations on. */
static bool
is_copy(const struct word_comparison *comparison, size_t copy, size_t model, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const struct letter *a = &comparison->after->letters[model + i], *b = &comparison->after->letters[copy + i];

        if (!letters_alike(a, b) || b->instance != a->instance + shift_of(comparison, a))
            return false;
    }
    return true;
}

/* A new copy at `place`; the old ones begin at `old` in the word after. */
static bool
grows_at(const struct word_comparison *comparison, const struct word_row *row, size_t place, size_t old, size_t model)
{
    if (!is_inserted(comparison, place, row->length) || !is_copy(comparison, place, model, row->length))
        return false;
    for (size_t i = 0; i < row->copies; i++)
        if (word_untouched(comparison->after, old + i * row->length, row->length, comparison->before->stamp))
            return true;
    return row->length == 0;
}

bool
word_continues(const struct word_comparison *comparison, struct word_row *row)
{
    size_t first = row->first, end = first + row->copies * row->length;

    if (comparison->after->count != count_before(comparison) + row->length || end > count_before(comparison))
        return false;
    if (!grows_at(comparison, row, end, first, end - row->length) &&
        !grows_at(comparison, row, first, first + row->length, first + row->length))
        return false;
    row->copies++;
    return true;
}
