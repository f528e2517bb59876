-- Which model a job names, and with which inputs.
--
-- Three places, the later over the earlier: the settings' rule for the job's name, the #MEMMODEL lines at the head of
-- the batch script, and the job's comment after "memmodel:". All of it is a user's text: it is read in bounded time and
-- trusted in nothing.

local glob = require("memmodel_slurm.glob")
local text = require("memmodel_slurm.text")

local request = {}

local MAX_WORDS = 64 -- with one for each #MEMMODEL
local MAX_LINES = 300 -- of a script
local MAX_MODELS = 4
local MAX_NAME = 100
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
        if not name:find(MODEL_NAME) or #name > MAX_NAME then
            text.fail("%s is not the name of a model", text.quote(name))
        elseif #names == MAX_MODELS then
            text.fail("more than %d models", MAX_MODELS)
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

local function count_word(found)
    found.words = found.words + 1
    if found.words > MAX_WORDS then
        text.fail("more than %d words in #MEMMODEL lines", MAX_WORDS)
    end
end

local function read_words(job, line, found)
    for word in line:gmatch("%S+") do
        if word:sub(1, 1) == "#" then
            return
        end
        count_word(found)
        if word ~= "--set" then
            read_word(job, word, found)
        end
    end
end

-- What of a script is looked at. A line that is cut would say something else.
local function start_of(script)
    local start = script:sub(1, text.MAX_LENGTHS.script)
    return #start == #script and start .. "\n" or start:match("^(.*\n)") or ""
end

-- What stands in a line behind "#MEMMODEL".
local function read_memmodel(job, rest, found)
    count_word(found)
    local words = rest:match("^[ \t\v\f]([^\r]*)")
    if words then
        read_words(job, words, found)
    end
end

-- As sbatch reads #SBATCH, up to the first line that is neither empty nor a comment. One pattern for all of that would be
-- tried at each of thousands of empty lines, which takes milliseconds.
local function read_script(job, found)
    local script = job.script
    if not script or not script:sub(1, text.MAX_LENGTHS.script):find("#MEMMODEL", 1, true) then
        return
    end
    local count = 0
    for blank, first, rest in start_of(script):gmatch("([^%S\n]*)([^\n]?)([^\n]*)\n") do
        count = count + 1
        if count > MAX_LINES or first ~= "" and first ~= "#" then
            return
        elseif rest:sub(1, 8) == "MEMMODEL" and blank == "" then
            read_memmodel(job, rest:sub(9), found)
        end
    end
end

-- The words after "memmodel:", up to a ";".
local function read_comment(job, found)
    local comment = job.comment
    local start = comment and select(2, comment:sub(1, text.MAX_LENGTHS.comment):find("memmodel:", 1, true))
    if start then
        local words = comment:sub(start + 1, text.MAX_LENGTHS.comment):match("^[^;]*")
        if start + #words == text.MAX_LENGTHS.comment and #comment > text.MAX_LENGTHS.comment then
            text.fail("what its comment asks for does not end within %d characters", text.MAX_LENGTHS.comment)
        end
        read_words(job, words, found)
    end
end

-- A name that is too long fits no rule.
local function read_rule(job, settings, found)
    local name = job.name or ""
    if #name > text.MAX_LENGTHS.name then
        return
    end
    for _, rule in ipairs(settings.jobs) do
        if glob.matches(name, rule.name) then
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
    read_comment(job, found)
    if not found.models and found.words > 0 then
        text.fail("which model? #MEMMODEL model=NAME says it")
    end
    return found.models and found
end

return request
