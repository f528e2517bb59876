-- Stands for the library's binding where scripts are tested without it. A "model" is a Lua chunk:
-- return {inputs = {"batch"}, upper = function(point) return 1000 * point.batch end, most = {batch = 100}}

local model = {}
model.__index = model

function model:inputs()
    return self.chunk.inputs
end

function model:unit_bytes()
    return self.chunk.unit_bytes or 0
end

function model:predict(point, level)
    local outside = false
    for name, most in pairs(self.chunk.most or {}) do
        outside = outside or point[name] > most
    end
    local upper = self.chunk.upper(point, level)
    return upper * 0.9, upper, outside
end

function model:solve(point, name, budget, level)
    local trial = setmetatable({}, { __index = point })
    local largest = 0
    repeat
        largest = largest + 1
        trial[name] = largest
    until self.chunk.upper(trial, level) > budget
    return largest - 1
end

local memmodel = { loads = 0 }

function memmodel.model_from_json(content, name)
    memmodel.loads = memmodel.loads + 1
    return setmetatable({ chunk = assert((loadstring or load)(content, name))() }, model)
end

return memmodel
