/* A Lua module for timing inside slurmctld: seconds that pass for everyone, and those that this thread had a processor. */
#include <lauxlib.h>
#include <lua.h>
#include <time.h>

int
luaopen_clock(lua_State *lua);

static int
seconds(lua_State *lua, clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    lua_pushnumber(lua, (lua_Number)time.tv_sec + (lua_Number)time.tv_nsec * 1e-9);
    return 1;
}

static int
wall(lua_State *lua)
{
    return seconds(lua, CLOCK_MONOTONIC);
}

static int
processor(lua_State *lua)
{
    return seconds(lua, CLOCK_THREAD_CPUTIME_ID);
}

int
luaopen_clock(lua_State *lua)
{
    lua_createtable(lua, 0, 2);
    lua_pushcfunction(lua, wall);
    lua_setfield(lua, -2, "wall");
    lua_pushcfunction(lua, processor);
    lua_setfield(lua, -2, "processor");
    return 1;
}
