/* A Lua module with one function: seconds that pass for everyone, for timing inside slurmctld. os.clock() has processor time. */
#include <lauxlib.h>
#include <lua.h>
#include <time.h>

int
luaopen_clock(lua_State *lua);

static int
now(lua_State *lua)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    lua_pushnumber(lua, (lua_Number)time.tv_sec + (lua_Number)time.tv_nsec * 1e-9);
    return 1;
}

int
luaopen_clock(lua_State *lua)
{
    lua_pushcfunction(lua, now);
    return 1;
}
