-- Whole numbers of 64 bits, exact in every Lua: integers since 5.3, int64_t in LuaJIT, and doubles up to 2^53 in 5.1,
-- 5.2.
local numbers = {}

local EXACT = 2 ^ 53
local INFER = -2 ^ 63 -- MEMMODEL_DIM_INFER: a power of two, and so exact as a double

local function whole_double(value)
    if value == INFER or value % 1 == 0 and value >= -EXACT and value <= EXACT then
        return value
    end
end

if math.type then
    function numbers.whole(value)
        return type(value) == "number" and math.tointeger(value) or nil
    end
elseif jit then
    local ffi = require "ffi"
    local LIMIT = ffi.new("uint64_t", 2) ^ 63

    function numbers.whole(value)
        if type(value) == "number" then
            return whole_double(value)
        end
        if ffi.istype("int64_t", value) or ffi.istype("uint64_t", value) and value < LIMIT then
            return value
        end
    end
else
    function numbers.whole(value)
        return type(value) == "number" and whole_double(value) or nil
    end
end

-- What is wrong with a value that whole() refused.
function numbers.complaint(value)
    if type(value) ~= "number" then
        return "must be a whole number, not " .. type(value)
    end
    if value ~= value or value % 1 ~= 0 then
        return "must be a whole number, not " .. tostring(value)
    end
    return math.type and "does not fit in 64 bits" or "is beyond 2^53, which this Lua cannot hold exactly"
end

return numbers
