-- job_submit.lua with a slurmctld and a library that are not real. Runs on every Lua that bindings are built for.
--
-- usage: lua test_submit.lua SCRIPT_DIRECTORY TEST_DIRECTORY

local scripts, tests = arg[1], arg[2]
local MIB = 1048576

-- ---- a slurmctld ----

local told, logged
local directory, fake
slurm = { SUCCESS = 0, ERROR = -1, ESLURM_ACCESS_DENIED = 2002 }
local DOES_NOT_FIT = 2044

local function log(...)
    logged[#logged + 1] = string.format(...)
end
slurm.log_info, slurm.log_error, slurm.log_debug = log, log, log

function slurm.log_user(...)
    told[#told + 1] = string.format(...)
end

local partitions = {
    debug = { flag_default = 1, max_mem_per_node = 16000 },
    small = { flag_default = 0, max_mem_per_node = 4000 },
    free = { flag_default = 0, max_mem_per_node = 0 },
    percpu = { flag_default = 0 },
}

-- What the library's place holds; MODEL takes 1000 MiB and 500 MiB more for each of the batch.
local MODEL = [[return {inputs = {"batch", "dim"}, max = {batch = 20},
    upper = function(point) return (1000 + 500 * point.batch) * 1048576 end}]]

local function write(name, content)
    local file = assert(io.open(directory .. "/" .. name, "w"))
    file:write(content)
    file:close()
end

local function settings(content)
    write("memmodel.conf.lua", string.format('return { model_directory = "%s", lua_path = "%s/lib/?.lua", %s }',
        directory, directory, content or ""))
end

local function load_script()
    for name in pairs(package.loaded) do
        if name:find("^memmodel") then
            package.loaded[name] = nil
        end
    end
    dofile(directory .. "/job_submit.lua")
end

local function submit(job)
    told, logged = {}, {}
    job.name = job.name or "train"
    return slurm_job_submit(job, partitions, 1000)
end

local function modify(job, record, uid)
    told, logged = {}, {}
    record.user_id = 1000
    return slurm_job_modify(job, record, partitions, uid or 1000)
end

local function script(...)
    return "#!/bin/sh\n#SBATCH -n1\n#MEMMODEL " .. table.concat({ ... }, "\n#MEMMODEL ") .. "\n\ntrain\n"
end

-- ---- checks ----

local function equal(got, expected)
    if got ~= expected then
        error(string.format("got %s, expected %s", tostring(got), tostring(expected)), 2)
    end
end

local function contains(whole, part)
    if not (whole or ""):find(part, 1, true) then
        error(string.format("%q is not in %q", part, tostring(whole)), 2)
    end
end

local function admitted(job, mib)
    equal(submit(job), slurm.SUCCESS)
    equal(job.min_mem_per_node, mib)
end

-- The job stays as it is, and its user is told why.
local function failed(job, why)
    equal(submit(job), slurm.SUCCESS)
    equal(job.min_mem_per_node, nil)
    contains(told[1], why)
    contains(job.admin_comment, why)
end

-- ---- what holds ----

local cases = {}
local function holds(name, case)
    cases[#cases + 1] = { name = name, case = case }
end

holds("a job gets its model's bound in MiB", function()
    admitted({ script = script("model=unet batch=4 dim=64") }, 3000)
end)

holds("a value that the model refuses is told to the user", function()
    write("unet.json", [[return {inputs = {"batch"}, upper = function()
        error({name = "MEMMODEL_ERROR_INVALID_ARGUMENT", object = "batch", message = "takes whole numbers above 0"}, 0)
    end}]])
    failed({ script = script("model=unet batch=2.5") }, 'model "unet": "batch" takes whole numbers above 0')
end)

holds("a bound is rounded up to whole MiB", function()
    write("unet.json", 'return {inputs = {"batch"}, upper = function() return 3000 * 1048576 + 1 end}')
    admitted({ script = script("model=unet batch=4") }, 3001)
end)

holds("a margin is added to the bound", function()
    settings("margin = 0.5")
    admitted({ script = script("model=unet batch=4 dim=1") }, 4500)
end)

holds("models may count in units of their own", function()
    settings('models = { unet = { units = "KiB" } }')
    write("unet.json", 'return {inputs = {"batch"}, upper = function(point) return 1024 * point.batch end}')
    admitted({ script = script("model=unet batch=7") }, 7)
end)

holds("a model that knows its unit counts in that", function()
    settings('units = "KiB"')
    write("unet.json", 'return {inputs = {"batch"}, unit_bytes = 2 ^ 20, upper = function(point) return point.batch end}')
    admitted({ script = script("model=unet batch=7") }, 7)
end)

holds("each model has a level of its own", function()
    settings("level = 0.9, models = { unet = { level = 0.99 } }")
    write("unet.json", 'return {inputs = {"batch"}, upper = function(_, level) return level * 100 * 1048576 end}')
    write("other.json", 'return {inputs = {"batch"}, upper = function(_, level) return level * 100 * 1048576 end}')
    admitted({ script = script("model=unet batch=1") }, 99)
    admitted({ script = script("model=other batch=1") }, 90)
end)

holds("jobs that name no model are untouched", function()
    for _, text in ipairs({ "", "#!/bin/sh\n#SBATCH --mem=1\ntrain\n", "echo #MEMMODEL model=unet\n" }) do
        local job = { script = text, comment = "mine" }
        admitted(job, nil)
        equal(job.admin_comment, nil)
        equal(#told + #logged, 1) -- the time it took
    end
    admitted({}, nil)
end)

holds("lines after the first command are not read", function()
    admitted({ script = "#!/bin/sh\ntrain\n#MEMMODEL model=unet batch=4 dim=64\n" }, nil)
end)

holds("lines may be several, with --set, with remarks and from Windows", function()
    admitted({ script = script("model=unet", "--set batch=4 # largest", "--set=dim=64") }, 3000)
    admitted({ script = (script("model=unet.json batch=4 dim=64"):gsub("\n", "\r\n")) }, 3000)
end)

holds("a comment says it too, and goes over the script", function()
    admitted({ comment = "memmodel: model=unet batch=4 dim=64" }, 3000)
    admitted({ comment = "mine; memmodel: batch=6; more=1", script = script("model=unet batch=4 dim=64") }, 4000)
end)

holds("an input's name may have blanks", function()
    settings('jobs = { { name = "wide", model = "unet", set = { hidden_size = 3 } } }')
    write("unet.json", [[return {inputs = {"hidden size"},
        upper = function(point) return 1048576 * point["hidden size"] end}]])
    admitted({ name = "wide" }, 3)
    admitted({ script = script("model=unet hidden_size=4") }, 4)
    failed({ script = script("model=unet") }, 'needs a value for "hidden_size"')
end)

holds("a rule for the job's name gives the model and inputs, which the script goes over", function()
    settings('jobs = { { name = "unet-*", model = "unet", set = { dim = 64, batch = 2 } }, '
        .. '{ name = "a.c", model = "no" } }')
    admitted({ name = "unet-7" }, 2000)
    admitted({ name = "unet-7", script = script("batch=4") }, 3000)
    admitted({ name = "my-unet-7" }, nil)
    admitted({ name = "abc" }, nil)
end)

holds("a star in a rule's name stands for any characters, and nothing else does", function()
    local fits = {
        { "*", "" }, { "*", "any" }, { "a*", "a" }, { "*a", "a" }, { "a*b", "ab" }, { "a*b", "axxb" }, { "a**b", "ab" },
        { "*a*", "bab" }, { "*ab*ab", "xabab" }, { "*ab*b", "abb" }, { "a.c", "a.c" }, { "%d*", "%d1" }, { "[x]*", "[x]" },
        { "*-*-*big", "a-b-cbig" },
    }
    local misfits = {
        { "a", "ab" }, { "a*", "ba" }, { "*a", "ab" }, { "a*a", "a" }, { "ab*ba", "aba" }, { "*ab*ab", "xab" },
        { "*ab*b", "ab" }, { "a*b*c", "acb" }, { "a.c", "abc" }, { "?", "a" }, { "%d*", "1" }, { "*x*y*", "yx" }, { "", "a" },
        { "*-*-*big", "a-cbig" },
    }
    for number, pairs_of in ipairs({ fits, misfits }) do
        for _, pair in ipairs(pairs_of) do
            settings(string.format('jobs = { { name = %q, model = "unet", set = { dim = 1, batch = 4 } } }', pair[1]))
            local job = { name = pair[2] }
            equal(submit(job), slurm.SUCCESS)
            if job.min_mem_per_node ~= (number == 1 and 3000 or nil) then
                error(string.format("%q %q", pair[1], pair[2]))
            end
        end
    end
end)

holds("inputs may be arguments and variables of the job", function()
    local text = script("model=unet batch=$2 dim=${DIM}")
    admitted({ script = text, argv = { [0] = "train.sh", "x", "4" }, environment = { DIM = "64" } }, 3000)
    failed({ script = text, environment = {} }, '"$2" is not a number in "batch=$2"')
end)

holds("a larger request of the user stays, a smaller one is raised and he is told", function()
    admitted({ script = script("model=unet batch=4 dim=1"), min_mem_per_node = 5000 }, 5000)
    equal(#told, 0)
    admitted({ script = script("model=unet batch=4 dim=1"), min_mem_per_node = 500 }, 3000)
    contains(told[1], "instead of the 500 MiB asked for")
end)

holds("--mem=0 is the whole node and stays", function()
    admitted({ script = script("model=unet batch=4 dim=1"), min_mem_per_node = 0 }, 0)
end)

holds("--mem-per-cpu counts with the processors of a node", function()
    local job = { script = script("model=unet batch=4 dim=1"), min_mem_per_cpu = 1500, min_cpus = 4, min_nodes = 2 }
    admitted(job, nil) -- 2 x 1500
    contains(job.admin_comment, "kept asked=3000M")
    job = { script = script("model=unet batch=4 dim=1"), min_mem_per_cpu = 1499, min_cpus = 2, min_nodes = 4294967294 }
    admitted(job, 3000)
end)

holds("--mem-per-gpu counts with the devices, and goes when it is too small", function()
    local gres = "gres:gpu:h200:2"
    local job = { script = script("model=unet batch=4 dim=1"), mem_per_tres = "gres:gpu:1500", tres_per_node = gres }
    admitted(job, nil)
    job = { script = script("model=unet batch=4 dim=1"), mem_per_tres = "gres:gpu:1400", tres_per_node = gres }
    admitted(job, 3000)
    equal(job.mem_per_tres, "")
end)

holds("the user's request may be kept or replaced always", function()
    settings('user_memory = "keep"')
    admitted({ script = script("model=unet batch=4 dim=1"), min_mem_per_node = 500 }, 500)
    contains(told[1], "needs up to 2.9 GiB of memory")
    contains(told[1], "it asks for 500 MiB")
    settings('user_memory = "replace"')
    admitted({ script = script("model=unet batch=4 dim=1"), min_mem_per_node = 5000 }, 3000)
end)

holds("AdminComment says what was done, after what it said before", function()
    local job = { script = script("model=unet dim=64 batch=4"), admin_comment = "ours", min_mem_per_node = 10 }
    admitted(job, 3000)
    equal(job.admin_comment, string.format(
        "ours; memmodel: model=unet batch=4 dim=64 level=0.95 predicted=%.0f memory=%.0f set=3000M asked=10M",
        2700 * MIB, 3000 * MIB))
end)

holds("what does not fit is refused with the need and the largest that fits", function()
    local job = { script = script("model=unet batch=64 dim=64") }
    equal(submit(job), DOES_NOT_FIT)
    equal(told[1], "memmodel: this job needs up to 32.2 GiB of memory by model unet for batch=64 dim=64, "
        .. "extrapolated: the bound is not guaranteed; the largest node of partition debug has 15.6 GiB. "
        .. "The largest batch that fits is 30.")
    equal(job.min_mem_per_node, nil)
    equal(job.admin_comment, nil)
end)

holds("a job that fits nowhere for any value is told so", function()
    write("unet.json", 'return {inputs = {"batch"}, upper = function(point) return (2 + point.batch) * 2 ^ 40 end}')
    equal(submit({ script = script("model=unet batch=4") }), DOES_NOT_FIT)
    contains(told[1], "Not even batch=1 fits.")
end)

holds("a model without the input whose maximum is asked for is refused without advice", function()
    settings('max_input = "width"')
    equal(submit({ script = script("model=unet batch=64 dim=1") }), DOES_NOT_FIT)
    equal(told[1]:match("has 15.6 GiB%.(.*)$"), "")
end)

holds("the largest of several partitions counts, and the table where Slurm sets no limit", function()
    local text = script("model=unet batch=10 dim=64") -- 6000 MiB
    equal(submit({ script = text, partition = "small" }), DOES_NOT_FIT)
    admitted({ script = text, partition = "small,debug" }, 6000)
    admitted({ script = text, partition = "free" }, 6000)
    settings('partitions = { free = { memory = "5999M" }, ["*"] = { memory = "6G" } }')
    equal(submit({ script = text, partition = "free" }), DOES_NOT_FIT)
    admitted({ script = text, partition = "percpu" }, 6000)
    admitted({ script = text, partition = "no-such-partition" }, 6000)
end)

holds("exactly what a node has fits", function()
    admitted({ script = script("model=unet batch=6 dim=1"), partition = "small" }, 4000)
end)

holds("device memory is asked for as a GRES in bytes", function()
    settings("models = { unet = { device = true } }")
    local job = { script = script("model=unet batch=4 dim=64") }
    admitted(job, nil)
    equal(job.gres, string.format("vram:%.0f", 3000 * MIB))
    job = { script = script("model=unet batch=4 dim=64"), tres_per_node = "gres:gpu:h200:1,gres:vram:1G" }
    admitted(job, nil)
    equal(job.gres, string.format("gpu:h200:1,vram:%.0f", 3000 * MIB))
    contains(job.admin_comment, string.format("set=vram:%.0f asked=vram:%.0f", 3000 * MIB, 1024 * MIB))
end)

holds("a larger GRES of the user stays", function()
    settings("models = { unet = { device = true } }")
    for _, gres in ipairs({ "gres:vram:20G", "gres:gpu:1,gres:vram:20G", "gres/vram:20G", "gres:vram=20G" }) do
        local job = { script = script("model=unet batch=4 dim=64"), tres_per_node = gres }
        admitted(job, nil)
        equal(job.gres, nil)
        contains(job.admin_comment, "kept asked=vram:21474836480")
    end
end)

holds("device memory that no node has is refused, with or without a GRES", function()
    for _, gres in ipairs({ '"vram"', "false" }) do
        settings('partitions = { debug = { device = "5000M" } }, models = { unet = { device = true } }, gres = '
            .. gres)
        local job = { script = script("model=unet batch=9 dim=64") }
        equal(submit(job), DOES_NOT_FIT)
        contains(told[1], "5.4 GiB of device memory")
        contains(told[1], "The largest batch that fits is 8.")
        job = { script = script("model=unet batch=4 dim=64") }
        admitted(job, nil)
        equal(job.gres ~= nil, gres ~= "false")
    end
end)

holds("a job may have a model for memory and one for device memory", function()
    settings("models = { gpu = { device = true } }")
    write("gpu.json", MODEL)
    local job = { script = script("model=unet,gpu batch=4 dim=64") }
    admitted(job, 3000)
    equal(job.gres, string.format("vram:%.0f", 3000 * MIB))
    contains(job.admin_comment, " | model=gpu ")
end)

holds("users are told less when quiet", function()
    settings("quiet = true")
    admitted({ script = script("model=unet batch=4 dim=64") }, 3000)
    equal(#told, 0)
    equal(submit({ script = script("model=unet batch=64 dim=64") }), DOES_NOT_FIT)
    equal(#told, 1)
end)

-- ---- what goes wrong ----

holds("wrong requests are told in a sentence and leave the job alone", function()
    failed({ script = script("model=unet batch=4") }, 'model "unet" needs a value for "dim"')
    failed({ script = script("model=unet batch=4 dmi=1 dim=1") }, 'model "unet" has no input "dmi"; it has batch, dim')
    failed({ script = script("batch=4") }, "which model?")
    failed({ script = script("model=unet batch=many") }, '"many" is not a number')
    failed({ script = script("model=unet batch=0x10") }, '"0x10" is not a number')
    failed({ script = script("model=unet batch=nan") }, '"nan" is not a number')
    failed({ script = script("model=unet batch=1e999") }, '"1e999" is not a number')
    failed({ script = script("unet") }, '"unet" is neither model=NAME nor INPUT=NUMBER')
    failed({ script = script("model=nothere batch=1") }, 'there is no model "nothere"')
end)

holds("models come from the directory and nowhere else", function()
    for _, name in ipairs({ "../secret", "/etc/passwd", ".hidden", "a/b", "a%00b", "..", "" }) do
        failed({ script = script("model=" .. name .. " batch=4") }, "")
        equal(told[1]:find("cannot be used") or told[1]:find("there is no model"), nil)
    end
end)

holds("foreign text is printed plainly and shortly", function()
    failed({ script = script("model=unet batch=\27[31m" .. ("%s"):rep(500)) }, "batch=?[31m%s%s")
    equal(#told[1] < 250, true)
end)

holds("on_failure = \"refuse\" refuses what cannot be answered", function()
    settings('on_failure = "refuse"')
    equal(submit({ script = script("model=unet") }), slurm.ERROR)
    contains(told[1], "The job is refused.")
    admitted({ script = "#!/bin/sh\ntrain\n" }, nil)
end)

holds("a model that cannot be used is told without its text, and the log says why", function()
    write("unet.json", "root:secret:0:0")
    failed({ script = script("model=unet batch=4 dim=1") }, 'the file of model "unet" cannot be used')
    equal(table.concat(told):find("secret"), nil)
    contains(table.concat(logged), "unet.json")
end)

holds("a model that gives no amount is a failure", function()
    for _, upper in ipairs({ "0/0", "1/0", "-1", "2^60", "0" }) do
        write("unet.json", 'return {inputs = {"batch"}, upper = function() return ' .. upper .. " end}")
        failed({ script = script("model=unet batch=4") }, 'model "unet" gives no amount of memory for batch=4')
    end
end)

holds("a library that fails leaves the job alone, and its words to the log", function()
    write("unet.json", 'return {inputs = {"batch"}, upper = function() error("internal detail") end}')
    failed({ script = script("model=unet batch=4") }, "the controller's log says how")
    contains(table.concat(logged), "internal detail")
    equal(table.concat(told):find("internal detail"), nil)
end)

holds("without the library jobs stay as they are, and once it is there they do not", function()
    os.remove(directory .. "/lib/memmodel.lua")
    failed({ script = script("model=unet batch=4 dim=1") }, "library cannot be loaded")
    write("lib/memmodel.lua", fake)
    admitted({ script = script("model=unet batch=4 dim=1") }, 3000)
end)

holds("a model is loaded once, and again when its file has changed", function()
    for _ = 1, 3 do
        admitted({ script = script("model=unet batch=4 dim=1") }, 3000)
    end
    equal(package.loaded.memmodel.loads, 1)
    write("unet.json", (MODEL:gsub("1000", "2000", 1))) -- of the same size, within the same second
    admitted({ script = script("model=unet batch=4 dim=1") }, 4000)
    equal(package.loaded.memmodel.loads, 2)
    os.remove(directory .. "/unet.json")
    failed({ script = script("model=unet batch=4 dim=1") }, "there is no model")
end)

holds("changed settings are in force at once; broken ones leave those before them and are logged once", function()
    admitted({ script = script("model=unet batch=4 dim=1") }, 3000)
    settings("margin = 1")
    admitted({ script = script("model=unet batch=4 dim=1") }, 6000)
    for _, broken in ipairs({
        "margin = -1", "margni = 1", "level = 2", 'units = "lb"', "}", "margin = io.x", "jobs = { {} }",
        'jobs = { { name = "a", model = "b", set = { c = "4" } } }', "models = { unet = { colour = 1 } }",
        'partitions = { debug = { memory = "much" } }', "partitions = { debug = { memory = -1 } }",
    }) do
        settings(broken)
        admitted({ script = script("model=unet batch=4 dim=1") }, 6000)
        contains(logged[1], "memmodel.conf.lua")
        submit({})
        equal(#logged, 1)
    end
end)

holds("without settings jobs pass and the log has the reason", function()
    os.remove(directory .. "/memmodel.conf.lua")
    admitted({ script = script("model=unet batch=4 dim=1") }, nil)
    equal(#told, 0)
    contains(logged[1], "memmodel.conf.lua")
end)

holds("an installation without its modules lets jobs pass", function()
    os.rename(directory .. "/memmodel_slurm", directory .. "/elsewhere")
    local code = submit({ script = script("model=unet batch=4 dim=1") })
    os.rename(directory .. "/elsewhere", directory .. "/memmodel_slurm")
    equal(code, slurm.SUCCESS)
    contains(logged[1], "memmodel_slurm.admission")
end)

-- ---- what users send to keep slurmctld busy ----

-- The work of a submission: instructions of Lua, and characters that its string functions are given. Neither is a time.
local function work_of(job, record)
    local instructions, characters, sethook, real = 0, 0, debug.sethook, {}
    for _, name in ipairs({ "find", "match", "gmatch", "gsub", "rep", "upper" }) do
        real[name] = string[name]
        string[name] = function(subject, ...)
            characters = characters + #tostring(subject)
            return real[name](subject, ...)
        end
    end
    debug.sethook = function(hook, mask, step)
        sethook(hook and function()
            instructions = instructions + step
            hook()
        end, mask, step)
    end
    local done, code = pcall(record and modify or submit, job, record)
    debug.sethook = sethook
    for name, call in pairs(real) do
        string[name] = call
    end
    assert(done, code)
    equal(code, slurm.SUCCESS)
    return instructions, characters
end

local MEGABYTE = 1048576
local function megabyte(piece)
    return piece:rep(math.ceil(MEGABYTE / #piece)):sub(1, MEGABYTE)
end

-- A thousand of them: each field of a submission with a megabyte of each piece, alone and in all fields at once.
local function hostile_submissions()
    local pieces = {
        "-", "*", "a", "9", " ", "\n", "#\n", " \n", "=", ":", ",", ".", "%", "$", "%f[%w]", "(", "\0", "\255", ";", "{",
        "1a", ":1", "1,", "gres:gpu:1,", "gres:vram:1G,", "vram", "memory=1 ", "model=unet ", "batch=1 ", "a=1 ", "--set ",
        "#MEMMODEL\n", "#MEMMODEL \n", "#MEMMODEL a=1\n", "#MEMMODEL model=unet\n", "memmodel:", "memmodel: a=1;",
        "model=unet,", "unet,", "debug,", "1e9", "0x1p", "nan", "inf", " \t\r\n", "\r", "#", "unet-", "-unet",
    }
    local request = "model=unet batch=4 dim=1"
    local fields = {
        name = "", partition = "", admin_comment = "", script = "#!/bin/sh\n#MEMMODEL ", comment = "memmodel: ",
        tres_per_node = "gres:vram:", mem_per_tres = "gres:gpu:", features = "", account = "",
    }
    local jobs = {}
    local function add(words, set)
        local job = { script = script(words), argv = {}, environment = {} }
        set(job)
        jobs[#jobs + 1] = job
    end
    for _, piece in ipairs(pieces) do
        local long = megabyte(piece)
        for field, start in pairs(fields) do
            add(request, function(job) job[field] = long end)
            add(request, function(job) job[field] = start .. long .. "x" end)
        end
        add("model=unet batch=$1 dim=$D", function(job) job.argv, job.environment = { long }, { D = long } end)
        add("", function(job)
            for field, start in pairs(fields) do
                job[field] = start .. long
            end
        end)
        add("dim=1 model=unet batch=" .. long, function() end)
    end
    return jobs
end

-- Processor time of a submission in microseconds: the least of several, since a busy machine has its say in it, for
-- milliseconds together. What took long is tried again until one time is below `enough`.
local function time_of(job, enough)
    local least, count = math.huge, 0
    while count < 5 or (count < 300 and least >= enough) do
        count = count + 1
        local copy = {}
        for field, value in pairs(job) do
            copy[field] = value
        end
        local start = os.clock()
        submit(copy)
        least = math.min(least, (os.clock() - start) * 1e6)
    end
    return least
end

local function each_below_a_millisecond(jobs)
    local times, most = {}, 1
    for number, job in ipairs(jobs) do
        times[number] = time_of(job, 1000)
        most = times[number] > times[most] and number or most
    end
    if times[most] >= 1000 then
        error(string.format("submission %d: %.0f us", most, times[most]))
    end
    table.sort(times)
    print(string.format("%d hostile submissions: median %.0f us, 99 %% below %.0f us, all below %.0f us", #times,
        times[math.floor(#times / 2)], times[math.floor(#times * 0.99)], times[#times]))
end

holds("a thousand hostile submissions take little work each", function()
    settings('jobs = { { name = "*-*-*big", model = "unet" }, { name = "*a*a*a*a*a*a*b*", model = "unet" } }, '
        .. "models = { gpu = { device = true } }")
    write("gpu.json", MODEL)
    local function bounded(what, number, job, record)
        local instructions, characters = work_of(job, record)
        if instructions > 10000 or characters > 200000 then
            error(string.format("%s %d: %d instructions, %d characters", what, number, instructions, characters))
        end
    end
    local jobs = hostile_submissions()
    if #jobs < 1000 then
        error(#jobs .. " submissions")
    end
    for number, job in ipairs(jobs) do
        bounded("submission", number, job)
        local change = { partition = job.partition, tres_per_node = job.tres_per_node, mem_per_tres = job.mem_per_tres }
        bounded("change", number, change, { admin_comment = job.admin_comment })
    end
    jobs = nil
    collectgarbage() -- or what they held is freed while the time is taken
    each_below_a_millisecond(hostile_submissions())
end)

holds("a star costs the same however the name goes on", function()
    local function instructions(name)
        return (work_of({ name = name }))
    end
    settings('jobs = { { name = "*-*-*big", model = "unet" } }') -- a pattern that goes back takes 2^33 steps for 3000
    equal(instructions(("-"):rep(1000)), instructions("-"))
    equal(instructions(("-"):rep(3000)), instructions("-"))
end)

holds("a field that is too long is a failure, and a script is not cut within a line", function()
    local request, long = script("model=unet batch=4 dim=1"), ("x"):rep(5000)
    failed({ script = request, partition = long }, "its partition has more than 1024 characters")
    failed({ script = request, mem_per_tres = "gres:gpu:1", tres_per_node = long },
        "its tres_per_node has more than 1024 characters")
    failed({ script = request, mem_per_tres = long }, "its mem_per_tres has more than 256 characters")
    failed({ comment = "memmodel: model=unet batch=4 dim=1" .. (" "):rep(5000) .. "batch=5" },
        "does not end within 4096 characters")
    admitted({ comment = "memmodel: model=unet batch=4 dim=1; " .. long }, 3000)
    local line = "#MEMMODEL batch=16\n" -- the last digit is beyond what is looked at
    local filled = script("model=unet batch=4 dim=1"):gsub("\n\ntrain\n", "\n")
    filled = filled .. ("#"):rep(16384 - #filled - #line + 1) .. "\n"
    admitted({ script = filled .. line }, 3000)
end)

holds("of a script 300 lines are read", function()
    local request = "#MEMMODEL model=unet batch=4 dim=1\n"
    admitted({ script = "#!/bin/sh\n" .. ("\n"):rep(298) .. request }, 3000)
    admitted({ script = "#!/bin/sh\n" .. ("#\n"):rep(299) .. request }, nil)
    admitted({ script = "#!/bin/sh\n" .. ("#\n"):rep(297) .. request .. "#MEMMODEL batch=16" }, 9000)
end)

holds("a hook that does not end lets the job pass as it came, and says so in the log", function()
    for _, loop in ipairs({ "while true do end", "repeat until pcall(error)" }) do
        write("unet.json", loop)
        settings('on_failure = "refuse"')
        admitted({ script = script("model=unet batch=4 dim=1") }, nil)
        contains(logged[#logged - 1], "more than 1000000 Lua instructions; the job passes as it came")
        equal(#told, 0)
        write("unet.json", MODEL)
        admitted({ script = script("model=unet batch=4 dim=1") }, 3000) -- it is not taken for a damaged file
    end
    write("unet.json", 'return {inputs = {"batch"}, upper = function() while true do end end}')
    local job = { script = script("model=unet batch=4"), comment = "mine" }
    admitted(job, nil)
    equal(job.admin_comment, nil)
    equal(job.comment, "mine")
    write("memmodel.conf.lua", "while true do end")
    admitted({ script = script("model=unet batch=4") }, nil)
    contains(logged[1], "passes as it came")
end)

holds("hostile requests take no time", function()
    local long = ("9"):rep(1e6)
    local texts = {
        script("model=unet batch=" .. long .. "x"), script("model=" .. long), script((" a=1"):rep(1e5)),
        script(("model=unet "):rep(1e5)), ("#\n"):rep(1e6), "#MEMMODEL " .. long, ("#MEMMODEL model=unet\n"):rep(1e5),
        "#MEMMODEL batch=1 dim=1 model=" .. ("unet,"):rep(1e5), "#MEMMODEL batch=1 dim=1 model=" .. ("u"):rep(1e5),
    }
    for number, text in ipairs(texts) do
        collectgarbage() -- or what others left is freed while the time is taken
        local start = os.clock()
        equal(submit({ script = text, comment = text, partition = long, tres_per_node = long }), slurm.SUCCESS)
        local seconds = os.clock() - start
        if seconds > 0.05 then
            error(string.format("text %d took %.3f s", number, seconds))
        end
    end
end)

-- ---- jobs that are changed ----

local ADMITTED = "memmodel: model=unet batch=4 dim=64 level=0.95 predicted=1 memory=3145728000 set=3000M"

holds("a user's later request below the bound is refused", function()
    equal(modify({ min_mem_per_node = 2999 }, { admin_comment = ADMITTED }), slurm.ESLURM_ACCESS_DENIED)
    contains(told[1], "this job needs up to 2.9 GiB of memory")
    for _, change in ipairs({ { min_mem_per_node = 3000 }, { min_mem_per_node = 0 }, { name = "other" } }) do
        equal(modify(change, { admin_comment = "ours; " .. ADMITTED }), slurm.SUCCESS)
    end
end)

holds("nor may the device memory be lowered", function()
    local record = { admin_comment = "memmodel: model=a device=1073741824 set=x | model=b device=2147483648 set=y" }
    for _, gres in ipairs({ "gres:vram:1G", "gres:gpu:1", "gres:vram:2047M" }) do
        equal(modify({ tres_per_node = gres }, record), slurm.ESLURM_ACCESS_DENIED)
        contains(told[1], "2.0 GiB of device memory")
    end
    equal(modify({ tres_per_node = "gres:gpu:1,gres:vram:2G" }, record), slurm.SUCCESS)
    equal(modify({ min_mem_per_node = 1 }, record), slurm.SUCCESS)
end)

holds("operators may lower it, and other jobs are untouched", function()
    local change = { min_mem_per_node = 100 }
    equal(modify(change, { admin_comment = ADMITTED }, 0), slurm.SUCCESS)
    equal(modify(change, { admin_comment = "memory=3145728000" }), slurm.SUCCESS)
    equal(modify(change, {}), slurm.SUCCESS)
end)

holds("a job is not moved to a partition without room", function()
    settings('partitions = { free = { memory = "2G" } }')
    equal(modify({ partition = "free" }, { admin_comment = ADMITTED }), DOES_NOT_FIT)
    contains(told[1], "needs up to 2.9 GiB of memory; the largest node of partition free has 2.0 GiB")
    equal(modify({ partition = "small" }, { admin_comment = ADMITTED }), slurm.SUCCESS)
    equal(modify({}, { admin_comment = ADMITTED }), slurm.SUCCESS)
end)

-- ---- run them ----

local function content_of(path)
    local file = assert(io.open(path))
    local content = file:read("*a")
    file:close()
    return content
end

directory = os.tmpname()
os.remove(directory)
fake = content_of(tests .. "/fake_memmodel.lua")
os.execute(string.format("mkdir -p %s/lib && cp -r %s/job_submit.lua %s/memmodel_slurm %s", directory, scripts, scripts,
    directory))
local own_path, failures = package.path, 0
for _, one in ipairs(cases) do
    settings()
    write("unet.json", MODEL)
    write("lib/memmodel.lua", fake)
    package.path = own_path
    load_script()
    local done, problem = pcall(one.case)
    if not done then
        failures = failures + 1
        print("FAILED  " .. one.name .. "\n        " .. tostring(problem))
    end
end
os.execute("rm -r " .. directory)
print(string.format("%s: %d of %d hold", jit and jit.version or _VERSION, #cases - failures, #cases))
os.exit(failures == 0 and 0 or 1)
