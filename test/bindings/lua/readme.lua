-- Runs the examples of a readme, in the folder it is started in, and compares what they print with what it says they
-- print.
-- usage: lua readme.lua README.md
local file = assert(io.open(arg[1]))
local text = file:read "*a"
file:close()

local function run(code)
    local printed = {}
    local function keep(...)
        local words = {}
        for i = 1, select("#", ...) do
            words[i] = tostring((select(i, ...)))
        end
        printed[#printed + 1] = table.concat(words, "\t") .. "\n"
    end
    local compile = loadstring or load -- luacheck: ignore
    assert(compile("local print = ...\n" .. code, "=readme"))(keep)
    return table.concat(printed)
end

local examples, failures = 0, 0
for code, expected in text:gmatch "```lua\n(.-)```\n\n```text\n(.-)```" do
    local printed = run(code)
    examples = examples + 1
    if printed ~= expected then
        failures = failures + 1
        print("expected:\n" .. expected .. "printed:\n" .. printed)
    end
end
assert(examples == 3, "the readme has three examples with what they print")
print(("[  %s ] %d test(s)."):format(failures == 0 and "PASSED " or "FAILED ", failures == 0 and examples or failures))
os.exit(failures == 0 and 0 or 1, true)
