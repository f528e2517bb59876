-- Objects go in any order, by close() or by the collector, and leave nothing behind.
local fixtures = require "fixtures"
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, truth = harness.test, harness.equal, harness.truth

local function collect()
    for _ = 1, 3 do
        collectgarbage()
    end
end

-- A context and a chain of objects that were each made from another.
local function family()
    local context = memmodel.new_context()
    local network = memmodel.C.memmodel_network_new(context)
    network:input("x", "float32", { "batch", 4 })
    local report = network:estimate { symbols = { batch = 2 } }
    return { context = context, network = network, report = report, trace = report:trace() }
end

test("objects may be closed in any order", function()
    local names = { "context", "network", "report", "trace" }
    for rotation = 0, 3 do
        for _, step in ipairs { 1, 3 } do
            local objects = family()
            for i = 0, 3 do
                objects[names[(rotation + i * step) % 4 + 1]]:close()
            end
        end
    end
end)

test("a child works after what it was made from was closed or forgotten", function()
    local objects = family()
    objects.context:close()
    objects.network:close()
    truth(objects.report:result().live > 0)
    local trace = objects.trace
    objects.report:close()
    objects = nil -- luacheck: ignore
    collect()
    truth(trace:event_count() > 0)
end)

test("objects may be collected in any order", function()
    for _ = 1, 50 do
        local objects = family()
        objects.context = nil
        collect()
        objects.report = nil
        collect()
        truth(objects.trace:event_count() > 0)
    end
    collect()
end)

test("a model in a cycle is collected", function()
    local weak = setmetatable({}, { __mode = "v" })
    do
        local model = fixtures.model()
        local holder = { model = model, evaluate = model:evaluator() }
        holder.self = holder -- luacheck: ignore
        weak[1] = model
    end
    collect()
    equal(weak[1], nil)
end)

test("a network whose callback refers to it is collected", function()
    local weak = setmetatable({}, { __mode = "v" })
    do
        local network = memmodel.network()
        local x = network:input("x", "float32", { 4 })
        network:custom({ x }, { outputs = { network:shape(x) }, callback = function()
            return network and {}
        end })
        weak[1] = network
    end
    collect()
    equal(weak[1], nil)
end)

test("an object that is to be closed at the end of a block is", function()
    local compile = loadstring or load -- luacheck: ignore
    local chunk = compile [[
        local model = ...
        do
            local held <close> = model
        end
        return tostring(model)]]
    if not chunk then
        harness.skip "since Lua 5.4"
    end
    equal(chunk(fixtures.model()), "memmodel.model (closed)")
end)

-- Resident memory in bytes.
local function resident()
    local file = io.open "/proc/self/statm" or harness.skip "no /proc"
    local pages = tonumber(file:read("*a"):match "^%d+ (%d+)")
    file:close()
    return pages * 4096
end

local function flat(name, calls, run)
    test(name .. ": memory stays flat over many calls", function()
        if os.getenv "MEMMODEL_SANITIZER" then
            harness.skip "sanitizers keep freed memory; they find leaks by themselves"
        end
        for i = 1, calls do -- garbage waits for its collector, at most as much as in as many calls
            run(i)
        end
        collect()
        local before = resident()
        for i = 1, calls do
            run(i)
        end
        collect()
        local grown = resident() - before
        truth(grown < 2 * 2 ^ 20 or error(("grown by %d bytes"):format(grown)))
    end)
end

local model = fixtures.model()
flat("predictions", 100000, function(i)
    model:predict { a = 1 + i % 7, b = 2 }
end)

flat("generated functions", 100000, function()
    model:target()
    memmodel.C.memmodel_model_get_input(model, 0)
end)

flat("errors", 20000, function()
    pcall(model.predict, model, { a = 1 })
    pcall(memmodel.load_model, "/nowhere")
end)

flat("objects and texts", 5000, function()
    local context = memmodel.new_context()
    local network = memmodel.C.memmodel_network_new(context)
    network:input("x", "float32", { "batch" })
    network:to_json()
end)

flat("logs and progress", 20000, function()
    memmodel.set_log(function() end)
    memmodel.set_log(nil)
    memmodel.set_progress(function() end)
    memmodel.set_progress(nil)
end)

flat("callbacks", 2000, function()
    local network = memmodel.network()
    local x = network:input("x", "float32", { 4 })
    network:custom({ x }, { outputs = { network:shape(x) }, callback = function() end })
    network:close()
end)
