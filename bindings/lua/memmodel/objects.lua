-- Objects of the library as scripts hold them, and their life: an object keeps the one it was made from, so that all
-- may be dropped or collected in any order; close() drops it now.
local api = require "memmodel.api"
local core = require "memmodel.core"
local each = require "memmodel.each"
local errors = require "memmodel.errors"

local objects = {}

-- Keys that no script comes upon by mistake.
local HANDLE, TYPE, MAKER, CONTEXT, CALLBACKS, NUMBER, BUSY = {}, {}, {}, {}, {}, {}, {}
objects.HANDLE = HANDLE

-- Functions that are asked of a network and a job.
objects.QUESTIONS = { "estimate", "estimate_what_if", "estimate_max", "estimate_many", "optimize", "recompute" }

local classes = {} -- metatables, by the name of the C type

local callback_depth = 0 -- callbacks of the library that are running now

-- ---- methods ----

-- memmodel_model for "Model", and so on
local function class_name(type_name)
    return (type_name:gsub("^memmodel_", ""))
end

-- Methods are looked up among those written by hand, then among the library's functions for this type.
local function method_lookup(type_name, methods)
    return function(_, key)
        local method = methods[key]
        if method == nil and type(key) == "string" then
            method = objects.generated_method(type_name, key)
            methods[key] = method
        end
        return method
    end
end

local function describe(self)
    return ("memmodel.%s%s"):format(class_name(self[TYPE]), self[HANDLE] and "" or " (closed)")
end

for type_name in each(api.handles) do
    local methods = {}
    classes[type_name] = {
        __index = method_lookup(type_name, methods),
        __tostring = describe,
        __metatable = "memmodel." .. class_name(type_name),
        methods = methods,
    }
end

-- The table of the methods of a class, to add to.
function objects.methods(type_name)
    return classes[type_name].methods
end

-- ---- handles ----

-- Borrowed ones get a reference of their own.
function objects.new(type_name, pointer, maker, owned)
    if type_name == "memmodel_context" and maker then
        return objects.context(maker)
    end
    local handle = core.adopt(pointer, type_name)
    if not owned then
        core.call[api.handles[type_name].ref](handle)
    end
    local object = { [HANDLE] = handle, [TYPE] = type_name, [MAKER] = maker, [CALLBACKS] = {} }
    object[CONTEXT] = type_name == "memmodel_context" and object or objects.context(maker)
    return setmetatable(object, classes[type_name])
end

function objects.context(object)
    return object and object[CONTEXT]
end

function objects.is(value, type_name)
    return type(value) == "table" and rawget(value, TYPE) == type_name
end

-- How an error calls a value.
function objects.name(value)
    local type_name = type(value) == "table" and (rawget(value, TYPE) or rawget(value, NUMBER) and "memmodel_tensor")
    return type_name and "a " .. class_name(type_name) or type(value)
end

-- The handle of an object of this type; or nil and what is wrong.
function objects.handle(value, type_name)
    if not objects.is(value, type_name) then
        return nil, ("must be a %s, not %s"):format(class_name(type_name), objects.name(value))
    end
    return rawget(value, HANDLE), "is closed"
end

local function close(self)
    local handle = self[HANDLE]
    if handle and callback_depth > 0 then
        errors.argument("close", "self", "cannot be closed in a callback, only after the call that called back")
    elseif handle then
        self[HANDLE] = nil
        core.release(handle)
    end
end

for _, class in each(classes) do
    class.methods.close = close
    class.__close = close -- local model <close> = ... in Lua 5.4
end

-- ---- callbacks ----

-- What an object keeps of its callbacks. Of those that a function sets there is one a name; a new one takes the old
-- one's place.
function objects.callback(object, name)
    return object[CALLBACKS][name]
end

function objects.set_callback(object, name, callback)
    object[CALLBACKS][name] = callback
end

-- While a callback runs nothing is closed, and the objects of `context`, unless it is nil, are not used.
-- Returns the function that ends this.
function objects.enter_callback(context)
    local was_busy = context and context[BUSY]
    callback_depth = callback_depth + 1
    if context then
        context[BUSY] = true
    end
    return function()
        callback_depth = callback_depth - 1
        if context then
            context[BUSY] = was_busy
        end
    end
end

function objects.in_callback()
    return callback_depth > 0
end

function objects.is_busy(object)
    local context = type(object) == "table" and rawget(object, CONTEXT)
    return context and rawget(context, BUSY)
end

-- ---- tensors: numbers that know their network ----

local Tensor = {
    __tostring = function(self)
        return ("memmodel.tensor %d"):format(self[NUMBER])
    end,
    __metatable = "memmodel.tensor",
}

function objects.new_tensor(network, number)
    return setmetatable({ [MAKER] = network, [NUMBER] = number }, Tensor)
end

-- Its network and number; nil if it is none.
function objects.tensor(value)
    if type(value) == "table" and rawget(value, NUMBER) then
        return rawget(value, MAKER), rawget(value, NUMBER)
    end
end

return objects
