/*
 * Many scopes in few patterns: "h.0, h.1, ..., h.11" is "h.*", and so are groups: "h.*.bn1..conv2". A pattern is good
 * if every scope that it matches is of the set or lies in one that is: of scopes in one another the outermost counts.
 * Of the good ones that which matches most of what is left is taken, as long as one matches several; what is left then
 * is named.
 */
#include "frameworks/pytorch/checkpoint.h"
#include "recompute/search.h"

#include <string.h>

enum { MAX_NUMBERS = 8 }; /* of a name that are replaced one by one */

struct cover {
    const struct memmodel_network *network;
    const struct scopes *scopes;
    size_t *owner; /* of each scope of the network: the candidate of the set that it is or lies in; SIZE_MAX: none */
    const uint64_t *set;
    uint64_t *left; /* of the set, not matched yet */
    struct text pattern, best;
};

/* ---- patterns of a name ---- */

/*
 * The name with a star, or a question mark a digit, in place of its number `which`, or of all where that is negative;
 * the last of a group is as it is.
 */
static bool
write_pattern(struct text *pattern, const char *name, int which, bool by_letter)
{
    const char *end = name + checkpoint_group_first(name, strlen(name));
    bool replaced = false;
    int number = 0;

    pattern->length = 0;
    text_append(pattern, "");
    while (name < end) {
        size_t digits = strspn(name, "0123456789"), length = digits ? digits : 1;
        bool here = digits && (which < 0 || which == number);

        if (!here)
            text_append_bytes(pattern, name, length);
        else
            for (size_t i = 0; i < (by_letter ? digits : 1); i++)
                text_append(pattern, by_letter ? "?" : "*");
        replaced |= here;
        number += digits > 0;
        name += length;
    }
    text_append(pattern, end);
    return replaced;
}

/* Whether the scope of this name and number is to be named yet. */
static bool
is_left(const struct cover *cover, size_t scope)
{
    size_t owner = cover->owner[scope];

    return owner != SIZE_MAX && set_has(cover->left, owner) &&
           strcmp(cover->scopes->items[owner].name, cover->network->scopes[scope].name) == 0;
}

/* A group of the set that is these layers, or any of the set that they lie in; SIZE_MAX: none. */
static size_t
find_around(const struct cover *cover, int32_t first, int32_t end)
{
    size_t around = SIZE_MAX;

    for (size_t i = 0; i < cover->scopes->count; i++) {
        const struct candidate *item = &cover->scopes->items[i];

        if (!set_has(cover->set, i) || first < item->first || item->end < end)
            continue;
        around = i;
        if (item->modules && item->first == first && item->end == end)
            break;
    }
    return around;
}

/* Adds the group that begins so to the count; false if it is not to be checkpointed. */
static bool
count_group(const struct cover *cover, const struct span *first, size_t length, size_t *count)
{
    const char *last = cover->pattern.bytes + length + 2;
    int32_t end = 0;
    size_t around;

    if (text_matches(cover->pattern.bytes, length, first->name))
        end = checkpoint_group_end(cover->network, first, last, strlen(last));
    if (end == 0)
        return true;
    around = find_around(cover, first->first, end);
    if (around == SIZE_MAX)
        return false;
    *count += set_has(cover->left, around) && cover->scopes->items[around].modules &&
              cover->scopes->items[around].first == first->first && cover->scopes->items[around].end == end;
    return true;
}

static size_t
count_groups(const struct cover *cover, size_t length)
{
    size_t count = 0;
    bool good = true;

    for (size_t i = 0; i < cover->network->scope_count && good; i++) {
        struct span span = span_of_scope(cover->network, i);

        good = count_group(cover, &span, length, &count);
    }
    for (size_t i = 0; i < cover->network->layer_count && good; i++) {
        struct span span = span_of_layer(cover->network, i);

        good = count_group(cover, &span, length, &count);
    }
    return good ? count : 0;
}

/* How many of those that are left the pattern matches; 0 if it matches any that is not to be checkpointed. */
static size_t
count_matched(const struct cover *cover)
{
    size_t count = 0, first = checkpoint_group_first(cover->pattern.bytes, cover->pattern.length);

    if (first < cover->pattern.length)
        return count_groups(cover, first);

    for (size_t i = 0; i < cover->network->scope_count; i++) {
        if (!text_matches(cover->pattern.bytes, cover->pattern.length, cover->network->scopes[i].name))
            continue;
        if (cover->owner[i] == SIZE_MAX)
            return 0;
        count += is_left(cover, i);
    }
    return count;
}

/* ---- the best of them ---- */

/* Keeps the pattern that was written if it matches more than the best. */
static void
consider(struct cover *cover, size_t *max)
{
    size_t count = count_matched(cover);

    if (count <= *max)
        return;
    *max = count;
    cover->best.length = 0;
    text_append(&cover->best, cover->pattern.bytes);
}

static bool
another_stands_for_it(const struct cover *cover, size_t candidate)
{
    for (size_t i = cover->scopes->items[candidate].kind; i < candidate; i++)
        if (set_has(cover->left, i) && cover->scopes->items[i].kind == cover->scopes->items[candidate].kind)
            return true;
    return false;
}

/* The pattern that matches most, in `best`; how many. */
static size_t
find_best(struct cover *cover)
{
    size_t max = 1;

    for (size_t i = 0; i < cover->scopes->count; i++) {
        const char *name = cover->scopes->items[i].name;

        if (!set_has(cover->left, i) || another_stands_for_it(cover, i))
            continue;
        for (int which = -1; which < MAX_NUMBERS && write_pattern(&cover->pattern, name, which, false); which++) {
            consider(cover, &max);
            if (write_pattern(&cover->pattern, name, which, true))
                consider(cover, &max);
        }
    }
    return max;
}

static void
drop_matched(struct cover *cover)
{
    bool groups = checkpoint_group_first(cover->best.bytes, cover->best.length) < cover->best.length;

    for (size_t i = 0; i < cover->scopes->count; i++)
        if ((cover->scopes->items[i].modules != NULL) == groups &&
            text_matches(cover->best.bytes, cover->best.length, cover->scopes->items[i].name))
            set_remove(cover->left, i);
}

/* ---- the set ---- */

static void
append_pattern(struct text *text, const char *pattern)
{
    text_printf(text, "%s%s", text->length ? ", " : "", pattern);
}

static void
write_all(struct cover *cover, struct text *text)
{
    while (find_best(cover) > 1 && !cover->best.failed && !cover->pattern.failed) {
        append_pattern(text, cover->best.bytes);
        drop_matched(cover);
    }
    for (size_t i = 0; i < cover->scopes->count; i++)
        if (set_has(cover->left, i))
            append_pattern(text, cover->scopes->items[i].name);
}

static void
find_owners(const struct cover *cover)
{
    for (size_t i = 0; i < cover->network->scope_count; i++) {
        const struct scope *scope = &cover->network->scopes[i];

        cover->owner[i] = SIZE_MAX;
        for (size_t k = 0; k < cover->scopes->count && cover->owner[i] == SIZE_MAX; k++) {
            const struct candidate *item = &cover->scopes->items[k];

            if (set_has(cover->left, k) &&
                ((item->first <= scope->first && scope->end <= item->end) || strcmp(item->name, scope->name) == 0))
                cover->owner[i] = k;
        }
    }
}

int
patterns_write(memmodel_context *context, const struct memmodel_network *network, const struct scopes *scopes,
               const uint64_t *set, struct text *text)
{
    size_t words = scopes->count / 64 + 1;
    struct cover cover = {.network = network, .scopes = scopes, .set = set};

    cover.owner = memory_allocate_zeroed(context, network->scope_count + 1, sizeof *cover.owner);
    cover.left = memory_allocate_zeroed(context, words, sizeof *cover.left);
    cover.pattern = cover.best = TEXT_INIT(context);
    if (cover.owner && cover.left) {
        memcpy(cover.left, set, words * sizeof *set);
        find_owners(&cover);
        write_all(&cover, text);
    }
    text->failed |= !cover.owner || !cover.left || cover.best.failed || cover.pattern.failed;
    memory_release(context, cover.owner);
    memory_release(context, cover.left);
    text_release(&cover.pattern);
    text_release(&cover.best);
    return text->failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
}
