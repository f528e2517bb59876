-- Networks: the builder's methods are the library's own; here is what a job looks like in Lua.
local each = require "memmodel.each"
local marshal = require "memmodel.marshal"
local objects = require "memmodel.objects"

local C = marshal.functions
local Network = objects.methods "memmodel_network"

-- {batch = 4, dim = 64} as the library's list of names and values; a list is left as it is
local function symbol_list(symbols)
    if type(symbols) ~= "table" or #symbols > 0 then
        return symbols
    end
    local names, list = {}, {}
    for name in each(symbols) do
        names[#names + 1] = name
    end
    table.sort(names, function(a, b)
        return tostring(a) < tostring(b)
    end)
    for i, name in ipairs(names) do
        list[i] = { name = name, value = symbols[name] }
    end
    return list
end

-- Of a job, or the options of a schedule.
local function with_symbol_list(options)
    if type(options) ~= "table" or objects.name(options) ~= "table" then
        return options
    end
    local copy = {}
    for name, value in each(options) do
        copy[name] = name == "symbols" and symbol_list(value) or value
    end
    return copy
end

-- network:estimate({symbols = {batch = 4}, optimizer = "sgd"}), and the other questions about a job
for _, question in ipairs(objects.QUESTIONS) do
    Network[question] = function(self, job, ...)
        return C["memmodel_" .. question](self, with_symbol_list(job), ...)
    end
end

-- network:schedule({symbols = {batch = 1}}), network:tile({symbols = {batch = 1}}, budget)
for _, verb in ipairs { "schedule", "tile" } do
    Network[verb] = function(self, options, ...)
        return C["memmodel_network_" .. verb](self, with_symbol_list(options), ...)
    end
end

-- Names of the symbols.
function Network:symbols()
    local names = {}
    for i = 1, C.memmodel_network_symbol_count(self) do
        names[i] = C.memmodel_network_symbol_name(self, i - 1)
    end
    return names
end
