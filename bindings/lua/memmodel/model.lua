-- Models: predictions from named inputs, and the fast way.
local core = require "memmodel.core"
local each = require "memmodel.each"
local errors = require "memmodel.errors"
local marshal = require "memmodel.marshal"
local objects = require "memmodel.objects"
local types = require "memmodel.types"

local C = marshal.functions
local HANDLE, FAST = objects.HANDLE, {}
local Model = objects.methods "memmodel_model"

-- Locals are the faster.
local type, rawget, next, gather, get3 = type, rawget, next, core.gather, core.get3
local C_predict, C_evaluate = core.direct.memmodel_model_predict, core.direct.memmodel_model_evaluate

local UPPER = core.layout["memmodel_prediction.upper"]
local VALUE = core.layout["memmodel_prediction.value"]
local EXTRAPOLATED = core.layout["memmodel_prediction.extrapolated"]
local LEVEL = core.layout["memmodel_predict_options.level"]
local PREDICT_OPTIONS = { kind = "struct", of = "memmodel_predict_options" }

-- Names of the inputs, in the order of the library.
function Model:inputs()
    local names = {}
    for i = 1, C.memmodel_model_input_count(self) do
        names[i] = C.memmodel_model_get_input(self, i - 1).name
    end
    return names
end

-- Memory for a struct that says its own size.
local function new_struct(name)
    local memory = core.buffer(core.layout[name], "struct " .. name)
    core.put(memory, 0, "z", core.layout[name])
    return memory
end

-- Memory for inputs, options and result that all predictions of a model share.
local function prepare(model, call)
    local handle, wrong = objects.handle(model, "memmodel_model")
    if not handle then
        errors.argument(call, "model", wrong)
    end
    local names = model:inputs()
    local fast = {
        names = names,
        values = core.buffer(8 * #names, "double"),
        options = new_struct "memmodel_predict_options",
        result = new_struct "memmodel_prediction",
    }
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

-- The options where a level is all that is given; else nil.
local function level_alone(fast, options)
    if type(options) ~= "table" or next(options) ~= "level" or next(options, "level") ~= nil then
        return nil
    end
    local level = options.level
    if type(level) ~= "number" then
        return nil
    end
    core.put(fast.options, LEVEL, "d", level)
    return fast.options
end

-- What C takes for options of Lua.
local function take_options(fast, options)
    if options == nil then
        return nil
    end
    return level_alone(fast, options)
        or types.take(PREDICT_OPTIONS, options, "options", { name = "model:predict", keep = {}, counts = {} })
end

-- A value is refused first, then the level; a method may be unknown, or not in the model's file.
local function refuse(model, fast, options, status)
    check_values(model, fast)
    local level = options.level or 0
    if level ~= 0 and not (level >= 0.5 and level <= 0.999) then
        errors.argument("model:predict", "options.level", "must be from 0.5 to 0.999")
    end
    errors.raise {
        status = status,
        name = C.memmodel_status_name(status),
        call = "model:predict",
        argument = "options.method",
        message = "the model has no such bound: " .. tostring(options.method),
    }
end

-- value, upper, extrapolated = model:predict({dim = 64, batch = 4}, {level = 0.99, method = "conformal"}): the
-- formula's value, an upper bound that a new measurement lies below with that probability (95 % by default), and
-- whether the point is outside the training data.
function Model:predict(inputs, options)
    local fast, handle = load_inputs("model:predict", self, inputs)
    local status = C_predict(handle, fast.values, take_options(fast, options), fast.result)
    if status ~= 0 then
        refuse(self, fast, options or {}, status)
    end
    local value, upper, extrapolated = get3(fast.result, VALUE, "d", UPPER, "d", EXTRAPOLATED, "i")
    return value, upper, extrapolated ~= 0
end

-- The formula alone: model:evaluate({dim = 64, batch = 4})
function Model:evaluate(inputs)
    local fast, handle = load_inputs("model:evaluate", self, inputs)
    return C_evaluate(handle, fast.values)
end

-- model:predict_max({dim = 64}, "batch", budget, {level = 0.99}): the largest whole value of one input for which the
-- upper bound stays within the budget; 0 if not even 1 does.
function Model:predict_max(inputs, input, budget, options)
    local point = {}
    for name, value in each(type(inputs) == "table" and inputs or {}) do
        point[name] = value
    end
    local names, list = self:inputs(), {}
    point[input ~= nil and input or ""] = 0 / 0
    local fast = load_inputs("model:predict_max", self, type(inputs) == "table" and point or inputs)
    check_values(self, fast)
    for i = 1, #names do
        list[i] = core.get(fast.values, 8 * (i - 1), "d")
    end
    return C.memmodel_model_predict_max(self, list, input, options, budget)
end

-- min, max of an input in the training data
function Model:domain(input)
    for i, name in ipairs(self:inputs()) do
        if name == input then
            local known = C.memmodel_model_get_input(self, i - 1)
            return known.min, known.max
        end
    end
    input = tostring(input)
    errors.argument("model:domain", "input", ("'%s' is no input"):format(input) .. errors.suggest(input, self:inputs()))
end

-- model:formula() as text, or in "c", "python", "latex", "sql"
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
