-- Which model a job names, and with which inputs.
--
-- Three places, the later over the earlier: the settings' rule for the job's name, the #MEMMODEL lines at the head of
-- the batch script, and the job's comment after "memmodel:". All of it is a user's text: it is read in bounded time and
-- trusted in nothing.

local text = require("memmodel_slurm.text")

local request = {}

local MOST_HEAD = 16384 -- characters of the script that are looked at
local MOST_WORDS = 64
local MOST_MODELS = 4
local MOST_NAME = 100
local MODEL_NAME = "^%w[%w_.-]*$" -- no slash, no leading dot: a file in the directory and nowhere else
local INPUT_NAME = "^[%a_][%w_.-]*$"

-- The value of "$NAME", "${NAME}" or "$1" in the job: variables of its environment, arguments of its script.
local function variable(job, name)
    if name:find("^%d+$") then
        return (job.argv or {})[tonumber(name)]
    end
    return job.environment and job.environment[name]
end

local function value_of(job, word, value)
    local name = value:match("^%$([%w_]+)$") or value:match("^%${([%w_]+)}$")
    local known = name and variable(job, name) or value
    local number = text.to_number(known)
    if not number then
        text.fail("%s is not a number in %s", text.quote(known), text.quote(word))
    end
    return number
end

local function model_names(list)
    local names = {}
    for name in (list .. ","):gmatch("([^,]*),") do
        if not name:find(MODEL_NAME) or #name > MOST_NAME then
            text.fail("%s is not the name of a model", text.quote(name))
        elseif #names == MOST_MODELS then
            text.fail("more than %d models", MOST_MODELS)
        end
        names[#names + 1] = name:gsub("%.json$", "")
    end
    return names
end

-- One word: model=NAME[,NAME], INPUT=NUMBER. `--set` before it is what `memmodel predict` has there.
local function read_word(job, word, found)
    local name, value = word:gsub("^%-%-set=", ""):match("^([^=]*)=(.*)$")
    if name == "model" then
        found.models = model_names(value)
    elseif name and name:find(INPUT_NAME) then
        found.inputs[name] = value_of(job, word, value)
    else
        text.fail("%s is neither model=NAME nor INPUT=NUMBER", text.quote(word))
    end
end

local function read_words(job, line, found)
    for word in line:gmatch("%S+") do
        if word:sub(1, 1) == "#" then
            return
        end
        found.words = found.words + 1
        if found.words > MOST_WORDS then
            text.fail("more than %d words in #MEMMODEL lines", MOST_WORDS)
        end
        if word ~= "--set" then
            read_word(job, word, found)
        end
    end
end

-- As sbatch reads #SBATCH: up to the first line that is neither empty nor a comment.
local function read_script(job, found)
    local head = (job.script or ""):sub(1, MOST_HEAD)
    if not head:find("#MEMMODEL", 1, true) then
        return
    end
    for line in head:gmatch("[^\r\n]+") do
        local words = line:match("^#MEMMODEL%s(.*)$")
        if words then
            read_words(job, words, found)
        elseif not line:find("^%s*#") and line:find("%S") then
            return
        end
    end
end

-- "unet3d*" as a pattern: "*" stands for anything, all else for itself.
local function matches(name, wildcard)
    return name:find("^" .. wildcard:gsub("[^%w*]", "%%%0"):gsub("%*", ".*") .. "$") ~= nil
end

local function read_rule(job, settings, found)
    for _, rule in ipairs(settings.jobs) do
        if matches(job.name or "", rule.name) then
            found.models = model_names(rule.model)
            for input, value in pairs(rule.set or {}) do
                found.inputs[input] = value
            end
            return
        end
    end
end

-- {models = {names}, inputs = {name = number}}, or nil for a job that names no model.
function request.find(job, settings)
    local found = { inputs = {}, words = 0 }

    read_rule(job, settings, found)
    read_script(job, found)
    read_words(job, (job.comment or ""):sub(1, MOST_HEAD):match("memmodel:([^;]*)") or "", found)
    if not found.models and found.words > 0 then
        text.fail("which model? #MEMMODEL model=NAME says it")
    end
    return found.models and found
end

return request
