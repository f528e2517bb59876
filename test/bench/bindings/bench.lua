-- What predictions cost from Lua, as JSON lines; the best of some rounds. usage: bench.lua MODEL

local memmodel = require "memmodel"

local ROUNDS, CALLS = 60, 20000
local name = jit and "LuaJIT" or _VERSION

local function best(run)
    local min = math.huge
    for _ = 1, ROUNDS do
        local start = os.clock()
        run()
        min = math.min(min, os.clock() - start)
    end
    return min / CALLS * 1e9
end

local function report(benchmark, run)
    print(('{"benchmark": "%s", "binding": "%s", "nanoseconds": %.1f}'):format(benchmark, name, best(run)))
end

local model = memmodel.load_model(arg[1])
local evaluate = model:evaluator()
local sum = 0

report("one point", function()
    for i = 1, CALLS do
        sum = sum + evaluate(32 + i % 100, 4)
    end
end)
report("one point by name", function()
    local point = {dim = 64, batch = 4}
    for i = 1, CALLS do
        point.dim = 32 + i % 100
        sum = sum + model:evaluate(point)
    end
end)
report("one point with its bound", function()
    local point = {dim = 64, batch = 4}
    for _ = 1, CALLS do
        sum = sum + model:predict(point)
    end
end)
assert(sum > 0)
