-- How long a hook may take. slurmctld holds its locks meanwhile, so a fault of ours, or a loop in the settings, must not
-- keep it. Counted are the instructions of Lua, which are the same on every machine and however busy it is; what the
-- string functions do in between is bounded by the lengths that text.lua allows.

local limit = {}

local MAX_INSTRUCTIONS = 1000000 -- some 10 ms; the first submission takes 20,000, any later one 5,000
local STEP = 1000

if jit then
    jit.off() -- code that LuaJIT has compiled calls no hooks
end

-- The error of a call that took too long. Whoever catches errors in between passes it on, see limit.pass().
local EXCEEDED = setmetatable({}, {
    __tostring = function()
        return string.format("the hook took more than %d Lua instructions", MAX_INSTRUCTIONS)
    end,
})

local function finish(...)
    debug.sethook()
    return ...
end

-- pcall() of a call that ends with limit.exceeded() if it takes too long.
function limit.call(action, ...)
    local steps = MAX_INSTRUCTIONS / STEP
    debug.sethook(function()
        steps = steps - 1
        if steps < 0 then
            error(EXCEEDED, 0)
        end
    end, "", STEP)
    return finish(pcall(action, ...))
end

function limit.exceeded(problem)
    return problem == EXCEEDED
end

-- What pcall() returned, unless it is the end of the time.
function limit.pass(done, ...)
    if not done and ... == EXCEEDED then
        error(EXCEEDED, 0)
    end
    return done, ...
end

return limit
