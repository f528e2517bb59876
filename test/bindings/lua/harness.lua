-- Tests with names that are sentences, counted as cmocka counts.
local harness = { failed = 0, passed = 0, skipped = 0 }

local SKIP = {}

-- In a test: leaves it as skipped.
function harness.skip(why)
    error(setmetatable({ why = why }, SKIP), 0)
end

function harness.test(name, run)
    local ok, problem = xpcall(run, function(problem)
        return type(problem) == "string" and debug.traceback(problem, 2) or problem
    end)
    if ok then
        harness.passed = harness.passed + 1
    elseif getmetatable(problem) == SKIP then
        harness.skipped = harness.skipped + 1
        print(("skipped: %s (%s)"):format(name, problem.why))
    else
        harness.failed = harness.failed + 1
        print(("FAILED: %s\n  %s"):format(name, tostring(problem)))
    end
end

local function fail(text, ...)
    error(text:format(...), 3)
end

function harness.equal(found, expected)
    if found ~= expected then
        fail("%s is not %s", tostring(found), tostring(expected))
    end
end

function harness.near(found, expected, relative)
    if type(found) ~= "number" or found ~= found or math.abs(found - expected) > relative * math.abs(expected) then
        fail("%s is not near %s", tostring(found), tostring(expected))
    end
end

function harness.truth(value)
    if not value then
        fail("%s is not true", tostring(value))
    end
end

-- The error that a call raises: of that status, about that argument if one is named, with these words in its text.
function harness.refused(status, argument, words, run, ...)
    local ok, problem = pcall(run, ...)
    if ok then
        fail("no error; expected %s: %s", status, words)
    elseif type(problem) ~= "table" or problem.name ~= "MEMMODEL_ERROR_" .. status then
        fail("not %s: %s", status, tostring(problem))
    elseif argument and problem.argument ~= argument then
        fail("about argument %s, not %s: %s", tostring(problem.argument), argument, tostring(problem))
    elseif not tostring(problem):find(words, 1, true) then
        fail("'%s' is not in: %s", words, tostring(problem))
    end
    return problem
end

function harness.finish()
    print(("[  PASSED  ] %d test(s)."):format(harness.passed))
    if harness.skipped > 0 then
        print(("[  SKIPPED ] %d test(s)."):format(harness.skipped))
    end
    if harness.failed > 0 then
        print(("[  FAILED  ] %d test(s)."):format(harness.failed))
    end
    os.exit(harness.failed == 0 and 0 or 1, true)
end

return harness
