-- Models: predictions from named inputs, and the fast way.
local core = require "memmodel.core"
local each = require "memmodel.each"
local errors = require "memmodel.errors"
local marshal = require "memmodel.marshal"
local objects = require "memmodel.objects"

local C = marshal.functions
local HANDLE, FAST = objects.HANDLE, {}
local Model = objects.methods "memmodel_model"

-- Locals are the faster.
local type, rawget, gather, get3 = type, rawget, core.gather, core.get3
local C_predict, C_evaluate = core.direct.memmodel_model_predict, core.direct.memmodel_model_evaluate

local UPPER = core.layout["memmodel_prediction.upper"]
local VALUE = core.layout["memmodel_prediction.value"]
local OUTSIDE = core.layout["memmodel_prediction.outside"]
local DEFAULT_LEVEL = 0.95

-- Names of the inputs, in the order of the library.
function Model:inputs()
    local names = {}
    for i = 1, C.memmodel_model_input_count(self) do
        names[i] = C.memmodel_model_input_name(self, i - 1)
    end
    return names
end

-- Memory for inputs and result that all predictions of a model share.
local function prepare(model, call)
    local handle, wrong = objects.handle(model, "memmodel_model")
    if not handle then
        errors.argument(call, "model", wrong)
    end
    local names = model:inputs()
    local result = core.buffer(core.layout.memmodel_prediction, "struct memmodel_prediction")
    core.put(result, 0, "z", core.layout.memmodel_prediction)
    local fast = { names = names, values = core.buffer(8 * #names, "double"), result = result }
    rawset(model, FAST, fast)
    return fast
end

local function complain(call, names, inputs, missing)
    if missing > 0 then
        local value = inputs[names[missing]]
        local complaint = value == nil and "is missing; the inputs are " .. table.concat(names, ", ")
            or "must be a number, not " .. type(value)
        errors.argument(call, "inputs." .. names[missing], complaint)
    end
    local known = {}
    for _, name in ipairs(names) do
        known[name] = true
    end
    for name in each(inputs) do
        if not known[name] then
            name = tostring(name)
            errors.argument(call, "inputs." .. name, "is no input of the model" .. errors.suggest(name, names))
        end
    end
end

-- The model's memory with the inputs in it; and the model's handle.
local function load_inputs(call, model, inputs)
    local fast = type(model) == "table" and rawget(model, FAST) or prepare(model, call)
    local handle = model[HANDLE]
    if not handle then
        errors.argument(call, "model", "is closed")
    elseif type(inputs) ~= "table" then
        errors.argument(call, "inputs", "must be a table such as {dim = 64, batch = 4}, not " .. objects.name(inputs))
    end
    local missing = gather(fast.values, fast.names, inputs)
    if missing then
        complain(call, fast.names, inputs, missing)
    end
    return fast, handle
end

-- Refuses values that their columns could not have held.
local function check_values(model, fast)
    local columns = {}
    for i = 1, #fast.names do
        columns[i] = { core.get(fast.values, 8 * (i - 1), "d") }
    end
    C.memmodel_model_check_points(model, columns)
end

local function refuse_level(level)
    local complaint = type(level) == "number" and "must be from 0.5 to 0.999" or "must be a number, not " .. type(level)
    errors.argument("model:predict", "level", complaint)
end

-- bytes, upper, outside = model:predict({dim = 64, batch = 4}, 0.95): the formula's value, a bound that a measurement
-- stays below with that probability, and whether the point lies outside of the data that the model was fitted to.
function Model:predict(inputs, level)
    local fast, handle = load_inputs("model:predict", self, inputs)
    level = level or DEFAULT_LEVEL
    local result = fast.result
    if type(level) ~= "number" then
        refuse_level(level)
    elseif C_predict(handle, fast.values, level, result) ~= 0 then
        check_values(self, fast)
        refuse_level(level)
    end
    local value, upper, outside = get3(result, VALUE, "d", UPPER, "d", OUTSIDE, "i")
    return value, upper, outside ~= 0
end

-- The formula alone: model:evaluate({dim = 64, batch = 4})
function Model:evaluate(inputs)
    local fast, handle = load_inputs("model:evaluate", self, inputs)
    return C_evaluate(handle, fast.values)
end

-- model:solve({dim = 64}, "batch", budget, 0.95): the largest whole value of one input for which the bound stays within
-- the budget; 0 if not even 1 does.
function Model:solve(inputs, input, budget, level)
    local point = {}
    for name, value in each(type(inputs) == "table" and inputs or {}) do
        point[name] = value
    end
    local names, list = self:inputs(), {}
    point[input ~= nil and input or ""] = 0 / 0
    local fast = load_inputs("model:solve", self, type(inputs) == "table" and point or inputs)
    check_values(self, fast)
    for i = 1, #names do
        list[i] = core.get(fast.values, 8 * (i - 1), "d")
    end
    return C.memmodel_model_solve(self, list, input, level or DEFAULT_LEVEL, budget)
end

-- least, most of an input in the training data
function Model:domain(input)
    for i, name in ipairs(self:inputs()) do
        if name == input then
            return C.memmodel_model_domain(self, i - 1)
        end
    end
    input = tostring(input)
    errors.argument("model:domain", "input", ("'%s' is no input"):format(input) .. errors.suggest(input, self:inputs()))
end

-- model:formula() as text, or in "c", "python", "latex"
function Model:formula(language)
    return C.memmodel_model_formula(self, language or "text")
end

-- A function of the inputs' values in the order of model:inputs(): f(64, 4). For loops; it checks next to nothing.
function Model:evaluator()
    local names = self:inputs()
    local handle = objects.handle(self, "memmodel_model")
    local arguments, stores = {}, {}
    for i = 1, #names do
        arguments[i] = "a" .. i
        stores[i] = ("values[%d] = a%d"):format(i - 1, i)
    end
    local list = table.concat(arguments, ", ")
    local store = jit and table.concat(stores, "; ") or ("doubles(values, %s)"):format(list)
    local source = ([[
        local model, handle, values, evaluate, doubles = ...
        return function(%s)
            if not model[handle] then error("the model is closed", 2) end
            %s
            return evaluate(model[handle], values)
        end]]):format(list, store)
    local compile = loadstring or load -- luacheck: ignore
    local values = core.buffer(8 * #names, "double")
    return compile(source)(self, HANDLE, values, core.direct.memmodel_model_evaluate, core.doubles), handle
end
