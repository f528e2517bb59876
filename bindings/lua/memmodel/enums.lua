-- Enumerators by name: "float32" for MEMMODEL_DTYPE_FLOAT32, "forward" or "phase_forward" for MEMMODEL_PHASE_FORWARD.
local api = require "memmodel.api"
local errors = require "memmodel.errors"

local enums = {}

-- The words that all names of an enum begin with: MEMMODEL_PHASE_ of its phases.
local function common_prefix(values)
    local prefix = values[1][1]:match("^(.*_)[^_]*$")
    for _, value in ipairs(values) do
        while value[1]:sub(1, #prefix) ~= prefix do
            prefix = prefix:match("^(.*_)[^_]*_$")
        end
    end
    return prefix
end

local function read(values)
    local by_name, by_number, names, prefix = {}, {}, {}, common_prefix(values)
    for i, value in ipairs(values) do
        local name = value[1]:sub(#prefix + 1):lower()
        by_name[value[1]:gsub("^MEMMODEL_", ""):lower()] = value[2]
        by_name[name] = value[2]
        by_number[value[2]] = name
        names[i] = name
    end
    return { by_name = by_name, by_number = by_number, names = names }
end

local known = setmetatable({}, {
    __index = function(self, enum)
        self[enum] = read(api.enums[enum])
        return self[enum]
    end,
})

-- A name's number. Numbers are left to the library.
function enums.number(enum, value, path, call)
    local number = known[enum].by_name[value]
    if not number then
        local suggestion = errors.suggest(value, known[enum].names)
        errors.argument(call.name, path, ("'%s' is no %s%s"):format(value, enum, suggestion))
    end
    return number
end

-- A number's name; the number itself if this version has none.
function enums.name(enum, number)
    return known[enum].by_number[number] or number
end

function enums.names(enum)
    return known[enum].names
end

return enums
