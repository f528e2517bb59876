-- How numbers and foreign words are read and written.
--
-- What comes with a submission is a user's text of any length. Each field is cut, or refused, at a length of its own
-- before anything else is done with it, and is read by patterns that take no longer than its length.

local text = {}

-- Slurm's and our suffixes are powers of 1024.
local POWERS = { [""] = 0, K = 1, M = 2, G = 3, T = 4, P = 5 }
local NAMES = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" }

-- An error that is a sentence for the user; any other error is a fault of ours and goes to the log alone.
function text.fail(format, ...)
    error({ sentence = string.format(format, ...) }, 0)
end

-- Characters of a submission's fields that are looked at.
text.MAX_LENGTHS = {
    name = 1024, comment = 4096, partition = 1024, script = 16384, tres_per_node = 1024, mem_per_tres = 256,
    admin_comment = 65536,
}

-- A field of a submission; nil if there is none.
function text.field(job, name)
    local value = job[name]
    if value and #value > text.MAX_LENGTHS[name] then
        text.fail("its %s has more than %d characters", name, text.MAX_LENGTHS[name])
    end
    return value
end

-- A decimal number, or nil. tonumber() alone takes 0x10 everywhere, and nan and inf in Lua 5.1. Matching a pattern with
-- several repetitions takes long for long words: these are short.
function text.to_number(word)
    local number = #word <= 40 and word:find("^[+-]?%.?%d[%d.]*[eE]?[+-]?%d*$") and tonumber(word)
    return number and number == number and math.abs(number) < math.huge and number or nil
end

-- Bytes of "16000M", "140G", "1024" or of a number; nil for anything else.
function text.to_bytes(size)
    if type(size) == "number" then
        return size
    end
    local number, suffix = tostring(size):sub(1, 40):upper():match("^(%d+%.?%d*)([KMGTP]?)I?B?$")
    return number and tonumber(number) * 1024 ^ POWERS[suffix]
end

-- As people read it: "15.6 GiB".
function text.bytes(bytes)
    local power = 1
    while bytes >= 1024 and power < #NAMES do
        bytes, power = bytes / 1024, power + 1
    end
    return string.format(power == 1 and "%.0f %s" or "%.1f %s", bytes, NAMES[power])
end

-- As short as it reads back: 4, 0.95, 1e+20.
function text.number(number)
    return string.format("%.14g", number)
end

-- Foreign text for a message or the log: printable and short.
function text.quote(word)
    local short = #word > 60 and word:sub(1, 57) .. "..." or word
    return '"' .. short:gsub("[^%w%p ]", "?") .. '"'
end

-- "batch=4 dim=64": in the order of the names.
function text.assignments(values)
    local words = {}
    for name, value in pairs(values) do
        words[#words + 1] = name .. "=" .. text.number(value)
    end
    table.sort(words)
    return table.concat(words, " ")
end

return text
