-- The low layer on LuaJIT: what bindings/lua/core does in C for PUC Lua, by LuaJIT's own ffi.
local ffi = require "ffi"
local api = require "memmodel.api"
local each = require "memmodel.each"
local library = require "memmodel.library"

ffi.cdef(require "memmodel.cdef")

local core = {}
local C = library.load(ffi)

-- Pointers to each kind of scalar.
local POINTERS = {
    i = ffi.typeof "int32_t *", l = ffi.typeof "int64_t *", L = ffi.typeof "uint64_t *", z = ffi.typeof "size_t *",
    d = ffi.typeof "double *", b = ffi.typeof "bool *", p = ffi.typeof "void **", s = ffi.typeof "const char **",
}
local BYTES = ffi.typeof "uint8_t *"
local EXACT = 2LL ^ 53

local function place(memory, offset, kind)
    return ffi.cast(POINTERS[kind], ffi.cast(BYTES, memory) + offset)
end

-- Numbers where they are exact, LuaJIT's own 64-bit integers beyond.
local function to_lua(kind, value)
    if kind == "s" then
        return value ~= nil and ffi.string(value) or nil
    elseif kind == "p" then
        return value ~= nil and value or nil
    elseif (kind == "l" or kind == "L" or kind == "z") and value <= EXACT and (kind ~= "l" or value >= -EXACT) then
        return tonumber(value)
    end
    return value
end

-- ---- memory ----

function core.buffer(bytes, ctype)
    local item = ffi.typeof(ctype .. "[?]")
    return item(math.max(1, bytes / ffi.sizeof(ctype)))
end

function core.put(memory, offset, kind, value)
    if kind == "p" and type(value) == "string" then
        value = ffi.cast("const char *", value)
        place(memory, offset, "s")[0] = value
    elseif kind == "p" and value ~= nil then
        place(memory, offset, kind)[0] = ffi.cast("void *", value)
    else
        place(memory, offset, kind)[0] = value
    end
end

function core.get(memory, offset, kind)
    return to_lua(kind, place(memory, offset, kind)[0])
end

-- Three at once.
function core.get3(memory, offset1, kind1, offset2, kind2, offset3, kind3)
    return core.get(memory, offset1, kind1), core.get(memory, offset2, kind2), core.get(memory, offset3, kind3)
end

function core.doubles(buffer, ...)
    for i = 1, select("#", ...) do
        buffer[i - 1] = (select(i, ...))
    end
end

-- Code without a loop, which would keep the caller's loop from being compiled.
local function new_gatherer(names)
    local lines = {}
    local function add(line, ...)
        lines[#lines + 1] = line:format(...)
    end
    add "local names, type, next = ..."
    add "return function(buffer, fields) local number"
    for i = 1, #names do
        add("number = fields[names[%d]]", i)
        add("if type(number) ~= 'number' then return %d end", i)
        add("buffer[%d] = number", i - 1)
    end
    add "local key = next(fields)"
    for _ = 1, #names do
        add "key = next(fields, key)"
    end
    add "if key ~= nil then return 0 end end"
    return loadstring(table.concat(lines, "\n"))(names, type, next)
end

local gatherers = setmetatable({}, { __mode = "k" })

function core.gather(buffer, names, fields)
    local gatherer = gatherers[names]
    if not gatherer then
        gatherer = new_gatherer(names)
        gatherers[names] = gatherer
    end
    return gatherer(buffer, fields)
end

function core.text(address, length)
    return ffi.string(address, length)
end

core.layout = setmetatable({ pointer = ffi.sizeof("void *") }, {
    __index = function(self, name)
        local struct, field = name:match("^([^.]*)%.?(.*)$")
        local value = field == "" and ffi.sizeof("struct " .. struct) or ffi.offsetof("struct " .. struct, field)
        self[name] = value
        return value
    end,
})

-- ---- calls ----

local pending -- first error of a callback in the call that is under way

local function result_kind(name)
    local returns = api.functions[name].returns
    return returns.kind == "status" and "i" or returns.letter or "p"
end

-- Never compiled: a callback out of compiled code would end the process.
local function caller(name)
    local call, kind = C[name], result_kind(name)
    local function invoke(...)
        local outer = pending
        pending = nil
        local result = call(...)
        local mine = pending
        pending = outer
        if mine then
            error(mine.value, 0)
        end
        return to_lua(kind, result)
    end
    jit.off(invoke)
    return invoke
end

core.call = setmetatable({}, {
    __index = function(self, name)
        self[name] = caller(name)
        return self[name]
    end,
})

-- Calls that never call back and return no 64-bit number: nothing in between, and compiled.
core.direct = C

-- ---- handles ----

local callbacks = setmetatable({}, { __mode = "k" }) -- of each owner

local function free_all(list)
    for address, callback in each(list) do
        list[address] = nil
        callback:free()
    end
end

-- A context may outlive its handle, because its objects refer to it; the callbacks would be gone by then.
local function silence(context)
    C.memmodel_context_set_log(context, nil, nil)
    C.memmodel_context_set_progress(context, nil, nil)
end

function core.adopt(pointer, name)
    local unref = C[api.handles[name].unref]
    local list = {}
    local handle = ffi.gc(ffi.cast(name .. " *", pointer), function(address)
        if name == "memmodel_context" then
            silence(address)
        end
        unref(address)
        free_all(list)
    end)
    callbacks[handle] = { list = list }
    return handle
end

function core.release(owner)
    local list = callbacks[owner].list
    if callbacks[owner].scope then
        return free_all(list)
    end
    local name = tostring(ffi.typeof(owner)):match("struct ([%w_]+)")
    ffi.gc(owner, nil)
    if name == "memmodel_context" then
        silence(owner)
    end
    C[api.handles[name].unref](owner)
    free_all(list)
end

function core.scope()
    local owner = {}
    callbacks[owner] = { list = {}, scope = true }
    return owner
end

-- ---- callbacks ----

function core.callback(owner, kinds, run, when_failed, name)
    local function enter(...)
        if pending then
            return when_failed
        end
        local arguments = { ... }
        for i = 1, #kinds - 1 do
            arguments[i] = to_lua(kinds:sub(i + 1, i + 1), arguments[i])
        end
        local ok, result = pcall(run, unpack(arguments, 1, #kinds - 1))
        if not ok then
            pending = { value = result }
            return when_failed
        end
        return result
    end
    local callback = ffi.cast(name, enter)
    local address = tostring(ffi.cast("void *", callback))
    callbacks[owner].list[address] = callback
    return callback
end

function core.forget(owner, callback)
    local list, address = callbacks[owner].list, tostring(ffi.cast("void *", callback))
    if list[address] then
        list[address] = nil
        callback:free()
    end
end

return core
