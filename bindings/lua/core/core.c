/* What `require "memmodel.core5X"` returns: the functions of the low layer, and the generated tables. */
#include "core.h"

#include <memmodel.h>

static const luaL_Reg functions[] = {
    {"buffer", core_buffer}, {"adopt", core_adopt}, {"scope", core_scope},       {"release", core_release},
    {"put", core_put},       {"get", core_get},     {"get3", core_get3},         {"doubles", core_doubles},
    {"gather", core_gather}, {"text", core_text},   {"callback", core_callback}, {"forget", core_forget},
};

static struct glue *
glue_new(lua_State *L)
{
    struct glue *glue = lua_newuserdata(L, sizeof *glue);

    *glue = (struct glue){.L = NULL};
    luaL_ref(L, LUA_REGISTRYINDEX); /* as long as the Lua state */
    return glue;
}

static void
push_layouts(lua_State *L)
{
    lua_newtable(L);
    for (const struct layout *layout = layouts; layout->name; layout++) {
        lua_pushinteger(L, layout->value);
        lua_setfield(L, -2, layout->name);
    }
}

/* luaopen_memmodel_core51 for Lua 5.1, and so on: a module for another version is never taken by mistake. */
#define JOIN(a, b) a##b
#define OPEN(version) JOIN(luaopen_memmodel_core, version)
#define luaopen_memmodel_core OPEN(MEMMODEL_LUA_VERSION)

MEMMODEL_API int
luaopen_memmodel_core(lua_State *L);

int
luaopen_memmodel_core(lua_State *L)
{
    struct glue *glue = glue_new(L);

    object_register(L, glue);
    lua_newtable(L);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        lua_pushlightuserdata(L, glue);
        lua_pushcclosure(L, functions[i].func, 1);
        lua_setfield(L, -2, functions[i].name);
    }
    call_register(L, glue);
    lua_setfield(L, -2, "call");
    push_layouts(L);
    lua_setfield(L, -2, "layout");
    return 1;
}
