-- libmemmodel for LuaJIT and Lua 5.1 to 5.4: how much memory a deep-learning job will need.
--
--   local memmodel = require "memmodel"
--   local model = memmodel.load_model("unet.json")
--   local bytes, upper, extrapolated = model:predict({dim = 64, batch = 4}, {level = 0.99})
--
-- Errors are raised as tables; tostring() of one is a line for a person (memmodel/errors.lua lists the fields).
local api = require "memmodel.api"
local each = require "memmodel.each"
local enums = require "memmodel.enums"
local errors = require "memmodel.errors"
local marshal = require "memmodel.marshal"
local objects = require "memmodel.objects"

require "memmodel.model"
require "memmodel.network"
require "memmodel.report"

local C = marshal.functions
local memmodel = {
    C = C, -- every function of the library, by its C name
    api = api, -- what it takes and returns
    is_error = errors.is_error,
    enumerators = enums.names,
    DIM_INFER = api.constants.MEMMODEL_DIM_INFER,
    MAX_RANK = api.constants.MEMMODEL_MAX_RANK,
    _VERSION = C.memmodel_version(),
}

-- The context that everything below is made from, unless a script makes its own with new_context().
local default

function memmodel.new_context()
    return C.memmodel_context_new()
end

function memmodel.context()
    default = default or memmodel.new_context()
    return default
end

function marshal.default_context()
    return memmodel.context()
end

-- The library's messages go to log(message); nil for silence.
function memmodel.set_log(log)
    memmodel.context():set_log(log)
end

-- While a call runs that takes long, callback({stage =, done =, total =, seconds =, best =}) learns how far it is, and
-- ends it with true; nil for nobody.
function memmodel.set_progress(callback)
    memmodel.context():set_progress(callback)
end

-- What calls may use: {memory_bytes =, input_bytes =, nodes =, layers =, seconds =}; nil for the defaults.
function memmodel.set_limits(limits)
    memmodel.context():set_limits(limits)
end

function memmodel.version()
    return C.memmodel_version()
end

-- ---- from files and texts ----

function memmodel.load_model(path)
    return C.memmodel_model_load(memmodel.context(), path)
end

function memmodel.model_from_json(text, name)
    return C.memmodel_model_from_json(memmodel.context(), name or "model", text)
end

-- `columns`: names of all columns, of a file whose first line is a row.
function memmodel.load_samples(path, columns)
    if columns then
        return C.memmodel_samples_load_rows(memmodel.context(), path, columns)
    end
    return C.memmodel_samples_load(memmodel.context(), path)
end

function memmodel.samples_from_csv(text, name)
    return C.memmodel_samples_from_csv(memmodel.context(), name or "samples", text)
end

local function as_text(value)
    if type(value) ~= "number" then
        return value
    end
    return value % 1 == 0 and value > -2 ^ 53 and value < 2 ^ 53 and ("%.0f"):format(value) or ("%.17g"):format(value)
end

-- memmodel.samples_append_to_file("runs.csv", {dim = 64, batch = 4, peak_bytes = 1.5e9}): one row more, safe among many
-- writers. A new file gets its columns in the order of `columns`, or of the alphabet.
function memmodel.samples_append_to_file(path, row, columns)
    if type(row) ~= "table" then
        errors.argument("samples_append_to_file", "row", "must be a table, not " .. type(row))
    end
    local names, values = {}, {}
    for name in each(row) do
        names[#names + 1] = tostring(name)
    end
    table.sort(names)
    names = columns or names
    for i, name in ipairs(names) do
        values[i] = as_text(row[name] == nil and "" or row[name])
    end
    return C.memmodel_samples_append_to_file(memmodel.context(), path, names, values)
end

function memmodel.samples(columns)
    return C.memmodel_samples_new(memmodel.context(), columns)
end

function memmodel.load_network(path)
    return C.memmodel_network_load(memmodel.context(), path)
end

function memmodel.network_from_json(text, name)
    return C.memmodel_network_from_json(memmodel.context(), name or "network", text)
end

-- Options: batch_symbol, a symbol in place of each input's first dimension; frozen.
function memmodel.load_onnx(path, options)
    return C.memmodel_network_load_onnx(memmodel.context(), path, options)
end

-- The same from the bytes of a file, which are a text in Lua; errors call them `name`.
function memmodel.network_from_onnx(bytes, options, name)
    return C.memmodel_network_from_onnx(memmodel.context(), name or "model", bytes, options)
end

function memmodel.load_trace(path)
    return C.memmodel_trace_load(memmodel.context(), path)
end

-- The same from the bytes of a file.
function memmodel.trace_from_bytes(bytes, name)
    return C.memmodel_trace_from_bytes(memmodel.context(), name or "trace", bytes)
end

function memmodel.load_plan(path)
    return C.memmodel_plan_load(memmodel.context(), path)
end

function memmodel.plan_from_csv(text, name)
    return C.memmodel_plan_from_csv(memmodel.context(), name or "plan", text)
end

-- ---- questions ----

-- An empty network, to be built by its methods: network:input(...), network:conv(...), ...
function memmodel.network()
    return C.memmodel_network_new(memmodel.context())
end

-- memmodel.fit(samples or file, {target = "peak_bytes", inputs = {"dim", "batch"}})
function memmodel.fit(samples, options)
    if type(samples) == "string" then
        samples = memmodel.load_samples(samples)
    end
    return C.memmodel_fit(samples, options)
end

-- What to measure next: memmodel.advise(samples, file or nil, {domain = {"dim=16:128", "batch=1:8"}, count = 5}) gives
-- {expected_error =, needed_count =} and the design, a table of samples.
function memmodel.advise(samples, options)
    if type(samples) == "string" then
        samples = memmodel.load_samples(samples)
    end
    return C.memmodel_advise(samples, options)
end

-- The questions about a job, as functions of the command line's names: memmodel.estimate(network, job), and so on.
for _, question in ipairs(objects.QUESTIONS) do
    memmodel[question] = objects.methods("memmodel_network")[question]
end

function memmodel.monitor(pid, options)
    return C.memmodel_monitor_new(memmodel.context(), pid, options)
end

return memmodel
