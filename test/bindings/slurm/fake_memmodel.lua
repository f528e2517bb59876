-- Stands for the library's binding where scripts are tested without it. A "model" is a Lua chunk:
-- return {inputs = {"batch"}, upper = function(point) return 1000 * point.batch end, max = {batch = 100}}

local model = {}
model.__index = model

function model:inputs()
    return self.chunk.inputs
end

function model:unit_bytes()
    return self.chunk.unit_bytes or 0
end

function model:predict(point, options)
    local extrapolated = false
    for name, max in pairs(self.chunk.max or {}) do
        extrapolated = extrapolated or point[name] > max
    end
    local upper = self.chunk.upper(point, options.level)
    return upper * 0.9, upper, extrapolated
end

function model:predict_max(point, name, budget, options)
    local trial = setmetatable({}, { __index = point })
    local value = 0
    repeat
        value = value + 1
        trial[name] = value
    until self.chunk.upper(trial, options.level) > budget
    return value - 1
end

local memmodel = { loads = 0 }

function memmodel.model_from_json(content, name)
    memmodel.loads = memmodel.loads + 1
    return setmetatable({ chunk = assert((loadstring or load)(content, name))() }, model)
end

return memmodel
