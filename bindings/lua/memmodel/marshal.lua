-- Each function of the library as a Lua function, made from its description in api.lua when it is first asked for.
--
-- Arguments are checked, and named in the error. What follows from others is left out: lengths and strides of lists,
-- the pointer of a callback, the context of a function whose first argument is another object. What the library writes
-- to, and what it returns, are the results; a status is none: an error is raised.
local api = require "memmodel.api"
local core = require "memmodel.core"
local errors = require "memmodel.errors"
local objects = require "memmodel.objects"
local types = require "memmodel.types"

local unpack = table.unpack or unpack -- luacheck: ignore

local marshal = {}

-- ---- lengths ----

-- What a @length says: a number, a parameter, "*parameter" that the library fills in, or a call.
local function measure(length, call)
    if type(length) == "number" or tonumber(length) then
        return tonumber(length)
    end
    local asked, argument = length:match("^([%w_]+)%(([%w_]+)%)$")
    if asked then
        return marshal.functions[asked](call.values[argument])
    end
    local filled = length:match("^%*([%w_]+)$")
    if filled then
        return core.get(call.places[filled], 0, "z")
    end
    return call.values[length]
end

local function count_of(length, call)
    return call.counts[length] or measure(length, call)
end

-- ---- callbacks ----

local FAILED = { v = nil, i = 1, d = 0 / 0 } -- the result of a callback that failed: stop

-- While the others run, the objects of the running call and their context are not to be used.
local MAY_USE_OBJECTS = { memmodel_monitor_callback = true }

-- The arguments that mean something in Lua, and the place that the callback fills in, if there is one.
local function callback_arguments(spec, given, call)
    local arguments, counts, place = {}, {}, nil
    for i, parameter in ipairs(spec) do
        counts[parameter.name] = given[i]
    end
    for i, parameter in ipairs(spec) do
        if parameter.out then
            place = { struct = parameter.of, memory = given[i], name = parameter.name }
        end
        if parameter.kind == "struct" then
            arguments[#arguments + 1] = types.read(parameter, given[i], 0, call)
        elseif parameter.kind == "array" then
            arguments[#arguments + 1] = types.read_list(parameter.item, given[i], 0, counts[parameter.length], call)
        elseif parameter.kind ~= "user" and not parameter.length_of then
            arguments[#arguments + 1] = types.give(parameter, given[i], call)
        end
    end
    return arguments, place
end

-- What a script returns as the library's int: nothing and false are 0. A table is written to the place.
local function callback_result(returned, place, call)
    if place and type(returned) == "table" then
        types.write_struct(place.struct, place.memory, 0, returned, place.name, call)
        return 0
    end
    return tonumber(returned) or (returned and 1 or 0)
end

-- The Lua function that C calls. C keeps it alive, and so it does not: who makes it keeps the script's function, which
-- may refer to `receiver`.
local function callback_runner(name, run, receiver)
    local spec, weak = api.callbacks[name], setmetatable({ run = run, receiver = receiver }, { __mode = "v" })
    return function(...)
        local call = { name = name, receiver = weak.receiver, keep = {}, counts = {}, measure = measure }
        local arguments, place = callback_arguments(spec, { ... }, call)
        local leave = objects.enter_callback(not MAY_USE_OBJECTS[name] and objects.context(weak.receiver))
        local ok, returned = pcall(weak.run, unpack(arguments))
        leave()
        if not ok then
            error(returned, 0)
        end
        return spec.kinds:sub(1, 1) == "i" and callback_result(returned, place, call) or returned
    end
end

local function new_callback(owner, name, run, path, call)
    if type(run) ~= "function" then
        errors.argument(call.name, path, "must be a function, not " .. type(run))
    end
    local kinds = api.callbacks[name].kinds
    return core.callback(owner, kinds, callback_runner(name, run, call.receiver), FAILED[kinds:sub(1, 1)], name)
end

-- In a struct of options: it lives as long as the object that it is handed to.
function types.field_callback(field, run, path, call)
    local address = new_callback(call.receiver[objects.HANDLE], field.of, run, path, call)
    objects.set_callback(call.receiver, address, { run = run })
    return address
end

-- As an argument: until the call returns, unless the function is there to set it: then until it is set again.
local function take_callback(parameter, run, call)
    local lasting = call.name:find("_set_", 1, true)
    local owner = lasting and call.receiver[objects.HANDLE] or core.scope()
    local address = new_callback(owner, parameter.of, run, parameter.name, call)
    call.keep[#call.keep + 1] = run
    call.scope = not lasting and owner or nil
    call.set = lasting and { name = parameter.name, owner = owner, address = address, run = run } or nil
    return address
end

-- After the call: the old one goes, unless it may be running.
local function settle_callbacks(call)
    local set = call.set
    if call.scope then
        core.release(call.scope)
    elseif set then
        local old = objects.callback(call.receiver, set.name)
        if old and not objects.in_callback() then
            core.forget(set.owner, old.address)
        end
        objects.set_callback(call.receiver, set.name, { address = set.address, run = set.run })
    end
end

-- ---- arguments ----

-- The context that a call on other objects is given.
local function is_context(spec, i)
    local parameter = spec[i]
    return i > 1 and not parameter.out and parameter.kind == "handle" and parameter.of == "memmodel_context"
end

local function is_hidden(spec, i)
    local parameter = spec[i]
    return parameter.out or parameter.length_of or parameter.constant or parameter.kind == "user" or is_context(spec, i)
end

-- Makes the context of calls that have no object to take one from; memmodel.lua sets it.
function marshal.default_context()
    return nil
end

-- The parameters that a script gives.
local function visible(spec)
    local list = {}
    for i, parameter in ipairs(spec) do
        if not is_hidden(spec, i) then
            list[#list + 1] = parameter
        end
    end
    return list
end

local function bind(call, given, ...)
    local count = select("#", ...)
    if count > #given then
        errors.argument(call.name, tostring(#given + 1), ("is one too many: there are %d"):format(#given))
    end
    for i, parameter in ipairs(given) do
        call.values[parameter.name] = (select(i, ...))
    end
    local first = given[1]
    call.receiver = first and first.kind == "handle" and call.values[first.name] or nil
    if objects.is_busy(call.receiver) then
        errors.argument(call.name, first.name, "is in use by the call that called back")
    end
end

local function take_visible(parameter, call)
    local value = call.values[parameter.name]
    if value == nil then
        if not parameter.nullable then
            errors.argument(call.name, parameter.name, "is missing")
        elseif parameter.length then
            call.counts[parameter.length] = call.counts[parameter.length] or 0
        end
        return parameter.kind == "tensor" and api.constants.MEMMODEL_TENSOR_NONE or nil
    elseif parameter.kind == "callback" then
        return take_callback(parameter, value, call)
    end
    return types.take(parameter, value, parameter.name, call)
end

local MAX_ELEMENTS = 16777216 -- 2^24, of a list that a script asks for: 256 MiB in Lua

-- Where the library writes a result.
local function make_place(parameter, call)
    local item, count = parameter, 1
    if parameter.kind == "array" then
        item, count = parameter.item, count_of(parameter.length, call)
        if count > MAX_ELEMENTS then
            local complaint = ("is more than a list of Lua may have here, %d"):format(MAX_ELEMENTS)
            errors.argument(call.name, parameter.length, complaint)
        end
    elseif parameter.kind == "text" then
        item = { letter = "p", c = "char *" }
    end
    call.places[parameter.name] = types.memory(item, count, call)
    return call.places[parameter.name]
end

-- First what the script gave, since lengths follow from it.
local function take_arguments(spec, given, call)
    local taken, arguments = {}, {}
    for _, parameter in ipairs(given) do
        taken[parameter.name] = take_visible(parameter, call)
    end
    call.context = objects.context(call.receiver)
    for i, parameter in ipairs(spec) do
        if parameter.out then
            arguments[i] = make_place(parameter, call)
        elseif parameter.length_of then
            arguments[i] = call.counts[parameter.name]
        elseif parameter.constant then
            arguments[i] = parameter.constant
        elseif is_context(spec, i) then
            call.context = call.context or marshal.default_context()
            arguments[i] = call.context[objects.HANDLE]
        else
            arguments[i] = taken[parameter.name]
        end
    end
    return arguments
end

-- ---- errors ----

-- What the context knows of this error; nothing if it is about another one.
local function detail(call, status)
    local context = not call.spec.silent and call.context
    local handle = context and context[objects.HANDLE]
    local error_ = handle and core.call.memmodel_context_error(handle)
    local known = error_ and core.get(error_, core.layout["memmodel_error.status"], "i")
    if known and (known == status or not status) then
        return types.read({ kind = "struct", of = "memmodel_error" }, error_, 0, call), known
    end
    return { message = core.call.memmodel_status_message(status), object = "", line = 0, column = 0 }, status
end

local function fail(call, status)
    local known
    known, status = detail(call, status)
    errors.raise {
        status = status,
        name = core.call.memmodel_status_name(status),
        call = call.name,
        message = known.message,
        object = known.object,
        line = known.line,
        column = known.column,
    }
end

local function fail_if_negative(result, call)
    return result < 0 and fail(call, result)
end

-- How each kind of result says that the call failed.
local FAILURES = {
    status = function(result, call)
        return result ~= 0 and fail(call, result)
    end,
    dim = function(result, call)
        return result == 0 and fail(call)
    end,
    tensor = fail_if_negative,
    int64 = fail_if_negative,
    int32 = fail_if_negative,
}

local function check(returns, result, call)
    if returns.kind ~= "status" and not returns.fails then
        return
    end
    local failure = FAILURES[returns.kind]
    if failure then
        failure(result, call)
    elseif result == nil then
        fail(call)
    end
end

-- ---- results ----

local function take_text(place)
    local address = core.get(place, 0, "p")
    local text = core.text(address)
    core.call.memmodel_free(address)
    return text
end

local function give_place(parameter, call)
    local place = call.places[parameter.name]
    if parameter.kind == "array" then
        return types.read_list(parameter.item, place, 0, count_of(parameter.length, call), call)
    elseif parameter.kind == "text" then
        return take_text(place)
    end
    return types.read(parameter, place, 0, call)
end

local function give_returned(returns, result, call)
    if result == nil or returns.kind == "status" or returns.kind == "void" then
        return result
    elseif returns.kind == "array" then
        return types.read_list(returns.item, result, 0, count_of(returns.length, call), call)
    elseif returns.kind == "struct" then
        return types.read(returns, result, 0, call)
    end
    return types.give(returns, result, call)
end

-- The returned value unless it is a status, then what the library wrote; a count that a list has is left out.
local function give_results(spec, result, call)
    local results, count = {}, 0
    local returns = spec.returns
    if returns.kind ~= "status" and returns.kind ~= "void" then
        count = 1
        results[1] = give_returned(returns, result, call)
    end
    for _, parameter in ipairs(spec) do
        if parameter.out and returns.length ~= "*" .. parameter.name then
            count = count + 1
            results[count] = give_place(parameter, call)
        end
    end
    return unpack(results, 1, count)
end

-- A callback's error is raised though the library has done its work: what it made is dropped.
local function discard(spec, call)
    for _, parameter in ipairs(spec) do
        local place = parameter.out and call.places[parameter.name]
        local address = place and (parameter.kind == "handle" or parameter.kind == "text") and core.get(place, 0, "p")
        if address and parameter.kind == "handle" then
            core.release(core.adopt(address, parameter.of))
        elseif address then
            core.call.memmodel_free(address)
        end
    end
end

-- ---- functions ----

local function make(name)
    local spec, invoke = api.functions[name], core.call[name]
    local given, count = visible(spec), #spec
    return function(...)
        local call = { name = name, spec = spec, keep = {}, counts = {}, values = {}, places = {}, measure = measure }
        bind(call, given, ...)
        local arguments = take_arguments(spec, given, call)
        local ok, result = pcall(invoke, unpack(arguments, 1, count))
        settle_callbacks(call)
        if not ok then
            discard(spec, call)
            error(result, 0)
        end
        check(spec.returns, result, call)
        return give_results(spec, result, call)
    end
end

-- By the names of C: marshal.functions.memmodel_model_target(model)
marshal.functions = setmetatable({}, {
    __index = function(self, name)
        if not api.functions[name] or api.left_out[name] then
            return nil
        end
        self[name] = make(name)
        return self[name]
    end,
})

-- model:target() is memmodel_model_target(model), and report:result() is memmodel_report_get_result(report). Functions
-- of no type's name go to that of their first parameter.
function objects.generated_method(type_name, key)
    if key:find "^get_" then
        return nil
    end
    for _, name in ipairs { type_name .. "_" .. key, type_name .. "_get_" .. key, "memmodel_" .. key } do
        local spec = api.functions[name]
        if spec and spec[1] and spec[1].of == type_name then
            return marshal.functions[name]
        end
    end
end

return marshal
