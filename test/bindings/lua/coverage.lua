-- Every function of the library is there, under its own name, or left out with a reason.
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, truth = harness.test, harness.equal, harness.truth

test("every function of the library can be called, or is left out for a reason", function()
    local count = 0
    for name in pairs(memmodel.api.functions) do
        local reason = memmodel.api.left_out[name]
        truth(reason and #reason > 10 or type(memmodel.C[name]) == "function")
        count = count + 1
    end
    truth(count > 100)
end)

test("what is left out is the counting of references, and the freeing of texts", function()
    for name in pairs(memmodel.api.left_out) do
        truth(name:find "_ref$" or name:find "_unref$" or name == "memmodel_free")
        equal(memmodel.C[name], nil)
    end
end)

test("functions without a comment in the map are unknown", function()
    equal(memmodel.C.memmodel_no_such_function, nil)
end)

test("the version is that of the library", function()
    truth(memmodel._VERSION:find "^%d+%.%d+%.%d+$")
    equal(memmodel.version(), memmodel.api.constants.MEMMODEL_VERSION)
end)

test("no loop over pairs is compiled by LuaJIT", function()
    local found = package.searchpath or harness.skip "Lua 5.1"
    for name in pairs(package.loaded) do
        if name:find "^memmodel" then
            local path = found(name, package.path)
            local file = path and io.open(path)
            equal(file and file:read("*a"):find "in pairs%(", nil)
            truth(not file or file:close())
        end
    end
end)
