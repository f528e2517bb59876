/* Scalars between Lua and C: exact, or an error. */
#include "core.h"

#include <math.h>
#include <string.h>

/* Lua 5.1 and 5.2 have doubles only: whole numbers are exact up to here. */
#define EXACT 9007199254740992.0

static const struct {
    char kind;
    ffi_type *type;
    size_t bytes;
} kinds[] = {
    {'i', &ffi_type_sint32, sizeof(int32_t)},
    {'l', &ffi_type_sint64, sizeof(int64_t)},
    {'L', &ffi_type_uint64, sizeof(uint64_t)},
    {'d', &ffi_type_double, sizeof(double)},
    {'b', &ffi_type_uint8, sizeof(_Bool)},
    {'p', &ffi_type_pointer, sizeof(void *)},
    {'s', &ffi_type_pointer, sizeof(void *)},
    {'v', &ffi_type_void, 0},
    {'z', sizeof(size_t) == 8 ? &ffi_type_uint64 : &ffi_type_uint32, sizeof(size_t)},
};

ffi_type *
kind_type(char kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return kinds[i].type;
    return NULL;
}

size_t
kind_bytes(char kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return kinds[i].bytes;
    return 0;
}

#if LUA_VERSION_NUM >= 503

static int64_t
take_whole(lua_State *L, int index)
{
    int whole = 0;
    lua_Integer number = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;

    if (!whole)
        luaL_error(L, "a whole number of 64 bits expected, got %s", luaL_tolstring(L, index, NULL));
    return number;
}

static void
push_whole(lua_State *L, int64_t number)
{
    lua_pushinteger(L, number);
}

#else

/* -2^63 is let through: it is MEMMODEL_DIM_INFER, and as a power of two it is exact. */
static int64_t
take_whole(lua_State *L, int index)
{
    double number = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : NAN;

    if (number == -1024 * EXACT)
        return INT64_MIN;
    if (!(fabs(number) <= EXACT) || floor(number) != number)
        luaL_error(L, "a whole number of at most 2^53 expected, which is what this Lua can hold exactly");
    return (int64_t)number;
}

static void
push_whole(lua_State *L, int64_t number)
{
    if (number > (int64_t)EXACT || number < -(int64_t)EXACT)
        luaL_error(L, "a number beyond 2^53, which this Lua cannot hold exactly");
    lua_pushnumber(L, (lua_Number)number);
}

#endif

static int64_t
take_between(lua_State *L, int index, int64_t min, int64_t max)
{
    int64_t number = take_whole(L, index);

    if (number < min || number > max)
        luaL_error(L, "number out of range");
    return number;
}

/* NULL for nil, a string's characters, an object's pointer, or an address. */
static const void *
take_pointer(lua_State *L, const struct glue *glue, int index)
{
    const struct object *object;

    switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL:
        return NULL;
    case LUA_TSTRING:
        return lua_tostring(L, index);
    case LUA_TLIGHTUSERDATA:
        return lua_touserdata(L, index);
    default:
        object = object_at(L, glue, index);
        if (!object)
            luaL_error(L, "no pointer: %s", luaL_typename(L, index));
        else if (!object->pointer)
            luaL_error(L, "the object is closed");
        return object ? object->pointer : NULL;
    }
}

static double
take_double(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TNUMBER)
        luaL_error(L, "number expected, got %s", luaL_typename(L, index));
    return lua_tonumber(L, index);
}

void
value_take(lua_State *L, const struct glue *glue, int index, char kind, union value *value)
{
    switch (kind) {
    case 'd':
        value->d = take_double(L, index);
        break;
    case 'i':
        value->i = (int32_t)take_between(L, index, INT32_MIN, INT32_MAX);
        break;
    case 'l':
        value->l = take_whole(L, index);
        break;
    case 'L':
        value->u = (uint64_t)take_between(L, index, 0, INT64_MAX);
        break;
    case 'z':
        value->z = (size_t)take_between(L, index, 0, PTRDIFF_MAX);
        break;
    case 'b':
        value->b = lua_toboolean(L, index) != 0;
        break;
    case 's':
    case 'p':
        value->p = take_pointer(L, glue, index);
        break;
    default:
        luaL_error(L, "no such kind");
    }
}

static void
push_pointer(lua_State *L, char kind, const void *pointer)
{
    if (!pointer)
        lua_pushnil(L);
    else if (kind == 's')
        lua_pushstring(L, pointer);
    else
        lua_pushlightuserdata(L, (void *)(uintptr_t)pointer);
}

static void
push_unsigned(lua_State *L, uint64_t number)
{
    if (number > INT64_MAX)
        luaL_error(L, "a number beyond 2^63, which this Lua cannot hold exactly");
    push_whole(L, (int64_t)number);
}

void
value_push(lua_State *L, char kind, const union value *value)
{
    switch (kind) {
    case 'd':
        lua_pushnumber(L, value->d);
        break;
    case 'i':
        lua_pushinteger(L, value->i);
        break;
    case 'l':
        push_whole(L, value->l);
        break;
    case 'L':
        push_unsigned(L, value->u);
        break;
    case 'z':
        push_unsigned(L, value->z);
        break;
    case 'b':
        lua_pushboolean(L, value->b);
        break;
    default:
        push_pointer(L, kind, value->p);
    }
}
