-- Names with wildcards: "*" stands for any characters, also none, and all else for itself.
--
-- The literal parts between the stars are looked for one after the other, each as far to the left as it goes. A later
-- place of one part cannot help the parts behind it, so nothing is ever tried again, unlike with Lua's patterns.

local glob = {}

function glob.matches(name, wildcard)
    local first = wildcard:find("*", 1, true)
    if not first then
        return name == wildcard
    end
    local prefix, middle, suffix = wildcard:sub(1, first - 1), wildcard:match("^[^*]*(.*%*)(.*)$")
    local position, stop = first, #name - #suffix -- what the parts in the middle have
    if stop < #prefix or name:sub(1, #prefix) ~= prefix or name:sub(stop + 1) ~= suffix then
        return false
    end
    for part in middle:gmatch("[^*]+") do
        local _, last = name:find(part, position, true)
        if not last or last > stop then
            return false
        end
        position = last + 1
    end
    return true
end

return glob
