-- Whole numbers of 64 bits are exact, or refused.
local fixtures = require "fixtures"
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, refused = harness.test, harness.equal, harness.refused

local EXACT = 2 ^ 53
local has_integers = math.type ~= nil
local has_64_bits = has_integers or jit

local function live_bytes(network, n)
    return network:estimate({ symbols = { n = n }, framework = "textbook", textbook_rule = "forward" }):result().live
end

-- 2^53 + 1 where this Lua has it
local function beyond()
    if has_integers then
        return math.tointeger(EXACT) + 1
    end
    return jit and require("ffi").new("int64_t", EXACT) + 1
end

test("numbers up to 2^53 go there and back", function()
    for _, n in ipairs { 1, 12345678901, EXACT - 1, EXACT } do
        equal(live_bytes(fixtures.bytes "n", n), n)
    end
end)

test("numbers beyond 2^53 go there and back where Lua has them", function()
    if not has_64_bits then
        harness.skip "this Lua has doubles only"
    end
    equal(live_bytes(fixtures.bytes "n", beyond()), beyond())
end)

test("a result beyond 2^53 is an error where Lua would round it", function()
    local ok, result = pcall(live_bytes, fixtures.bytes "2 * n + 1", EXACT / 2)
    if has_64_bits then
        equal(result, beyond())
    else
        equal(ok, false)
        harness.truth(tostring(result):find "2%^53")
    end
end)

test("a double beyond 2^53 is refused where it may have been rounded", function()
    if has_integers then
        harness.skip "this Lua has integers"
    end
    refused("INVALID_ARGUMENT", "job.symbols[1].value", "beyond 2^53", live_bytes, fixtures.bytes "n", EXACT * 2)
end)

test("fractions, not-a-numbers and infinities are no whole numbers", function()
    for _, n in ipairs { 1.5, 0 / 0, 1 / 0, -1 / 0, 2 ^ 64 } do
        refused("INVALID_ARGUMENT", "job.symbols[1].value", "", live_bytes, fixtures.bytes "n", n)
    end
end)

test("numbers of 32 bits and sizes are held to their range", function()
    local model = fixtures.model()
    refused("INVALID_ARGUMENT", "index", "out of range", memmodel.C.memmodel_model_get_input, model, -1)
    refused("INVALID_ARGUMENT", "index", "out of range", function()
        local network, x = fixtures.unet()
        network:layer_output(x, 2 ^ 31)
    end)
    refused("INVALID_ARGUMENT", "seed", "out of range", fixtures.samples().split, fixtures.samples(), 0.5, -1)
end)
