-- Lua functions that the library calls: their errors come out of the call, and nothing is left half done.
local fixtures = require "fixtures"
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, refused, truth = harness.test, harness.equal, harness.refused, harness.truth

-- Column b is constant, and one row lacks a value: two messages.
local TALKATIVE = "a,b,c\n1,1,2\n2,1,3\n3,1,5\n4,1,6\n5,1,7\n,1,8\n"

test("the log gets the library's messages, until it is taken away", function()
    local messages = {}
    memmodel.set_log(function(message)
        messages[#messages + 1] = message
    end)
    local samples = memmodel.samples_from_csv(TALKATIVE)
    memmodel.fit(samples)
    equal(#messages, 2)
    truth(messages[1]:find '"b"')
    memmodel.set_log(nil)
    memmodel.fit(samples)
    equal(#messages, 2)
end)

test("an error in a log comes out of the call, as it was raised", function()
    local problem = { code = 7 }
    memmodel.set_log(function()
        error(problem)
    end)
    local ok, raised = pcall(memmodel.fit, memmodel.samples_from_csv(TALKATIVE))
    memmodel.set_log(nil)
    equal(ok, false)
    equal(raised, problem)
end)

test("a log that is set again and again leaves no callback behind", function()
    local calls = 0
    for _ = 1, 5000 do
        memmodel.set_log(function()
            calls = calls + 1
        end)
    end
    memmodel.fit(memmodel.samples_from_csv(TALKATIVE))
    memmodel.set_log(nil)
    equal(calls, 2)
end)

test("a log may outlive its context's handle", function()
    local context = memmodel.new_context()
    context:set_log(function()
        error "never called"
    end)
    local samples = memmodel.C.memmodel_samples_from_csv(context, "x", TALKATIVE)
    context:close()
    memmodel.fit(samples)
end)

test("progress tells how far a search is, and ends it with true", function()
    local stages = {}
    memmodel.set_progress(function(progress)
        truth(progress.done >= 0 and progress.seconds >= 0)
        stages[#stages + 1] = progress.stage
        return #stages == 2
    end)
    local job = { symbols = { batch = 2, dim = 16 }, budget = 1 }
    local ok, recomputation = pcall(memmodel.recompute, (fixtures.unet()), job)
    memmodel.set_progress(nil)
    equal(ok and recomputation:result().status, "cancelled") -- with the best so far
    equal(table.concat(stages, " "), "simulations simulations")
end)

test("an error in a progress callback comes out of the call", function()
    local problem = { code = 8 }
    memmodel.set_progress(function()
        error(problem)
    end)
    local ok, raised = pcall(memmodel.fit, fixtures.samples(), { search = true, max_evaluations = 20000 })
    memmodel.set_progress(nil)
    equal(ok, false)
    equal(raised, problem)
    truth(memmodel.fit(fixtures.samples()))
end)

test("progress may outlive its context's handle", function()
    local context = memmodel.new_context()
    context:set_progress(function()
        error "never called"
    end)
    local samples = memmodel.C.memmodel_samples_from_csv(context, "x", TALKATIVE)
    context:close()
    memmodel.fit(samples)
end)

test("an error in a callback ends the monitoring", function()
    local monitor = memmodel.monitor(fixtures.own_pid(), { interval_seconds = 0.001 })
    local seen = 0
    local ok, raised = pcall(monitor.run, monitor, function()
        seen = seen + 1
        error "enough"
    end)
    equal(ok, false)
    truth(tostring(raised):find "enough")
    equal(seen, 1)
    refused("INVALID_ARGUMENT", "self", "cannot be closed in a callback", monitor.run, monitor, function()
        monitor:close()
    end)
    truth(monitor:result().reading_count == 2)
    equal(pcall(monitor.run, monitor, function()
        coroutine.yield()
    end), false)
    refused("INVALID_ARGUMENT", "callback", "must be a function", monitor.run, monitor, 5)
end)

local function custom(callback)
    local network = memmodel.network()
    local x = network:input("x", "float32", { "batch", 10 })
    local shape = network:shape(x)
    network:custom({ x }, {
        name = "mine", outputs = { shape }, parameter_count = 10, saved_bytes = 1000, callback = callback,
    })
    return network
end

local function saved(network, batch)
    local report = network:estimate { symbols = { batch = batch }, optimizer = "none" }
    return report:categories().saved_activations
end

test("a custom operator's callback is asked with shapes in numbers", function()
    local asked
    local network = custom(function(inputs, requirements)
        asked = inputs
        equal(requirements.saved_bytes, 1000)
        return { saved_bytes = 7 * inputs[1].dims[1] }
    end)
    local plain = saved(custom(nil), 5)
    equal(saved(network, 5), plain - 1000 + 35)
    equal(#asked, 1)
    equal(asked[1].rank, 2)
    equal(asked[1].dims[2], 10)
end)

test("a callback that returns nothing leaves the numbers as they are", function()
    equal(saved(custom(function() end), 5), saved(custom(nil), 5))
end)

test("an error in a callback comes out of the estimate", function()
    local ok, raised = pcall(saved, custom(function()
        error("no idea", 0)
    end), 5)
    equal(ok, false)
    equal(raised, "no idea")
    refused("CALLBACK", nil, "mine", saved, custom(function()
        return 1
    end), 5)
    refused("INVALID_ARGUMENT", "requirements", "did you mean 'saved_bytes'?", saved, custom(function()
        return { saved_byte = 1 }
    end), 5)
end)

test("a callback lives as long as its network, and may refer to it", function()
    local network
    network = custom(function()
        return { saved_bytes = network and 10 or 0 }
    end)
    collectgarbage()
    collectgarbage()
    equal(saved(network, 5), saved(custom(nil), 5) - 990)
end)

test("a callback may not use the objects of the running call", function()
    local network
    network = custom(function()
        network:estimate { symbols = { batch = 1 } }
    end)
    refused("INVALID_ARGUMENT", "network", "is in use", saved, network, 5)
    equal(network:layer_count(), 2)
end)
