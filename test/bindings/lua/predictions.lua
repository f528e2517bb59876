-- The main path: from measurements to a bound, and what a scheduler calls daily.
local fixtures = require "fixtures"
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, near, truth = harness.test, harness.equal, harness.near, harness.truth

test("a fitted model predicts bytes, an upper bound, and whether the point lies outside of the data", function()
    local bytes, upper, outside = fixtures.model():predict({ a = 5, b = 3 }, 0.95)
    near(bytes, 3 * 5 * 3 + 100, 1e-6)
    truth(upper >= bytes)
    equal(outside, false)
    equal(select(3, fixtures.model():predict({ a = 1000, b = 3 }, 0.95)), true)
end)

test("an input takes no values that its column could not have held", function()
    local model = fixtures.model()
    for _, a in ipairs { 2.5, -5, 0 } do
        local done, problem = pcall(model.predict, model, { a = a, b = 3 })
        equal(done, false)
        equal(problem.object, "a")
        truth(problem.message:find("takes whole numbers above 0, as the samples had, not " .. a, 1, true))
    end
    local done, problem = pcall(model.solve, model, { b = 2.5 }, "a", 160.5)
    equal(done, false)
    equal(problem.object, "b")
    truth(model:evaluate { a = 2.5, b = 3 } > 0)
end)

test("without a level the bound is that of 95 %", function()
    local model = fixtures.model()
    equal(select(2, model:predict { a = 5, b = 3 }), select(2, model:predict({ a = 5, b = 3 }, 0.95)))
end)

test("a model that was saved predicts the same after it is loaded", function()
    local model, path = fixtures.model(), fixtures.temporary()
    model:save(path)
    local loaded = memmodel.load_model(path)
    os.remove(path)
    equal(loaded:predict { a = 7, b = 3 }, model:predict { a = 7, b = 3 })
    equal(memmodel.model_from_json(model:to_json()):evaluate { a = 7, b = 3 }, model:evaluate { a = 7, b = 3 })
end)

test("the fast evaluator gives the same numbers as evaluate", function()
    local model = fixtures.model()
    local evaluate = model:evaluator()
    for a = 1, 200 do
        equal(evaluate(a, 2), model:evaluate { a = a, b = 2 })
    end
end)

test("the largest input that fits is found", function()
    -- 3 * a * 2 + 100 <= 160.5 for a up to 10
    equal(fixtures.model():solve({ b = 2 }, "a", 160.5), 10)
    equal(fixtures.model():solve({ b = 2 }, "a", 1), 0)
end)

test("a model says its inputs, target, domain, scores and formula", function()
    local model = fixtures.model()
    equal(table.concat(model:inputs(), " "), "a b")
    equal(model:target(), "peak")
    local least, most = model:domain "a"
    equal(least, 1)
    equal(most, 6)
    equal(model:scores().samples, 18)
    truth(model:scores().loo_mape < 1e-6)
    truth(model:formula():find "a%*b")
    truth(model:formula("latex"):find "cdot" or model:formula("latex"):find "a")
end)

test("many points at once give the same bits as each alone", function()
    local model = fixtures.model()
    local results = model:evaluate_many { { 1, 2, 3.5 }, { 4, 5, 6 } }
    equal(#results, 3)
    equal(results[3], model:evaluate { a = 3.5, b = 6 })
end)

test("rows are added by name, and what is not named is missing", function()
    local samples = memmodel.samples { "a", "b" }
    samples:add { b = 2, a = 1 }
    samples:add { a = 3 }
    equal(samples:row_count(), 2)
    equal(samples:column("b")[1], 2)
    local missing = samples:column("b")[2]
    truth(missing ~= missing)
end)

test("a row is appended to a file that many may write to", function()
    local path = fixtures.temporary()
    os.remove(path)
    memmodel.append_sample(path, { dim = 64, peak_bytes = 1.5 })
    memmodel.append_sample(path, { peak_bytes = 2 ^ 40, dim = 65 })
    local samples = memmodel.read_samples(path)
    os.remove(path)
    equal(table.concat(samples:columns(), " "), "dim peak_bytes")
    equal(samples:column("peak_bytes")[1], 1.5)
    equal(samples:column("peak_bytes")[2], 2 ^ 40)
end)

test("samples are read, filtered, selected and written", function()
    local samples = memmodel.parse_samples "a,state\n1,ok\n2,failed\n3,ok\n"
    equal(samples:filter("state", "ok"):row_count(), 2)
    equal(samples:select({ 2, 0 }):column("a")[1], 3)
    local order = memmodel.C.memmodel_samples_shuffle(7, 3)
    table.sort(order)
    equal(table.concat(order, " "), "0 1 2")
end)

test("a model as a C function gives the same bits, where a script can call C", function()
    local model = fixtures.model()
    local ok, compiled = pcall(memmodel.C.memmodel_function_new, memmodel.context(), model, 0)
    if not ok then
        equal(compiled.name, "MEMMODEL_ERROR_UNSUPPORTED")
        harness.skip "this library was built without libffi"
    end
    local pointer = compiled:pointer()
    truth(pointer)
    if jit then
        equal(pointer(require("ffi").new("double[2]", 7, 3)), model:evaluate { a = 7, b = 3 })
    end
end)
