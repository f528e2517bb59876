-- Wrong arguments are errors that name the argument. Nothing crashes.
local fixtures = require "fixtures"
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, refused, truth = harness.test, harness.equal, harness.refused, harness.truth
local WRONG = "INVALID_ARGUMENT"

test("an input of the model that is missing, unknown or no number is named", function()
    local model = fixtures.model()
    refused(WRONG, "inputs.b", "is missing; the inputs are a, b", model.predict, model, { a = 1 })
    refused(WRONG, "inputs.batch", "is no input of the model", model.predict, model, { a = 1, b = 2, batch = 3 })
    refused(WRONG, "inputs.A", "did you mean 'a'?", model.predict, model, { a = 1, b = 2, A = 3 })
    refused(WRONG, "inputs.a", "must be a number, not string", model.predict, model, { a = "1", b = 2 })
    refused(WRONG, "inputs", "must be a table", model.predict, model, 64)
    local function predict(options)
        return model:predict({ a = 1, b = 2 }, options)
    end
    refused(WRONG, "options.level", "0.5 to 0.999", predict, { level = 95 })
    refused(WRONG, "options.level", "must be a number", predict, { level = "high" })
    refused(WRONG, "options.level", "0.5 to 0.999", predict, { level = 0 / 0 })
    refused(WRONG, "options.method", "did you mean 'conformal'?", predict, { method = "conformel" })
    refused(WRONG, "options.method", "no such bound", predict, { method = 99 })
    refused(WRONG, "options", "did you mean 'level'?", predict, { levle = 0.95 })
    refused(WRONG, "options", "must be a table, not number", predict, 0.95)
    refused(WRONG, "input", "'c' is no input", model.domain, model, "c")
end)

test("a call beyond a limit says which, and limits can be taken back", function()
    memmodel.set_limits { memory_bytes = 1 }
    refused("LIMIT", nil, "beyond the context's limit, 1 of memory_bytes", memmodel.samples_from_csv, "a\n1\n")
    refused(WRONG, nil, "or above", memmodel.set_limits, { seconds = -1 })
    memmodel.set_limits()
    truth(memmodel.samples_from_csv "a\n1\n")
end)

test("an unknown option is named, with the nearest that is known", function()
    local network = memmodel.network()
    local x = network:input("x", "float32", { 1, 1, 8, 8 })
    refused(WRONG, "options", "no field 'filter'; did you mean 'filters'?", network.conv, network, x, { filter = 3 })
    refused(WRONG, "options", "no field 'size'", network.conv, network, x, { size = 3 })
    refused(WRONG, "options", "no field '1'", network.conv, network, x, { 3 })
    refused(WRONG, "options.kind", "did you mean 'relu'?", network.activation, network, x, { kind = "rellu" })
    refused(WRONG, "options.kernel", "has 4 elements, more than 3", network.conv, network, x,
        { kernel = { 1, 2, 3, 4 } })
    refused(WRONG, "options.name", "must be a string, not number", network.conv, network, x, { name = 3 })
    refused(WRONG, "options.filters", "must be a whole number, not string", network.conv, network, x, { filters = "3" })
    refused(WRONG, "options.kernel[2]", "must be a whole number", network.conv, network, x, { kernel = { 1, {} } })
    refused(WRONG, "options", "must be a table, not number", network.conv, network, x, 3)
    refused(WRONG, "options", "is missing", network.conv, network, x)
end)

test("objects of a wrong type, nil, and what is no object are named", function()
    local model, network = fixtures.model(), memmodel.network()
    refused(WRONG, "samples", "must be a samples, not a model", memmodel.fit, model)
    refused(WRONG, "samples", "is missing", memmodel.fit, nil)
    refused(WRONG, "samples", "must be a samples, not table", memmodel.fit, {})
    refused(WRONG, "network", "must be a network, not number", memmodel.estimate, 5)
    refused(WRONG, "x", "must be a tensor, not number", network.conv, network, 0, {})
    refused(WRONG, "x", "must be a tensor, not a network", network.conv, network, network, {})
    refused(WRONG, "model", "must be a model", model.predict, network, {})
    refused(WRONG, "3", "is one too many", memmodel.C.memmodel_model_get_input, model, 0, 1)
    refused(WRONG, "path", "is missing", memmodel.load_model)
    refused(WRONG, "path", "must be a string, not table", memmodel.load_model, {})
end)

test("strings with a zero byte are refused", function()
    refused(WRONG, "path", "has a zero byte in it", memmodel.load_model, "model.json\0.txt")
    refused(WRONG, "options.target", "has a zero byte in it", memmodel.fit, fixtures.samples(), { target = "a\0" })
    refused(WRONG, "columns[2]", "has a zero byte in it", memmodel.samples, { "a", "b\0" })
    refused("PARSE", nil, "", memmodel.samples_from_csv, "a,b\n1,\0\n")
end)

test("lists of a wrong length are refused", function()
    local model, network = fixtures.model(), memmodel.network()
    refused(WRONG, "inputs", "must have 2 elements, not 1", memmodel.C.memmodel_model_evaluate, model, { 1 })
    refused(WRONG, "inputs", "must have 2 elements, not 100000", function()
        local huge = {}
        for i = 1, 100000 do
            huge[i] = i
        end
        memmodel.C.memmodel_model_evaluate(model, huge)
    end)
    refused(WRONG, "columns[2]", "must have 3 elements, not 2", model.evaluate_many, model, { { 1, 2, 3 }, { 1, 2 } })
    refused(WRONG, "values", "must have 3 elements, not 1", function()
        fixtures.samples():add_row { 1 }
    end)
    refused(WRONG, "job.symbol_count", "must be 1, the length of symbols", network.estimate, network,
        { symbols = { { name = "a", value = 1 } }, symbol_count = 5 })
    refused(WRONG, "dims", "must be a list", network.input, network, "x", "float32", "batch")
end)

test("a list of more than the library takes is refused by the library", function()
    local dims = {}
    for i = 1, 1000 do
        dims[i] = 2
    end
    local network = memmodel.network()
    refused(WRONG, nil, "", network.input, network, "x", "float32", dims)
end)

test("a result of more elements than fit is refused before memory is taken", function()
    local monitor = memmodel.monitor(fixtures.own_pid())
    refused(WRONG, "capacity", "more than a list", memmodel.C.memmodel_monitor_processes, monitor, 2 ^ 31)
end)

test("a count without its list does not crash", function()
    local network = fixtures.unet()
    pcall(network.estimate, network, { symbol_count = 1000 })
    pcall(memmodel.fit, fixtures.samples(), { input_count = 1000 })
    pcall(network.custom, network, {}, { output_count = 1000 })
end)

test("an object that was closed is refused by name", function()
    local model, samples, network = fixtures.model(), fixtures.samples(), memmodel.network()
    local evaluate = model:evaluator()
    model:close()
    samples:close()
    network:close()
    refused(WRONG, "model", "is closed", model.predict, model, { a = 1, b = 2 })
    refused(WRONG, "model", "is closed", model.target, model)
    refused(WRONG, "samples", "is closed", samples.row_count, samples)
    refused(WRONG, "samples", "is closed", memmodel.fit, samples)
    refused(WRONG, "network", "is closed", memmodel.estimate, network)
    equal(pcall(evaluate, 1, 2), false)
    model:close() -- again does nothing
end)

test("tensors of another network are refused", function()
    local network = memmodel.network()
    local _, x = fixtures.unet()
    refused(WRONG, "x", "is a tensor of another network", network.conv, network, x, { filters = 1 })
    refused(WRONG, "tensors[1]", "is a tensor of another network", network.concat, network, { x })
end)

test("objects of different contexts may be used together", function()
    local context = memmodel.new_context()
    local candidates = memmodel.C.memmodel_samples_from_csv(context, "x", "a,b\n3,1\n5,2\n6,4\n")
    local options = { target = "peak", candidates = candidates, count = 1 }
    truth(memmodel.advise(fixtures.samples(), options))
    options.candidates = context
    refused(WRONG, "options.candidates", "must be a samples, not a context", memmodel.advise, fixtures.samples(),
        options)
end)

test("an error tells status, object, line and column", function()
    local problem = refused("PARSE", nil, "line 3", function()
        memmodel.samples_from_csv("a,b\n1,2\n1,2,3\n", "runs.csv")
    end)
    equal(problem.status, -6)
    equal(problem.object, "runs.csv")
    equal(problem.line, 3)
    truth(problem.where:find "bad_input.lua:%d+")
    truth(memmodel.is_error(problem) and not memmodel.is_error "text" and not memmodel.is_error {})
    refused("IO", nil, "/nowhere/model.json", memmodel.load_model, "/nowhere/model.json")
    refused("NOT_FOUND", nil, "nothing", memmodel.fit, fixtures.samples(), { target = "nothing" })
    refused("UNBOUND", nil, "batch", memmodel.estimate, (fixtures.unet()))
    refused("UNSUPPORTED", nil, "caffe", memmodel.estimate, (fixtures.unet()),
        { framework = "caffe", symbols = { batch = 1, dim = 16 } })
end)

test("the wrong layer of a network is named, and the first is the network's status", function()
    local network = memmodel.network()
    local x = network:input("image", "float32", { 1, 1, 8, 8 })
    local problem = refused("SHAPE", nil, "kernel", network.conv, network, x,
        { filters = 1, kernel = 9, name = "first" })
    equal(problem.object, "first")
    problem = refused("SHAPE", nil, "kernel", network.conv, network, x, { filters = 1, kernel = 10, name = "second" })
    equal(problem.object, "second")
    equal(refused("SHAPE", nil, "kernel", network.status, network).object, "first")
    equal(refused("SHAPE", nil, "kernel", network.estimate, network).object, "first")
end)

test("a model's file that is damaged is refused with its place", function()
    local text = fixtures.model():to_json()
    local problem = refused("PARSE", nil, "", memmodel.model_from_json, text:sub(1, 100))
    truth(problem.line > 0)
    for _, name in ipairs { "", "[]", "{}", "null", text .. "x", "\255\254" } do
        equal(pcall(memmodel.model_from_json, name), false)
    end
end)

test("methods that do not exist are nil, and metatables are hidden", function()
    local model = fixtures.model()
    equal(model.no_such_method, nil)
    equal(model.unref, nil)
    equal(model.get_scores, nil) -- it is model:scores()
    equal(getmetatable(model), "memmodel.model")
    equal(tostring(model), "memmodel.model")
end)

-- Any function with any arguments: an error or a result, never a crash.
test("random arguments never crash", function()
    local seed = tonumber(os.getenv "MEMMODEL_TEST_SEED" or 12345)
    local function random(n)
        seed = (seed * 16807) % 2147483647
        return seed % n + 1
    end
    local network, tensor = fixtures.unet()
    local values = {
        0, 1, -1, 3.5, 2 ^ 31, -2 ^ 63, 2 ^ 53, 0 / 0, 1 / 0, "", "batch", "a", "\0", ("x"):rep(5000), true, false,
        {}, { 1 }, { 1, 2, 3 },
        { a = 1 }, { "a", "b" }, { { 1, 2 }, { 3, 4 } }, { {} }, print, memmodel, network, tensor, { tensor, tensor },
        fixtures.model(), fixtures.samples(), memmodel.context(), coroutine.create(function() end),
        { symbols = { batch = 2, dim = 16 } },
        { filters = 2, kernel = 3 }, { name = "x", tied_to = "y" }, { sizes = { 1, 2 } },
        { outputs = { { rank = 2 } }, output_count = 1 },
    }
    local closed = fixtures.model()
    closed:close()
    values[#values + 1] = closed
    -- one that writes a file anywhere, or waits for a process to end, is not for this
    local function is_excepted(name)
        return name:find "_save" or name:find "_append_to_file$" or name:find "_monitor_run$"
    end
    local names = {}
    for name in pairs(memmodel.api.functions) do
        if memmodel.C[name] and not is_excepted(name) then
            names[#names + 1] = name
        end
    end
    table.sort(names)
    for _ = 1, 20000 do
        local name = names[random(#names)]
        local spec, arguments = memmodel.api.functions[name], {}
        for i = 1, random(#spec + 1) do
            arguments[i] = values[random(#values + 1)]
        end
        local of = spec[1] and spec[1].of
        if of == "memmodel_network" and random(3) > 1 then
            arguments[1] = random(2) == 1 and network or memmodel.network()
            arguments[2] = random(2) == 1 and tensor or arguments[2]
        end
        pcall(memmodel.C[name], arguments[1], arguments[2], arguments[3], arguments[4])
    end
end)
