/*
 * The low layer of the PUC-Lua binding: calls through libffi, memory that C reads, handles, callbacks. It knows no function
 * of the library by itself; their signatures are in signatures.c, which is generated from the headers.
 *
 * What it offers to Lua is what memmodel/jit.lua offers on LuaJIT; memmodel/marshal.lua stands on either. Its callers
 * have checked their arguments: only that file uses it.
 *
 * A scalar has a kind, named by one letter:
 *   i int32   l int64   L uint64   z size_t   d double   b bool   p pointer   s string   v nothing
 */
#ifndef MEMMODEL_LUA_CORE_H
#define MEMMODEL_LUA_CORE_H

#include <ffi.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if LUA_VERSION_NUM < 501 || LUA_VERSION_NUM > 504
#error "written for Lua 5.1 to 5.4"
#endif

#if LUA_VERSION_NUM == 501
#define lua_rawlen lua_objlen
#endif

#define MAX_ARGUMENTS 16

/* ---- generated: signatures.c, layouts.c ---- */

typedef void (*any_function)(void);

struct signature {
    const char *name;
    const char *kinds; /* of the result, then of each parameter: "ips" is int f(void *, const char *) */
    any_function function;
};

struct layout {
    const char *name;  /* "memmodel_conv" for the struct, "memmodel_conv.kernel" for a field of it */
    lua_Integer value; /* its bytes; its offset */
};

struct destructor {
    const char *name; /* of the handle's type */
    void (*unref)(void *pointer);
};

extern const struct signature signatures[];
extern const size_t signature_count;
extern const struct layout layouts[];
extern const struct destructor destructors[];

/* ---- core.c ---- */

/* One a Lua state, the first upvalue of every function here. */
struct glue {
    const void *metatable; /* of all objects */
    lua_State *L;          /* the thread whose call is in the library now */
    int pending_error;     /* place on its stack of the first error of a callback; 0 if none */
};

static inline struct glue *
glue_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* ---- value.c ---- */

union value {
    int32_t i;
    int64_t l;
    uint64_t u;
    size_t z;
    double d;
    _Bool b;
    const void *p;
    ffi_arg widened;      /* libffi widens small integers that it returns */
    ffi_sarg widened_int; /* the same, with a sign */
};

ffi_type *
kind_type(char kind);

size_t
kind_bytes(char kind);

/* Raises a Lua error if the value at `index` is not of the kind, or not exactly representable in it. */
void
value_take(lua_State *L, const struct glue *glue, int index, char kind, union value *value);

/* Raises a Lua error if the value is not exactly representable in Lua. */
void
value_push(lua_State *L, char kind, const union value *value);

/* ---- object.c: userdata, all with one metatable ---- */

struct object {
    _Alignas(8) void *pointer;           /* what C is given; NULL once it is released */
    size_t bytes;                        /* of a buffer: its size, 0 otherwise */
    void (*unref)(void *pointer);        /* of a handle; NULL otherwise */
    void (*before_unref)(void *pointer); /* of a context: takes its callbacks away */
    struct callback *callbacks;          /* C may call them as long as the object lives */
};

void
object_register(lua_State *L, struct glue *glue);

/* NULL if the value is no object. */
struct object *
object_at(lua_State *L, const struct glue *glue, int index);

int
core_buffer(lua_State *L);

int
core_adopt(lua_State *L);

int
core_scope(lua_State *L);

int
core_release(lua_State *L);

/* ---- memory.c ---- */

int
core_put(lua_State *L);

int
core_get(lua_State *L);

int
core_get3(lua_State *L);

int
core_gather(lua_State *L);

int
core_doubles(lua_State *L);

int
core_text(lua_State *L);

/* ---- call.c ---- */

/* Pushes a table with a Lua function for each signature. */
void
call_register(lua_State *L, struct glue *glue);

/* ---- callback.c ---- */

int
core_callback(lua_State *L);

int
core_forget(lua_State *L);

void
callbacks_free(lua_State *L, struct object *object);

#endif
