-- Models by name, from the settings' directory, kept and loaded anew when their file has changed.
--
-- A file is the same if it holds the same text. Reading the few thousand characters of a model takes microseconds, and
-- no clock, no inode and no copied time stamp can then hide a change.

local limit = require("memmodel_slurm.limit")
local text = require("memmodel_slurm.text")

local models = {}

local MAX_CHARACTERS = 1048576
local kept = {} -- by path: {content, model} or {content, problem}
local own_path, own_cpath = package.path, package.cpath

-- The library's binding; looked for anew until it is there, so that installing it needs no restart.
local function library(settings)
    package.path = (settings.lua_path and settings.lua_path .. ";" or "") .. own_path
    package.cpath = (settings.lua_cpath and settings.lua_cpath .. ";" or "") .. own_cpath
    local found, memmodel = limit.pass(pcall(require, "memmodel"))
    if not found then
        slurm.log_error("%s", "memmodel: " .. tostring(memmodel))
        text.fail("the memory model library cannot be loaded on the controller")
    end
    return memmodel
end

local function read(path, name)
    local file = io.open(path, "r")
    if not file then
        text.fail("there is no model %s", text.quote(name))
    end
    local content = file:read(MAX_CHARACTERS + 1) or ""
    file:close()
    if #content > MAX_CHARACTERS then
        text.fail("the file of model %s is too large", text.quote(name))
    end
    return content
end

local function load(settings, path, content)
    local memmodel = library(settings)
    local loaded, model = limit.pass(pcall(memmodel.model_from_json, content, path))
    if loaded then
        return { content = content, model = model, inputs = model:inputs() }
    end
    -- What is wrong with the file may quote it, and is the operator's to know.
    slurm.log_error("%s", "memmodel: " .. path .. ": " .. tostring(model))
    return { content = content, problem = "the file of model %s cannot be used; the controller's log says why" }
end

-- A model and the names of its inputs.
function models.get(settings, name)
    local path = settings.model_directory .. "/" .. name .. ".json"
    local content = read(path, name)
    local entry = kept[path]

    if not entry or entry.content ~= content then
        entry = load(settings, path, content)
        kept[path] = entry
    end
    if entry.problem then
        text.fail(entry.problem, text.quote(name))
    end
    return entry.model, entry.inputs
end

return models
