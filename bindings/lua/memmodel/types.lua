-- Values between Lua and C, one entry a kind. `take` makes of a Lua value what the low layer takes, or raises an error
-- that names the argument; `give` makes of what the low layer returns what a script sees.
--
-- A call under way is a table: `name` of the function, `receiver` (its first object), `keep` (what must stay alive
-- until it returns), `counts` (lengths of the lists given), `values` (the arguments).
local api = require "memmodel.api"
local core = require "memmodel.core"
local each = require "memmodel.each"
local enums = require "memmodel.enums"
local errors = require "memmodel.errors"
local numbers = require "memmodel.numbers"
local objects = require "memmodel.objects"

local types = {}

local POINTER = core.layout.pointer
local BYTES = { i = 4, l = 8, L = 8, d = 8, b = 1, p = POINTER, s = POINTER, z = POINTER }
local LIMITS = { i = { -2 ^ 31, 2 ^ 31 - 1 }, z = { 0, 2 ^ 53 }, L = { 0 } }

local kinds = {}

local function article(object)
    return type(object) == "table" and objects.name(object) or type(object)
end

-- ---- scalars ----

local function take_integer(type_, value, path, call)
    if type_.enum and type(value) == "string" then
        return enums.number(type_.enum, value, path, call)
    elseif value == true or value == false then
        value = value and 1 or 0
    end
    local number, limits = numbers.whole(value), LIMITS[type_.letter]
    if not number then
        errors.argument(call.name, path, numbers.complaint(value))
    elseif limits and (number < limits[1] or limits[2] and number > limits[2]) then
        errors.argument(call.name, path, ("is out of range: %s"):format(tostring(value)))
    end
    return number
end

local function give_integer(type_, value)
    return type_.enum and enums.name(type_.enum, value) or value
end

for _, kind in ipairs { "int32", "int64", "uint64", "size" } do
    kinds[kind] = { take = take_integer, give = give_integer }
end

kinds.double = {
    take = function(_, value, path, call)
        if type(value) ~= "number" then
            errors.argument(call.name, path, "must be a number, not " .. article(value))
        end
        return value
    end,
}

kinds.bool = {
    take = function(_, value, path, call)
        if type(value) ~= "boolean" then
            errors.argument(call.name, path, "must be true or false, not " .. article(value))
        end
        return value
    end,
}

kinds.string = {
    take = function(type_, value, path, call)
        if type(value) ~= "string" then
            errors.argument(call.name, path, "must be a string, not " .. article(value))
        elseif type_.length then
            call.counts[type_.length] = #value
        elseif value:find("\0", 1, true) then
            errors.argument(call.name, path, "has a zero byte in it")
        end
        return value
    end,
}

-- A dimension is a number, or an expression in symbols of the network such as "batch" or "dim / 2".
kinds.dim = {
    take = function(type_, value, path, call)
        if type(value) ~= "string" then
            return take_integer(type_, value, path, call)
        end
        return call.receiver:expression(value)
    end,
}

kinds.tensor = {
    take = function(_, value, path, call)
        local network, number = objects.tensor(value)
        if not network then
            errors.argument(call.name, path, "must be a tensor, not " .. article(value))
        elseif network ~= call.receiver then
            errors.argument(call.name, path, "is a tensor of another network")
        end
        return number
    end,
    give = function(_, value, call)
        return objects.new_tensor(call.receiver, value)
    end,
}

-- Addresses, and what is handed to callbacks: of no use in Lua.
kinds.address = {
    take = function(_, value, path, call)
        errors.argument(call.name, path, "cannot be given in Lua: " .. article(value))
    end,
}
kinds.user = kinds.address

-- ---- objects ----

kinds.handle = {
    take = function(type_, value, path, call)
        local handle, wrong = objects.handle(value, type_.of)
        if not handle then
            errors.argument(call.name, path, wrong)
        end
        call.keep[#call.keep + 1] = value
        return handle
    end,
    give = function(type_, value, call)
        return objects.new(type_.of, value, call.receiver, type_.out)
    end,
}

-- ---- memory ----

local function letter(type_)
    return type_.letter or "p"
end

local function size_of(type_)
    return type_.kind == "struct" and core.layout[type_.of] or BYTES[letter(type_)]
end

local C_NAMES = { struct = "struct %s", handle = "%s *" }

local function c_name(type_)
    return type_.c or C_NAMES[type_.kind]:format(type_.of)
end

-- Zeroed memory for `count` values of a type, alive as long as the call.
function types.memory(type_, count, call)
    local memory = core.buffer(size_of(type_) * count, c_name(type_))
    call.keep[#call.keep + 1] = memory
    if type_.kind == "struct" and api.structs[type_.of].sized then
        core.put(memory, 0, "z", core.layout[type_.of])
    end
    return memory
end

local read_struct

local function write(type_, memory, offset, value, path, call)
    if type_.kind == "struct" then
        return types.write_struct(type_.of, memory, offset, value, path, call)
    end
    local taken = types.take(type_, value, path, call)
    call.keep[#call.keep + 1] = taken
    core.put(memory, offset, letter(type_), taken)
end

function types.read(type_, memory, offset, call)
    if type_.kind == "struct" then
        return read_struct(type_.of, memory, offset, call)
    elseif type_.kind == "array" then
        return types.read_list(type_.item, memory, offset, type_.count, call)
    end
    return types.give(type_, core.get(memory, offset, letter(type_)), call)
end

-- ---- lists ----

local function check_list(value, path, call)
    if type(value) ~= "table" or objects.name(value) ~= "table" then
        errors.argument(call.name, path, "must be a list, not " .. article(value))
    end
end

local function write_list(item, memory, offset, list, path, call)
    local bytes = size_of(item)
    for i = 1, #list do
        write(item, memory, offset + (i - 1) * bytes, list[i], ("%s[%d]"):format(path, i), call)
    end
end

function types.read_list(item, memory, offset, count, call)
    local list, bytes = {}, size_of(item)
    for i = 1, count do
        list[i] = types.read(item, memory, offset + (i - 1) * bytes, call)
    end
    return list
end

local function set_count(length, count, path, call)
    local known = call.counts[length] or call.measure(length, call)
    if known and known ~= count then
        errors.argument(call.name, path, ("must have %s elements, not %d"):format(tostring(known), count))
    end
    call.counts[length] = count
end

kinds.array = {
    take = function(type_, value, path, call)
        if type_.length == "1" then
            value = { value } -- of C a pointer to one
        end
        check_list(value, path, call)
        set_count(type_.length, #value, path, call)
        local memory = types.memory(type_.item, #value, call)
        write_list(type_.item, memory, 0, value, path, call)
        return memory
    end,
}

-- A list of lists of the same length.
kinds.arrays = {
    take = function(type_, value, path, call)
        check_list(value, path, call)
        set_count(type_.length, #value, path, call)
        local inner = { kind = "array", item = type_.item, length = type_.inner }
        local places = types.memory({ letter = "p", c = ("const %s *"):format(type_.item.c) }, #value, call)
        for i = 1, #value do
            local memory = types.take(inner, value[i], ("%s[%d]"):format(path, i), call)
            core.put(places, (i - 1) * BYTES.p, "p", memory)
        end
        return places
    end,
}

-- ---- structs ----

local field_tables = setmetatable({}, {
    __index = function(self, struct)
        local fields, names = {}, {}
        local list_of = {} -- the list whose length a field is
        for i, field in ipairs(api.structs[struct]) do
            fields[field.name], names[i] = field, field.name
            list_of[field.length or ""] = field.name
        end
        self[struct] = { fields = fields, names = names, list_of = list_of }
        return self[struct]
    end,
})

-- A fixed array takes a list of up to its length, or one number for its first element.
local function write_fixed(field, memory, offset, value, path, call)
    if type(value) ~= "table" then
        value = { value }
    elseif #value > field.count then
        errors.argument(call.name, path, ("has %d elements, more than %d"):format(#value, field.count))
    end
    write_list(field.item, memory, offset, value, path, call)
end

local function write_field(struct, field, memory, base, value, path, call)
    local offset = base + core.layout[struct .. "." .. field.name]
    if field.kind == "array" and field.count then
        write_fixed(field, memory, offset, value, path, call)
    elseif field.kind == "callback" then
        core.put(memory, offset, "p", types.field_callback(field, value, path, call))
    else
        write(field, memory, offset, value, path, call)
    end
    local length = field_tables[struct].fields[field.length]
    if length then
        write(length, memory, base + core.layout[struct .. "." .. length.name], #value, path, call)
    end
end

-- Where a list is given, its length may be given too, if it is right.
local function check_length(known, value, name, path, call)
    local list = value[known.list_of[name] or ""]
    if type(list) == "table" and value[name] ~= #list then
        local complaint = ("must be %d, the length of %s"):format(#list, known.list_of[name])
        errors.argument(call.name, path .. "." .. name, complaint)
    end
end

function types.write_struct(struct, memory, base, value, path, call)
    if type(value) ~= "table" or objects.name(value) ~= "table" then
        errors.argument(call.name, path, "must be a table, not " .. article(value))
    end
    local known = field_tables[struct]
    local outer = call.counts
    call.counts = {}
    for name, entry in each(value) do
        local field = known.fields[name]
        if not field then
            local suggestion = errors.suggest(tostring(name), known.names)
            errors.argument(call.name, path, ("has no field '%s'%s"):format(tostring(name), suggestion))
        end
        check_length(known, value, name, path, call)
        write_field(struct, field, memory, base, entry, ("%s.%s"):format(path, name), call)
    end
    call.counts = outer
end

function read_struct(struct, memory, base, call)
    local value = {}
    for _, field in ipairs(api.structs[struct]) do
        value[field.name] = types.read(field, memory, base + core.layout[struct .. "." .. field.name], call)
    end
    return value
end

kinds.struct = {
    take = function(type_, value, path, call)
        local memory = types.memory(type_, 1, call)
        types.write_struct(type_.of, memory, 0, value, path, call)
        return memory
    end,
}

-- ---- all kinds ----

function types.take(type_, value, path, call)
    return kinds[type_.kind].take(type_, value, path, call)
end

function types.give(type_, value, call)
    local give = kinds[type_.kind] and kinds[type_.kind].give
    if value ~= nil and give then
        return give(type_, value, call)
    end
    return value
end

return types
