-- The low layer of this Lua: LuaJIT's own ffi, or the C module made for this version.
if jit then
    return require "memmodel.jit"
end
local core = require("memmodel.core" .. _VERSION:gsub("%D", ""))
core.direct = core.call
return core
