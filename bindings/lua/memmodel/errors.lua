-- Errors: tables with the fields
--   status    number, an enum memmodel_status     name    of the status, such as "MEMMODEL_ERROR_SHAPE"
--   message   what was wrong, in one line         call    the function of the library
--   object    layer, column or file, or ""        argument  name of a wrong argument, or nil
--   line, column  in the text that was read; 0 if none
--   where     file and line of the script that made the call
-- tostring() of one is a line for a person.
local errors = {}

local Error = {}
Error.__index = Error

function Error:__tostring()
    local text = self.message
    if self.line > 0 then
        text = ("line %d, column %d: %s"):format(self.line, self.column, text)
    end
    if self.object ~= "" then
        text = self.object .. ": " .. text
    end
    return ("%s%s (%s)"):format(self.where, text, self.name)
end

local function is_ours(source)
    return source:find("[/\\]memmodel%.lua$") or source:find("[/\\]memmodel[/\\]%w+%.lua$")
end

-- "script.lua:12: " of the innermost function that is not of this binding
local function where()
    for level = 3, 60 do
        local info = debug and debug.getinfo(level, "Sl")
        if not info then
            break
        end
        if info.currentline > 0 and not is_ours(info.source) then
            return ("%s:%d: "):format(info.short_src, info.currentline)
        end
    end
    return ""
end

function errors.raise(fields)
    fields.where = where()
    fields.object = fields.object or ""
    fields.line = fields.line or 0
    fields.column = fields.column or 0
    error(setmetatable(fields, Error), 0)
end

-- An argument that never reached the library.
function errors.argument(call, path, complaint)
    errors.raise {
        status = -2,
        name = "MEMMODEL_ERROR_INVALID_ARGUMENT",
        call = call,
        argument = path,
        message = ("argument '%s' of %s %s"):format(path, call, complaint),
    }
end

function errors.is_error(value)
    return getmetatable(value) == Error
end

-- Number of insertions, deletions and replacements between two words.
local function distance(a, b)
    local row = {}
    for j = 0, #b do
        row[j] = j
    end
    for i = 1, #a do
        local diagonal = row[0]
        row[0] = i
        for j = 1, #b do
            local cost = a:byte(i) == b:byte(j) and 0 or 1
            diagonal, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
        end
    end
    return row[#b]
end

-- "; did you mean 'kernel'?" if one of the names is near, else all of them.
function errors.suggest(word, names)
    local nearest, best = nil, math.huge
    for _, name in ipairs(names) do
        local steps = distance(word:sub(1, 64), name)
        if steps < best then
            nearest, best = name, steps
        end
    end
    if nearest and best <= math.max(2, #word / 3) then
        return ("; did you mean '%s'?"):format(nearest)
    end
    return "; there are " .. table.concat(names, ", ")
end

return errors
