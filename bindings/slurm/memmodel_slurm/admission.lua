-- What happens to a job: its models' needs are compared with what it asked for and with what its nodes have. First all
-- is decided, in bounded time, then the job is changed; so a failure leaves it as it came.

local limit = require("memmodel_slurm.limit")
local text = require("memmodel_slurm.text")
local settings = require("memmodel_slurm.settings")
local request = require("memmodel_slurm.request")
local prediction = require("memmodel_slurm.prediction")
local nodes = require("memmodel_slurm.nodes")
local asked = require("memmodel_slurm.asked")

local admission = {}

local MIB = 1048576
local NOUNS = { memory = "memory", device = "device memory" }

local function say(format, ...)
    slurm.log_user("%s", "memmodel: " .. string.format(format, ...))
end

-- "Memory required by task is not available"; slurm_errno.h. Scripts have its name from Slurm 23.02 on.
local DOES_NOT_FIT = slurm.ESLURM_INVALID_TASK_MEMORY or 2044

local function refuse(code, format, ...)
    say(format, ...)
    slurm.log_info("%s", "memmodel: refused: " .. string.format(format, ...))
    return code
end

local function guarantee(need)
    return need.extrapolated and ", extrapolated: the bound is not guaranteed" or ""
end

-- ---- what does not fit ----

local function advice(need, capacity)
    local max = prediction.max(need, capacity)
    local name = need.own.max_input
    if not max then
        return ""
    elseif max < 1 then
        return string.format(" Not even %s=1 fits.", name)
    end
    return string.format(" The largest %s that fits is %s.", name, text.number(max))
end

-- The sentence that refuses a need, or nil if a node has room for it.
local function refusal(need, capacity, where)
    if need.bytes <= capacity then
        return nil
    end
    return string.format(
        "this job needs up to %s of %s by model %s for %s%s; the largest node of partition %s has %s.%s",
        text.bytes(need.bytes), NOUNS[need.resource], need.name, text.assignments(need.point), guarantee(need),
        where, text.bytes(capacity), advice(need, capacity))
end

-- ---- what is asked for ----

-- Whether the user's own request stands against a need.
local function stands(own, need, options)
    return own and (options.user_memory == "keep" or options.user_memory == "raise" and own >= need)
end

-- One change of the job: `set` makes it, `words` say so in AdminComment, `sentence` to the user.
local function change_memory(job, need, options)
    local mib, own = math.ceil(need.bytes / MIB), asked.memory(job)
    local before = own and string.format(" asked=%s", own == math.huge and "node" or string.format("%.0fM", own)) or ""
    if stands(own, mib, options) then
        return { words = "kept" .. before, too_little = own < mib and string.format("%.0f MiB", own) }
    end
    return {
        set = function() asked.set_memory(job, mib) end,
        words = string.format("set=%.0fM%s", mib, before),
        sentence = string.format("%.0f MiB of memory", mib),
        instead = own and string.format("%.0f MiB", own),
    }
end

local function change_device(job, need, options)
    if not options.gres then
        return { words = "kept" }
    end
    local bytes, own = math.ceil(need.bytes), asked.gres(job, options.gres)
    local before = own and string.format(" asked=%s:%.0f", options.gres, own) or ""
    if stands(own, bytes, options) then
        return { words = "kept" .. before, too_little = own < bytes and text.bytes(own) }
    end
    return {
        set = function() asked.set_gres(job, options.gres, bytes) end,
        words = string.format("set=%s:%.0f%s", options.gres, bytes, before),
        sentence = text.bytes(bytes) .. " of device memory",
        instead = own and text.bytes(own),
    }
end

local CHANGES = { memory = change_memory, device = change_device }

local function describe(need, change)
    return string.format("model=%s %s level=%s predicted=%.0f %s=%.0f%s %s", need.name, text.assignments(need.point),
        text.number(need.own.level), need.value, need.resource, math.ceil(need.bytes),
        need.extrapolated and " extrapolated" or "", change.words)
end

local function report(need, change)
    local basis = string.format("by model %s for %s%s", need.name, text.assignments(need.point), guarantee(need))
    if change.sentence then
        local instead = change.instead and ", instead of the " .. change.instead .. " asked for" or ""
        say("%s %s%s.", change.sentence, basis, instead)
    elseif change.too_little then
        say("this job needs up to %s of %s %s; it asks for %s.", text.bytes(need.bytes), NOUNS[need.resource], basis,
            change.too_little)
    end
end

-- ---- hooks ----

local function add_comment(job, before, words)
    job.admin_comment = (before and before .. "; " or "") .. "memmodel: " .. words
end

-- A function that changes the job; all that it needs is known beforehand.
local function changes_for(job, needs, options)
    local changes, words, comment = {}, {}, text.field(job, "admin_comment")
    for number, need in ipairs(needs) do
        changes[number] = CHANGES[need.resource](job, need, options)
        words[number] = describe(need, changes[number])
    end
    return function()
        for number, change in ipairs(changes) do
            if change.set then
                change.set()
            end
            if not options.quiet then
                report(needs[number], change)
            end
        end
        add_comment(job, comment, table.concat(words, " | "))
    end
end

-- A code, and where the job is to be changed, the function that does it.
local function submit(options, job, partitions)
    local found = request.find(job, options)
    if not found then
        return slurm.SUCCESS
    end
    local needs = prediction.all(found, options)
    local names = nodes.partitions(job, partitions)
    for _, need in ipairs(needs) do
        local capacity, where = nodes.max_capacity(names, partitions, need.resource, options)
        local sentence = options.user_memory ~= "keep" and refusal(need, capacity, where)
        if sentence then
            return refuse(DOES_NOT_FIT, "%s", sentence)
        end
    end
    return slurm.SUCCESS, changes_for(job, needs, options)
end

-- The bound of a resource that a job was admitted with, by its AdminComment; nil if there is none.
local function admitted_with(comment, resource)
    local bound
    for bytes in comment:gmatch(" " .. resource .. "=(%d+)") do
        bound = math.max(bound or 0, tonumber(bytes))
    end
    return bound
end

local LOWERED = {
    memory = function(job, bound)
        return (asked.memory(job) or math.huge) < math.ceil(bound / MIB)
    end,
    device = function(job, bound, options)
        return options.gres and job.tres_per_node and (asked.gres(job, options.gres) or 0) < bound
    end,
}

-- A job admitted by its bound keeps it: its user may not go below, nor to a partition without room. Operators may.
-- Slurm 22.05 shows users the code alone; the sentence is in the log.
local function modify(options, job, record, partitions, modify_uid)
    local comment = (record.admin_comment or ""):sub(-text.MAX_LENGTHS.admin_comment):match("memmodel:.*") or ""
    if options.user_memory == "keep" or modify_uid ~= record.user_id then
        return slurm.SUCCESS
    end
    for resource, noun in pairs(NOUNS) do
        local bound = admitted_with(comment, resource) or 0
        local capacity, where = nodes.max_capacity(nodes.partitions(job, {}), partitions, resource, options)
        if bound > capacity then
            return refuse(DOES_NOT_FIT, "this job needs up to %s of %s; the largest node of partition %s has %s.",
                text.bytes(bound), noun, where, text.bytes(capacity))
        elseif bound > 0 and LOWERED[resource](job, bound, options) then
            return refuse(slurm.ESLURM_ACCESS_DENIED, "this job needs up to %s of %s.", text.bytes(bound), noun)
        end
    end
    return slurm.SUCCESS
end

-- What becomes of a job when something went wrong, as the settings have it.
local function failed(options, problem, job, is_new)
    local sentence = type(problem) == "table" and problem.sentence
    if not sentence then
        slurm.log_error("%s", "memmodel: " .. tostring(problem))
        sentence = "the memory model failed; the controller's log says how"
    end
    if options.on_failure == "refuse" then
        say("%s. The job is refused.", sentence)
        return slurm.ERROR
    end
    say("%s. The job stays as it is.", sentence)
    local before = job.admin_comment
    return slurm.SUCCESS, is_new and #(before or "") <= text.MAX_LENGTHS.admin_comment and function()
        add_comment(job, before, "failed: " .. sentence)
    end
end

-- Without settings there is nothing to decide by: jobs pass, and the log has the reason.
local function decide(action, path, job, ...)
    local options = settings.get(path)
    if not options then
        return slurm.SUCCESS
    end
    local done, code, change = limit.pass(pcall(action, options, job, ...))
    if not done then
        return failed(options, code, job, action == submit)
    end
    return code, change
end

-- A job whose hook takes too long passes as it came, whatever on_failure says.
local function run(hook, action, path, job, ...)
    local start = os.clock()
    local done, code, change = limit.call(decide, action, path, job, ...)
    if not done and limit.exceeded(code) then
        slurm.log_error("%s", "memmodel: " .. tostring(code) .. "; the job passes as it came")
        code = slurm.SUCCESS
    elseif not done then
        error(code, 0)
    elseif change then
        change()
    end
    slurm.log_debug("%s", string.format("memmodel: %s took %.0f us", hook, (os.clock() - start) * 1e6))
    return code
end

function admission.submit(path, job, ...)
    return run("submit", submit, path, job, ...)
end

function admission.modify(path, job, ...)
    return run("modify", modify, path, job, ...)
end

return admission
