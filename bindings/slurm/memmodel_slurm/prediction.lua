-- What a job's models say it needs.

local text = require("memmodel_slurm.text")
local limit = require("memmodel_slurm.limit")
local models = require("memmodel_slurm.models")
local settings = require("memmodel_slurm.settings")

local prediction = {}

local MAX_BYTES = 2 ^ 53 -- above it a Lua number is not every byte

local function unknown(name, input, names)
    text.fail("model %s has no input %s; it has %s", text.quote(name), text.quote(input), table.concat(names, ", "))
end

-- The model's inputs with their values. A blank in a column's name is written "_" in a job.
local function point_of(name, names, given)
    local point, known = {}, {}
    for _, input in ipairs(names) do
        local written = input:gsub("[%s=,#]", "_")
        point[input], known[written] = given[written], true
        if not point[input] then
            text.fail("model %s needs a value for %s", text.quote(name), text.quote(written))
        end
    end
    for input in pairs(given) do
        if not known[input] then
            unknown(name, input, names)
        end
    end
    return point
end

-- How many bytes what a model predicts is: its own unit, or that of the settings where it knows none.
local function unit_of(model, own)
    local bytes = model:unit_bytes()
    return bytes > 0 and bytes or settings.unit(own.units)
end

-- model:predict(); values that the model refuses are the user's to mend.
local function answer(name, model, point, level)
    local options = { level = level }
    local answered, value, upper, extrapolated = limit.pass(pcall(model.predict, model, point, options))
    if not answered and type(value) == "table" and value.name == "MEMMODEL_ERROR_INVALID_ARGUMENT" then
        text.fail("model %s: %s %s", text.quote(name), text.quote(value.object), value.message)
    elseif not answered then
        error(value, 0)
    end
    return value, upper, extrapolated
end

-- One model's answer; `bytes` is its upper bound with the margin, `value` its prediction in bytes.
local function predict(name, inputs, options)
    local own = options.models[name]
    local model, names = models.get(options, name)
    local point = point_of(name, names, inputs)
    local value, upper, extrapolated = answer(name, model, point, own.level)
    local unit = unit_of(model, own)
    local bytes = upper * unit * (1 + own.margin)
    if not (bytes > 0 and bytes <= MAX_BYTES) then
        text.fail("model %s gives no amount of memory for %s", text.quote(name), text.assignments(point))
    end
    return {
        name = name,
        model = model,
        own = own,
        point = point,
        value = value * unit,
        bytes = bytes,
        extrapolated = extrapolated,
        resource = own.device and "device" or "memory",
    }
end

function prediction.all(request, options)
    local needs = {}
    for number, name in ipairs(request.models) do
        needs[number] = predict(name, request.inputs, options)
    end
    return needs
end

-- The largest value of the settings' `max_input` that takes at most `bytes`; nil where the model does not have that input.
function prediction.max(need, bytes)
    local own = need.own
    if not need.point[own.max_input] then
        return nil
    end
    local budget = bytes / (1 + own.margin) / unit_of(need.model, own)
    return need.model:predict_max(need.point, own.max_input, budget, { level = own.level })
end

return prediction
