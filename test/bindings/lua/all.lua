-- All tests, the same on every Lua. usage: lua all.lua [NAME...]
local names = { ... }
if #names == 0 then
    names = { "coverage", "predictions", "networks", "numbers", "callbacks", "bad_input", "lifetimes" }
end
for _, name in ipairs(names) do
    require(name)
end
require("harness").finish()
