/* Calls into the library through libffi, by the generated signatures. */
#include "core.h"

#include <string.h>

struct prepared {
    const struct signature *signature;
    struct glue *glue;
    unsigned count;
    ffi_cif cif;
    ffi_type *types[MAX_ARGUMENTS];
};

/* Callbacks find their thread in the glue. What they left on its stack beyond `top` is their first error. */
static void
invoke(lua_State *L, struct prepared *prepared, union value *result, void **arguments)
{
    struct glue *glue = prepared->glue;
    const struct glue outer = *glue;
    bool failed;

    glue->L = L;
    glue->pending_error = 0;
    ffi_call(&prepared->cif, prepared->signature->function, result, arguments);
    failed = glue->pending_error != 0;
    if (failed)
        lua_settop(L, glue->pending_error);
    *glue = outer;
    if (failed)
        lua_error(L);
}

static int
call(lua_State *L)
{
    struct prepared *prepared = lua_touserdata(L, lua_upvalueindex(2));
    const char *kinds = prepared->signature->kinds;
    union value values[MAX_ARGUMENTS];
    void *arguments[MAX_ARGUMENTS];
    union value result = {.l = 0};

    luaL_checkstack(L, LUA_MINSTACK, "too many calls within each other");
    for (unsigned i = 0; i < prepared->count; i++) {
        value_take(L, prepared->glue, (int)i + 1, kinds[i + 1], &values[i]);
        arguments[i] = &values[i];
    }
    invoke(L, prepared, &result, arguments);
    if (kinds[0] == 'v')
        return 0;
    if (kinds[0] == 'i')
        result.i = (int32_t)result.widened_int;
    value_push(L, kinds[0], &result);
    return 1;
}

static void
prepare(lua_State *L, struct prepared *prepared, const struct signature *signature, struct glue *glue)
{
    const char *kinds = signature->kinds;

    prepared->signature = signature;
    prepared->glue = glue;
    prepared->count = (unsigned)strlen(kinds) - 1;
    if (prepared->count > MAX_ARGUMENTS)
        luaL_error(L, "%s has too many parameters", signature->name);
    for (unsigned i = 0; i < prepared->count; i++)
        prepared->types[i] = kind_type(kinds[i + 1]);
    if (ffi_prep_cif(&prepared->cif, FFI_DEFAULT_ABI, prepared->count, kind_type(kinds[0]), prepared->types) != FFI_OK)
        luaL_error(L, "libffi cannot call %s", signature->name);
}

/* All are prepared at once, in one block of memory that every function keeps alive. */
void
call_register(lua_State *L, struct glue *glue)
{
    struct prepared *prepared = lua_newuserdata(L, signature_count * sizeof *prepared);
    int block = lua_gettop(L);

    lua_createtable(L, 0, (int)signature_count);
    for (size_t i = 0; i < signature_count; i++) {
        prepare(L, &prepared[i], &signatures[i], glue);
        lua_pushlightuserdata(L, glue);
        lua_pushlightuserdata(L, &prepared[i]);
        lua_pushvalue(L, block);
        lua_pushcclosure(L, call, 3);
        lua_setfield(L, -2, signatures[i].name);
    }
    lua_remove(L, block);
}
