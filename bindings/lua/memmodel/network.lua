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

local function to_job(job)
    if type(job) ~= "table" or objects.name(job) ~= "table" then
        return job
    end
    local copy = {}
    for name, value in each(job) do
        copy[name] = name == "symbols" and symbol_list(value) or value
    end
    return copy
end

-- network:estimate({symbols = {batch = 4}, optimizer = "sgd"}): a report
function Network:estimate(job)
    return C.memmodel_estimate(self, to_job(job))
end

-- The same report, which can also tell what changes of the job would save: report:changes()
function Network:what_if(job)
    return C.memmodel_report_what_if(self, to_job(job))
end

-- network:solve({...}, "batch", budget): the largest value that fits; 0 if none does
function Network:solve(job, symbol, budget)
    return C.memmodel_solve(self, to_job(job or {}), symbol, budget)
end

-- Names of the symbols.
function Network:symbols()
    local names = {}
    for i = 1, C.memmodel_network_symbol_count(self) do
        names[i] = C.memmodel_network_symbol_name(self, i - 1)
    end
    return names
end
