/* Symbols of a pool and their names. */
#include "expression/pool.h"

#include <string.h>

static bool
same_name(const void *owner, int32_t id, const void *key)
{
    return strcmp(((const struct expression_pool *)owner)->names[id], key) == 0;
}

static bool
is_name(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", later[] = "0123456789.";

    if (!*name || !strchr(first, *name))
        return false;
    for (name++; *name; name++)
        if (!strchr(first, *name) && !strchr(later, *name))
            return false;
    return true;
}

/* The index of a new symbol. */
static int
add_name(struct expression_pool *pool, const char *name)
{
    const char *copy;

    if (!is_name(name))
        return context_error(pool->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "\"%.64s\" is no name of a symbol: letters, digits, '_' and '.', a letter first", name);
    if (pool->name_count == SYMBOL_LIMIT)
        return context_error(pool->context, MEMMODEL_ERROR_OVERFLOW, NULL, "more than %d symbols", SYMBOL_LIMIT);
    if (table_reserve(pool->context, &pool->name_table) || pool_widen_rows(pool, pool->name_count + 1) ||
        array_reserve(pool->context, &pool->names, &pool->name_capacity, pool->name_count + 1, sizeof *pool->names))
        return MEMMODEL_ERROR_NO_MEMORY;
    copy = arena_copy_text(&pool->names_arena, name);
    if (!copy)
        return MEMMODEL_ERROR_NO_MEMORY;
    pool->names[pool->name_count] = copy;
    table_put(&pool->name_table, hash_text(name), pool->name_count);
    return (int)pool->name_count++;
}

expression
expression_symbol(struct expression_pool *pool, const char *name)
{
    int32_t index = (int32_t)expression_find_symbol(pool, name);

    if (index < 0)
        index = add_name(pool, name);
    return index < 0 ? index : atom_intern(pool, ATOM_SYMBOL, index, 0, 1);
}

size_t
expression_symbol_count(const struct expression_pool *pool)
{
    return pool->name_count;
}

const char *
expression_symbol_name(const struct expression_pool *pool, size_t symbol)
{
    return pool->names[symbol];
}

ptrdiff_t
expression_find_symbol(const struct expression_pool *pool, const char *name)
{
    return table_find(&pool->name_table, hash_text(name), same_name, pool, name);
}
