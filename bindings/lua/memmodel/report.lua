-- Reports, traces, samples and monitors: what is many comes as a list or an iterator.
local enums = require "memmodel.enums"
local marshal = require "memmodel.marshal"
local objects = require "memmodel.objects"

local C = marshal.functions
local Report = objects.methods "memmodel_report"
local Trace = objects.methods "memmodel_trace"
local Samples = objects.methods "memmodel_samples"
local Monitor = objects.methods "memmodel_monitor"

-- Rows of the per-layer table.
function Report:layers()
    local rows = {}
    for i = 1, C.memmodel_report_layer_count(self) do
        rows[i] = C.memmodel_report_get_layer(self, i - 1)
    end
    return rows
end

-- Bytes at the peak by category: {parameters = ..., saved_activations = ..., ...}
function Report:categories()
    local bytes = {}
    for _, name in ipairs(enums.names "memmodel_category") do
        bytes[name] = C.memmodel_report_category_bytes(self, name)
    end
    return bytes
end

-- Closed formulas by their names: as text, or in "c", "python", "latex"
function Report:formulas(language)
    local formulas = {}
    for i = 1, C.memmodel_report_formula_count(self) do
        local name = C.memmodel_report_formula_name(self, i - 1)
        formulas[name] = C.memmodel_report_formula(self, i - 1, language or "text")
    end
    return formulas
end

-- Operators that the framework's rules do not know: a list of {op = ..., bytes = ...}
function Report:unmodelled()
    local list = {}
    for i = 1, C.memmodel_report_unmodelled_count(self) do
        list[i] = C.memmodel_report_get_unmodelled(self, i - 1)
    end
    return list
end

-- Lines of a recorded program: a list of {line = ..., peak_bytes = ..., growth_bytes = ...}
function Report:lines()
    local list = {}
    for i = 1, C.memmodel_report_line_count(self) do
        list[i] = C.memmodel_report_get_line(self, i - 1)
    end
    return list
end

-- What changes of the job would save, of reports that network:estimate_what_if() made: a list of {name = ...,
-- live = ..., reserved = ..., process = ..., saving = ...}
function Report:changes()
    local list = {}
    for i = 1, C.memmodel_report_change_count(self) do
        list[i] = C.memmodel_report_get_change(self, i - 1)
    end
    return list
end

-- for event in trace:events() do ... end
function Trace:events()
    local i, count = 0, C.memmodel_trace_event_count(self)
    return function()
        if i < count then
            i = i + 1
            return C.memmodel_trace_get_event(self, i - 1)
        end
    end
end

-- Names of the columns.
function Samples:columns()
    local names = {}
    for i = 1, C.memmodel_samples_column_count(self) do
        names[i] = C.memmodel_samples_column_name(self, i - 1)
    end
    return names
end

-- samples:add_row({64, 4, 1e9}), or samples:add_row({dim = 64, batch = 4, peak_bytes = 1e9}); what is not named is
-- missing (NaN)
function Samples:add_row(values)
    if type(values) == "table" and next(values) ~= nil and #values == 0 then
        local row = {}
        for i, name in ipairs(self:columns()) do
            row[i] = values[name] or 0 / 0
        end
        values = row
    end
    return C.memmodel_samples_add_row(self, values)
end

-- Process numbers of the tree, the watched one first.
function Monitor:processes()
    local count, list = 0, nil
    repeat -- it may grow in between
        local capacity = count
        count, list = C.memmodel_monitor_processes(self, capacity)
    until count <= capacity
    for i = #list, count + 1, -1 do
        list[i] = nil
    end
    return list
end
