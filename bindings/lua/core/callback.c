/*
 * Callbacks: C functions, made by libffi, that call Lua functions. An error in the Lua function does not leap over the
 * library's frames: it waits on the Lua stack until the library has returned, and the C caller gets the value that the
 * callback was made with for this case. Once an error waits, further callbacks of the same call answer so at once.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

struct callback {
    struct callback *next;
    struct glue *glue;
    ffi_closure *closure;
    void *code;
    int function; /* in the registry */
    union value when_failed;
    ffi_cif cif;
    ffi_type *types[MAX_ARGUMENTS];
    char kinds[MAX_ARGUMENTS + 2]; /* of the result, then of each parameter */
};

/* One call of a callback. */
struct entry {
    const struct callback *callback;
    void **arguments;
    union value result;
};

/* Runs protected: any of this may fail for want of memory. */
static int
run(lua_State *L)
{
    struct entry *entry = lua_touserdata(L, 1);
    const struct callback *callback = entry->callback;
    union value value;

    lua_rawgeti(L, LUA_REGISTRYINDEX, callback->function);
    for (unsigned i = 0; i < callback->cif.nargs; i++) {
        memcpy(&value, entry->arguments[i], kind_bytes(callback->kinds[i + 1]));
        value_push(L, callback->kinds[i + 1], &value);
    }
    lua_call(L, (int)callback->cif.nargs, 1);
    if (callback->kinds[0] != 'v')
        value_take(L, callback->glue, -1, callback->kinds[0], &entry->result);
    return 0;
}

static int
run_protected(lua_State *L, struct entry *entry)
{
#if LUA_VERSION_NUM == 501
    return lua_cpcall(L, run, entry);
#else
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, entry);
    return lua_pcall(L, 1, 0, 0);
#endif
}

/* libffi wants small integers widened. */
static void
give(char kind, const union value *value, void *result)
{
    if (kind == 'i')
        ((union value *)result)->widened_int = value->i;
    else if (kind == 'b')
        ((union value *)result)->widened = value->b;
    else if (kind != 'v')
        memcpy(result, value, kind_bytes(kind));
}

static void
enter(ffi_cif *cif, void *result, void **arguments, void *user)
{
    const struct callback *callback = user;
    struct glue *glue = callback->glue;
    struct entry entry = {.callback = callback, .arguments = arguments, .result = callback->when_failed};

    (void)cif;
    if (glue->L && !glue->pending_error && run_protected(glue->L, &entry) != 0) {
        glue->pending_error = lua_gettop(glue->L);
        entry.result = callback->when_failed;
    }
    give(callback->kinds[0], &entry.result, result);
}

static bool
callback_prepare(struct callback *callback)
{
    unsigned count = (unsigned)strlen(callback->kinds) - 1;

    for (unsigned i = 0; i < count; i++)
        callback->types[i] = kind_type(callback->kinds[i + 1]);
    callback->closure = ffi_closure_alloc(sizeof *callback->closure, &callback->code);
    return callback->closure &&
           ffi_prep_cif(&callback->cif, FFI_DEFAULT_ABI, count, kind_type(callback->kinds[0]), callback->types) ==
               FFI_OK &&
           ffi_prep_closure_loc(callback->closure, &callback->cif, enter, callback, callback->code) == FFI_OK;
}

static void
callback_free(lua_State *L, struct callback *callback)
{
    luaL_unref(L, LUA_REGISTRYINDEX, callback->function);
    if (callback->closure)
        ffi_closure_free(callback->closure);
    free(callback);
}

/* callback(owner, kinds, function, when_failed): the address of a C function, which `owner` frees when it is released */
int
core_callback(lua_State *L)
{
    struct object *owner = object_at(L, glue_of(L), 1);
    const char *kinds = luaL_checkstring(L, 2);
    struct callback *callback;
    union value when_failed = {.l = 0};

    luaL_argcheck(L, owner, 1, "object expected");
    luaL_argcheck(L, *kinds && strlen(kinds) <= MAX_ARGUMENTS + 1 && !kinds[strspn(kinds, "ilLzdbpsv")], 2, "kinds");
    luaL_checktype(L, 3, LUA_TFUNCTION);
    if (kinds[0] != 'v')
        value_take(L, glue_of(L), 4, kinds[0], &when_failed);
    callback = calloc(1, sizeof *callback);
    if (!callback)
        return luaL_error(L, "not enough memory");
    callback->glue = glue_of(L);
    callback->function = LUA_NOREF;
    callback->when_failed = when_failed;
    memcpy(callback->kinds, kinds, strlen(kinds) + 1);
    callback->next = owner->callbacks;
    owner->callbacks = callback; /* from here on the owner frees it, whatever fails */
    if (!callback_prepare(callback))
        return luaL_error(L, "libffi cannot make a callback");
    lua_pushvalue(L, 3);
    callback->function = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(L, callback->code);
    return 1;
}

/* forget(owner, address): frees one callback early, once C no longer knows it */
int
core_forget(lua_State *L)
{
    struct object *owner = object_at(L, glue_of(L), 1);
    const void *code = lua_touserdata(L, 2);

    luaL_argcheck(L, owner, 1, "object expected");
    for (struct callback **link = &owner->callbacks; *link; link = &(*link)->next) {
        struct callback *callback = *link;

        if (callback->code != code)
            continue;
        *link = callback->next;
        callback_free(L, callback);
        break;
    }
    return 0;
}

void
callbacks_free(lua_State *L, struct object *object)
{
    while (object->callbacks) {
        struct callback *callback = object->callbacks;

        object->callbacks = callback->next;
        callback_free(L, callback);
    }
}
