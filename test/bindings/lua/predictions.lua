-- The main path: from measurements to a bound, and what a scheduler calls daily.
local fixtures = require "fixtures"
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, near, truth = harness.test, harness.equal, harness.near, harness.truth

test("a fitted model predicts bytes, an upper bound, and whether it extrapolates", function()
    local bytes, upper, extrapolated = fixtures.model():predict({ a = 5, b = 3 }, { level = 0.95 })
    near(bytes, 3 * 5 * 3 + 100, 1e-6)
    truth(upper >= bytes)
    equal(extrapolated, false)
    equal(select(3, fixtures.model():predict({ a = 1000, b = 3 }, { level = 0.95 })), true)
end)

test("an input takes no values that its column could not have held", function()
    local model = fixtures.model()
    for _, a in ipairs { 2.5, -5, 0 } do
        local done, problem = pcall(model.predict, model, { a = a, b = 3 })
        equal(done, false)
        equal(problem.object, "a")
        truth(problem.message:find("takes whole numbers above 0, as the samples had, not " .. a, 1, true))
    end
    local done, problem = pcall(model.predict_max, model, { b = 2.5 }, "a", 160.5)
    equal(done, false)
    equal(problem.object, "b")
    truth(model:evaluate { a = 2.5, b = 3 } > 0)
end)

test("without a level the bound is that of 95 %", function()
    local model = fixtures.model()
    local point = { a = 5, b = 3 }
    equal(select(2, model:predict(point)), select(2, model:predict(point, { level = 0.95 })))
    equal(select(2, model:predict(point, {})), select(2, model:predict(point, { level = 0.95 })))
end)

-- 5 % more in every third row
local function noisy_model()
    local samples = memmodel.samples { "a", "b", "peak" }
    for a = 1, 12 do
        for _, b in ipairs { 1, 2, 4 } do
            samples:add_row { a, b, (3 * a * b + 100) * (a % 3 == 0 and 1.05 or 1) }
        end
    end
    return memmodel.fit(samples, { target = "peak", inputs = { "a", "b" } })
end

test("a bound has a level and a method", function()
    local model, point = noisy_model(), { a = 5, b = 2 }
    local function upper(options)
        return (select(2, model:predict(point, options)))
    end
    truth(upper { level = 0.99 } > upper { level = 0.5 })
    equal(upper { level = 0.9, method = "default" }, upper { level = 0.9 })
    equal(upper(), math.max(upper { method = "conformal" }, upper { method = "student_t" }))
    local prediction = memmodel.C.memmodel_model_predict(model, { 5, 2 }, { level = 0.9, method = "conformal" })
    equal(prediction.method, "conformal")
    equal(prediction.upper, upper { level = 0.9, method = "conformal" })
    truth(prediction.calibration_count > 0 and prediction.distribution_free_level > 0.9)
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
    equal(fixtures.model():predict_max({ b = 2 }, "a", 160.5), 10)
    equal(fixtures.model():predict_max({ b = 2 }, "a", 1), 0)
end)

test("a model says its inputs, target, domain, scores and formula", function()
    local model = fixtures.model()
    equal(table.concat(model:inputs(), " "), "a b")
    equal(model:target(), "peak")
    local min, max = model:domain "a"
    equal(min, 1)
    equal(max, 6)
    equal(model:input(0).symbol, "a")
    equal(model:scores().sample_count, 18)
    truth(model:scores().loo_mape < 1e-6)
    truth(model:formula():find "a%*b")
    truth(model:formula("latex"):find "cdot" or model:formula("latex"):find "a")
end)

test("many points at once give the same bits as each alone", function()
    local model = fixtures.model()
    local results = model:evaluate_many { { 1, 2, 3.5 }, { 4, 5, 6 } }
    equal(#results, 3)
    equal(results[3], model:evaluate { a = 3.5, b = 6 })
    local values, upper, extrapolated = model:predict_many({ { 1, 2, 30 }, { 4, 2, 1 } }, { level = 0.9 })
    for i, point in ipairs { { a = 1, b = 4 }, { a = 2, b = 2 }, { a = 30, b = 1 } } do
        local value, bound, outside = model:predict(point, { level = 0.9 })
        equal(values[i], value)
        equal(upper[i], bound)
        equal(extrapolated[i] == 1, outside)
    end
end)

test("a model is written as code of another language", function()
    truth(fixtures.model():to_code("c"):find("double", 1, true))
    truth(fixtures.model():to_code("python"):find("def ", 1, true))
end)

test("rows are added by name, and what is not named is missing", function()
    local samples = memmodel.samples { "a", "b" }
    samples:add_row { b = 2, a = 1 }
    samples:add_row { a = 3 }
    equal(samples:row_count(), 2)
    equal(samples:column("b")[1], 2)
    local missing = samples:column("b")[2]
    truth(missing ~= missing)
end)

test("a row is appended to a file that many may write to", function()
    local path = fixtures.temporary()
    os.remove(path)
    memmodel.samples_append_to_file(path, { dim = 64, peak_bytes = 1.5 })
    memmodel.samples_append_to_file(path, { peak_bytes = 2 ^ 40, dim = 65 })
    local samples = memmodel.load_samples(path)
    os.remove(path)
    equal(table.concat(samples:columns(), " "), "dim peak_bytes")
    equal(samples:column("peak_bytes")[1], 1.5)
    equal(samples:column("peak_bytes")[2], 2 ^ 40)
end)

test("a file without names has those that are given", function()
    local path = fixtures.temporary()
    local file = io.open(path, "w")
    file:write "1,100\n2,200\n"
    file:close()
    local samples = memmodel.load_samples(path, { "batch", "peak_bytes" })
    os.remove(path)
    equal(samples:row_count(), 2)
    equal(samples:column("peak_bytes")[1], 100)
end)

test("samples are loaded, filtered, selected, split and saved", function()
    local samples = memmodel.samples_from_csv "a,state\n1,ok\n2,failed\n3,ok\n"
    equal(samples:filter("state", "ok"):row_count(), 2)
    equal(samples:select({ 2, 0 }):column("a")[1], 3)
    local numbers, path = samples:select { 0, 1, 2 }, fixtures.temporary()
    numbers:save(path)
    equal(memmodel.load_samples(path):row_count(), 3)
    os.remove(path)
    local train, test_set = samples:split(2 / 3, 7)
    equal(train:row_count(), 2)
    local order = train:column "a"
    order[3] = test_set:column("a")[1]
    table.sort(order)
    equal(("%g %g %g"):format(order[1], order[2], order[3]), "1 2 3")
end)

test("what to measure next is advised", function()
    local result, design = memmodel.advise(nil, { domain = { "a=1:6:1", "b=1,2,4" }, count = 3 })
    equal(design:row_count(), 3)
    truth(result.needed_count >= 3 or result.needed_count == -1)
    local options = { target = "peak", domain = { "a=1:6:1", "b=1,2,4" }, count = 2 }
    result, design = memmodel.advise(fixtures.samples(), options)
    truth(result.expected_error >= 0 and design:row_count() <= 2)
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
