/*
 * Userdata: buffers (memory that C reads and writes), handles (objects of the library, dropped by __gc), and scopes (owners
 * of callbacks that live as long as one call). Releasing is possible in any order: the library's objects count their
 * references to each other.
 */
#include "core.h"

#include <memmodel.h>
#include <string.h>

static struct object *
object_new(lua_State *L, size_t bytes)
{
    struct object *object = lua_newuserdata(L, sizeof *object + bytes);

    memset(object, 0, sizeof *object + bytes);
    lua_pushlightuserdata(L, glue_of(L));
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_setmetatable(L, -2);
    return object;
}

struct object *
object_at(lua_State *L, const struct glue *glue, int index)
{
    struct object *object = lua_touserdata(L, index);
    bool ours;

    if (!object || !lua_getmetatable(L, index))
        return NULL;
    ours = lua_topointer(L, -1) == glue->metatable;
    lua_pop(L, 1);
    return ours ? object : NULL;
}

static struct object *
check_object(lua_State *L, int index)
{
    struct object *object = object_at(L, glue_of(L), index);

    if (!object)
        luaL_error(L, "no object of memmodel: %s", luaL_typename(L, index));
    return object;
}

/* Once: a second release does nothing. Callbacks go after the object that may call them. */
static void
object_release(lua_State *L, struct object *object)
{
    void *pointer = object->pointer;

    object->pointer = NULL;
    if (pointer && object->before_unref)
        object->before_unref(pointer);
    if (pointer && object->unref)
        object->unref(pointer);
    callbacks_free(L, object);
}

static int
collect(lua_State *L)
{
    struct object *object = object_at(L, glue_of(L), 1);

    if (object)
        object_release(L, object);
    return 0;
}

void
object_register(lua_State *L, struct glue *glue)
{
    lua_pushlightuserdata(L, glue); /* the place of the metatable in the registry */
    lua_newtable(L);
    glue->metatable = lua_topointer(L, -1);
    lua_pushlightuserdata(L, glue);
    lua_pushcclosure(L, collect, 1);
    lua_setfield(L, -2, "__gc");
    lua_pushliteral(L, "memmodel");
    lua_setfield(L, -2, "__metatable"); /* scripts cannot take the metatable to pieces */
    lua_rawset(L, LUA_REGISTRYINDEX);
}

/* buffer(bytes): zeroed memory */
int
core_buffer(lua_State *L)
{
    lua_Number bytes = luaL_checknumber(L, 1);
    struct object *object;

    luaL_argcheck(L, bytes >= 0 && bytes <= (lua_Number)(PTRDIFF_MAX / 2), 1, "too large");
    object = object_new(L, (size_t)bytes + 1); /* a buffer of 0 bytes has an address too */
    object->bytes = (size_t)bytes;
    object->pointer = object + 1;
    return 1;
}

/* A context may outlive its handle, because its objects refer to it; the callbacks would be gone by then. */
static void
silence(void *context)
{
    memmodel_context_set_log(context, NULL, NULL);
    memmodel_context_set_progress(context, NULL, NULL);
}

/* adopt(address, type): a handle, which drops its reference when it is collected */
int
core_adopt(lua_State *L)
{
    void *pointer = lua_touserdata(L, 1);
    const char *name = luaL_checkstring(L, 2);
    const struct destructor *destructor = destructors;
    struct object *object;

    luaL_argcheck(L, lua_islightuserdata(L, 1), 1, "address expected");
    while (destructor->name && strcmp(destructor->name, name) != 0)
        destructor++;
    luaL_argcheck(L, destructor->name, 2, "no such type");
    object = object_new(L, 0);
    object->pointer = pointer;
    object->unref = destructor->unref;
    object->before_unref = strcmp(name, "memmodel_context") == 0 ? silence : NULL;
    return 1;
}

/* scope(): owner of callbacks that end with release() */
int
core_scope(lua_State *L)
{
    object_new(L, 0);
    return 1;
}

/* release(object): now rather than when it is collected */
int
core_release(lua_State *L)
{
    object_release(L, check_object(L, 1));
    return 0;
}
