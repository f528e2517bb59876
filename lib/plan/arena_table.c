/* A solved plan as a table in C, for programs with include/memmodel_arena.h. */
#include "base/environment.h"
#include "base/checked.h"
#include "base/text.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
is_identifier(const char *name)
{
    if (!is_letter(*name))
        return false;
    while (is_letter(*name) || is_digit(*name))
        name++;
    return !*name;
}

/* ---- numbers by name ---- */

/* In capitals, all that C has no use for as "_". */
static char
capital(char c)
{
    if (c >= 'a' && c <= 'z')
        return (char)(c - 'a' + 'A');
    return is_letter(c) || is_digit(c) ? c : '_';
}

static void
append_capitals(struct text *text, const char *name)
{
    for (; *name; name++) {
        char c = capital(*name);

        text_append_bytes(text, &c, 1);
    }
}

/* Order of the names as they come out, so that those which are the same are neighbours. */
static int
compare_names(const char *a, const char *b)
{
    while (*a && capital(*a) == capital(*b)) {
        a++;
        b++;
    }
    return (*a ? capital(*a) : 0) - (*b ? capital(*b) : 0);
}

static int
by_name(const void *a, const void *b)
{
    const struct plan_buffer *x = *(const struct plan_buffer *const *)a, *y = *(const struct plan_buffer *const *)b;
    int order = compare_names(x->name, y->name);

    return order ? order : (x > y) - (x < y);
}

/* Marks the buffers that have a name of their own. */
static int
find_own_names(const memmodel_plan *plan, bool *has_own_name)
{
    const struct plan_buffer **sorted = memory_allocate_zeroed(plan->context, plan->count, sizeof *sorted);
    size_t named = 0;

    if (!sorted)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->buffers[i].name[0])
            sorted[named++] = &plan->buffers[i];
    qsort(sorted, named, sizeof *sorted, by_name);
    for (size_t i = 0; i < named; i++)
        has_own_name[sorted[i] - plan->buffers] =
            (i == 0 || compare_names(sorted[i - 1]->name, sorted[i]->name) != 0) &&
            (i + 1 == named || compare_names(sorted[i]->name, sorted[i + 1]->name) != 0);
    memory_release(plan->context, sorted);
    return 0;
}

/* The count has small letters, so that no buffer is called so. */
static void
append_names(struct text *text, const memmodel_plan *plan, const char *table)
{
    bool *has_own_name = memory_allocate_zeroed(plan->context, plan->count, sizeof *has_own_name);

    if (!has_own_name || find_own_names(plan, has_own_name))
        text->failed = true;
    text_append(text, "enum {\n");
    for (size_t i = 0; i < plan->count && !text->failed; i++) {
        if (!has_own_name[i])
            continue;
        text_append(text, "    ");
        append_capitals(text, table);
        text_append(text, "_");
        append_capitals(text, plan->buffers[i].name);
        text_printf(text, " = %zu,\n", i);
    }
    text_printf(text, "    %s_count = %zu\n};\n\n", table, plan->count);
    memory_release(plan->context, has_own_name);
}

/* ---- rows ---- */

/* As a string literal: three octal digits for what is not plain, so that no digit after them counts. */
static void
append_literal(struct text *text, const char *name)
{
    text_append(text, "\"");
    for (; *name; name++) {
        if (*name < ' ' || *name > '~' || strchr("\"\\?", *name))
            text_printf(text, "\\%03o", (unsigned)(unsigned char)*name);
        else
            text_append_bytes(text, name, 1);
    }
    text_append(text, "\"");
}

static void
append_buffers(struct text *text, const memmodel_plan *plan, const char *table)
{
    text_printf(text, "static const struct memmodel_arena_buffer %s_buffers[] = {\n", table);
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_buffer *buffer = &plan->buffers[i];

        text_append(text, "    {");
        append_literal(text, buffer->name);
        text_printf(text, ", %" PRId64 "u, %" PRId64 "u, %zuu},\n", plan->offsets[i], buffer->bytes, buffer->base);
    }
    text_append(text, "};\n\n");
}

static void
append_live_range(struct text *text, size_t buffer, int64_t begin, int64_t end)
{
    text_printf(text, "    {%zuu, %" PRId64 ", %" PRId64 "},\n", buffer, begin, end);
}

/* How many. */
static size_t
append_live_ranges(struct text *text, const memmodel_plan *plan, const char *table)
{
    size_t count = plan->count;

    text_printf(text, "static const struct memmodel_arena_live_range %s_live_ranges[] = {\n", table);
    for (size_t i = 0; i < plan->count; i++) {
        int64_t begin = plan->buffers[i].begin;

        for (const struct plan_gap *gap = plan->buffers[i].gaps; gap; gap = gap->next, count++) {
            append_live_range(text, i, begin, gap->begin);
            begin = gap->end;
        }
        append_live_range(text, i, begin, plan->buffers[i].end);
    }
    text_append(text, "};\n\n");
    return count;
}

/* ---- all ---- */

static int64_t
max_alignment(const memmodel_plan *plan)
{
    int64_t alignment = 1;

    for (size_t i = 0; i < plan->count; i++)
        alignment = max_i64(alignment, plan->buffers[i].alignment);
    return alignment;
}

static int
c_of_plan(const memmodel_plan *plan, const char *name, memmodel_context *context, char **code)
{
    OWN_ENVIRONMENT;
    struct text text;
    size_t live_ranges;

    if (!plan->offsets)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "the plan is not solved");
    if (!is_identifier(name))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "\"%s\" is no name in C", name);
    text = TEXT_INIT(context);
    text_printf(&text, "/* A plan of %zu buffers, %" PRId64 " bytes side by side, in %" PRId64 ": %s. */\n",
                plan->count, plan->result.total_bytes, plan->result.peak,
                memmodel_search_status_name(plan->result.status));
    text_append(&text, "#include \"memmodel_arena.h\"\n\n");
    append_names(&text, plan, name);
    append_buffers(&text, plan, name);
    live_ranges = append_live_ranges(&text, plan, name);
    text_printf(&text,
                "static const struct memmodel_arena_plan %s = {%" PRId64 "u, %" PRId64 "u, %zuu, %zuu, %s_buffers, "
                "%s_live_ranges};\n",
                name, plan->result.peak, max_alignment(plan), plan->count, live_ranges, name, name);
    return text_hand_out(&text, code);
}

int
memmodel_plan_to_c(const memmodel_plan *plan, const char *name, memmodel_context *context, char **code)
{
    int status;

    if (!plan || !name || !code)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : plan->context;
    status = context_begin(context);
    return context_end(context, status ? status : c_of_plan(plan, name, context, code));
}
