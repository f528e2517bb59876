-- memmodel.conf.lua: read, checked, and read again when it has changed.

local limit = require("memmodel_slurm.limit")
local text = require("memmodel_slurm.text")

local settings = {}

local DEFAULTS = {
    model_directory = "/var/lib/memmodel",
    on_failure = "admit",
    user_memory = "raise",
    level = 0.95,
    margin = 0,
    units = "bytes",
    max_input = "batch",
    device = false,
    gres = "vram",
    quiet = false,
    jobs = {},
    models = {},
    partitions = {},
}
local OPTIONAL = { lua_path = "string", lua_cpath = "string" }
local OF_A_MODEL = { "level", "margin", "units", "max_input", "device" }
local CHOICES = {
    on_failure = { admit = true, refuse = true },
    user_memory = { raise = true, keep = true, replace = true },
    units = { bytes = 1, KiB = 2 ^ 10, MiB = 2 ^ 20, GiB = 2 ^ 30, kB = 1e3, MB = 1e6, GB = 1e9 },
}
local RANGES = { level = { 0.5, 0.999 }, margin = { 0, 10 } }

local function check(name, value, expected)
    if type(value) ~= expected then
        error(name .. " is a " .. type(value) .. ", not a " .. expected, 0)
    elseif CHOICES[name] and not CHOICES[name][value] then
        error(name .. " is not " .. text.quote(value), 0)
    elseif RANGES[name] and not (value >= RANGES[name][1] and value <= RANGES[name][2]) then
        error(string.format("%s is %g to %g, not %s", name, RANGES[name][1], RANGES[name][2], value), 0)
    end
end

local function check_value(name, value)
    if name == "gres" and value == false then
        return
    end
    local expected = OPTIONAL[name] or type(DEFAULTS[name])
    if expected == "nil" then
        error("no such setting: " .. tostring(name), 0)
    end
    check(name, value, expected)
end

local function check_rules(rules)
    for number, rule in ipairs(rules) do
        if type(rule) ~= "table" or type(rule.name) ~= "string" or type(rule.model) ~= "string" then
            error("jobs[" .. number .. "] needs a name and a model", 0)
        elseif #rule.name > text.MAX_LENGTHS.name then
            error("jobs[" .. number .. "].name has more than " .. text.MAX_LENGTHS.name .. " characters", 0)
        end
        for input, value in pairs(rule.set or {}) do
            check("jobs[" .. number .. "].set." .. tostring(input), value, "number")
        end
    end
end

-- Each model has all of OF_A_MODEL: its own, or the general one.
local function complete_models(given)
    local general = {}
    for _, name in ipairs(OF_A_MODEL) do
        general[name] = given[name]
    end
    for model, own in pairs(given.models) do
        for name, value in pairs(own) do
            if general[name] == nil then
                error("models." .. model .. " has no setting " .. tostring(name), 0)
            end
            check(name, value, type(DEFAULTS[name]))
        end
        setmetatable(own, { __index = general })
    end
    setmetatable(given.models, { __index = function() return general end })
end

local function complete_partitions(partitions)
    for name, node in pairs(partitions) do
        for resource, size in pairs(node) do
            node[resource] = (resource == "memory" or resource == "device") and text.to_bytes(size)
            if not node[resource] or node[resource] <= 0 then
                error(string.format("partitions.%s: %s = %s", name, resource, tostring(size)), 0)
            end
        end
    end
end

local function complete(given)
    if type(given) ~= "table" then
        error("it returns no table", 0)
    end
    for name, value in pairs(given) do
        check_value(name, value)
    end
    for name, value in pairs(DEFAULTS) do
        if given[name] == nil then
            given[name] = type(value) == "table" and {} or value
        end
    end
    check_rules(given.jobs)
    complete_models(given)
    complete_partitions(given.partitions)
    return given
end

-- The file's table; it sees nothing of the program around it.
local function run(content, path)
    local chunk, problem
    if setfenv then
        chunk, problem = loadstring(content, "@" .. path)
        chunk = chunk and setfenv(chunk, {})
    else
        chunk, problem = load(content, "@" .. path, "t", {})
    end
    if not chunk then
        error(problem, 0)
    end
    return complete(chunk())
end

local function read(path)
    local file, problem = io.open(path, "r")
    if not file then
        error(problem, 0)
    end
    local content = file:read("*a")
    file:close()
    return content
end

local current, current_content, rejected_content

-- The settings in force. A file that cannot be used leaves the last one that could in force, and is logged once.
function settings.get(path)
    local readable, content = pcall(read, path)
    if readable and content == current_content then
        return current
    end
    local usable, result = readable, content
    if readable then
        usable, result = limit.pass(pcall(run, content, path))
    end
    if usable then
        current, current_content, rejected_content = result, content, nil
    elseif content ~= rejected_content then
        rejected_content = content
        slurm.log_error("%s", "memmodel: " .. path .. ": " .. tostring(result))
    end
    return current
end

-- How many bytes one of a model's units is.
function settings.unit(name)
    return CHOICES.units[name]
end

return settings
