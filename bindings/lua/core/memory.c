/* Reading and writing memory that C sees: fields of structs, elements of arrays, texts. */
#include "core.h"

#include <string.h>

/* Where to read or write: within a buffer, or at an address that the library handed out. */
static char *
place(lua_State *L, int index, size_t offset, size_t bytes)
{
    const struct object *object = object_at(L, glue_of(L), index);

    if (!object) {
        luaL_argcheck(L, lua_islightuserdata(L, index), index, "memory expected");
        return (char *)lua_touserdata(L, index) + offset;
    }
    luaL_argcheck(L, bytes <= object->bytes && offset <= object->bytes - bytes, index, "outside of the buffer");
    return (char *)object->pointer + offset;
}

static size_t
check_offset(lua_State *L, int index)
{
    lua_Number offset = luaL_checknumber(L, index);

    luaL_argcheck(L, offset >= 0 && offset <= (lua_Number)(PTRDIFF_MAX / 2), index, "offset expected");
    return (size_t)offset;
}

/* put(memory, offset, kind, value); a string or object whose address is stored must be kept alive by the caller */
int
core_put(lua_State *L)
{
    size_t offset = check_offset(L, 2);
    char kind = *luaL_checkstring(L, 3);
    size_t bytes = kind_bytes(kind);
    char *target = place(L, 1, offset, bytes);
    union value value;

    value_take(L, glue_of(L), 4, kind, &value);
    memcpy(target, &value, bytes);
    return 0;
}

static void
get(lua_State *L, int argument)
{
    size_t offset = check_offset(L, argument);
    char kind = *luaL_checkstring(L, argument + 1);
    size_t bytes = kind_bytes(kind);
    const char *source = place(L, 1, offset, bytes);
    union value value;

    memcpy(&value, source, bytes);
    value_push(L, kind, &value);
}

/* get(memory, offset, kind) */
int
core_get(lua_State *L)
{
    get(L, 2);
    return 1;
}

/* get3(memory, offset, kind, offset, kind, offset, kind): three at once */
int
core_get3(lua_State *L)
{
    for (int argument = 2; argument < 8; argument += 2)
        get(L, argument);
    return 3;
}

/* doubles(buffer, number...): writes them from its start on */
int
core_doubles(lua_State *L)
{
    int count = lua_gettop(L) - 1;
    double *target = (double *)(void *)place(L, 1, 0, (size_t)count * sizeof *target);

    for (int i = 0; i < count; i++)
        target[i] = luaL_checknumber(L, i + 2);
    return 0;
}

static bool
take_named(lua_State *L, int name, double *number)
{
    lua_rawgeti(L, 2, name);
    lua_gettable(L, 3);
    *number = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER)
        return false;
    lua_pop(L, 1);
    return true;
}

static int
field_count(lua_State *L, int index)
{
    int count = 0;

    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        count++;
    return count;
}

/*
 * gather(buffer, names, fields): writes the numbers that the table `fields` has under these names, in their order.
 * Returns nil; or the place of the first name without a number; or 0 if `fields` has more than these.
 */
int
core_gather(lua_State *L)
{
    size_t count = lua_rawlen(L, 2);
    char *target = place(L, 1, 0, count * sizeof(double));
    double number;

    for (size_t i = 0; i < count; i++) {
        if (!take_named(L, (int)i + 1, &number)) {
            lua_pushinteger(L, (lua_Integer)i + 1);
            return 1;
        }
        memcpy(target + i * sizeof number, &number, sizeof number);
    }
    if (field_count(L, 3) == (int)count)
        return 0;
    lua_pushinteger(L, 0);
    return 1;
}

/* text(address[, length]) */
int
core_text(lua_State *L)
{
    const char *text = lua_touserdata(L, 1);

    luaL_argcheck(L, lua_islightuserdata(L, 1), 1, "address expected");
    lua_pushlstring(L, text, lua_isnoneornil(L, 2) ? strlen(text) : check_offset(L, 2));
    return 1;
}
