-- What the user asked for himself, and how a request is written. Slurm counts memory in MiB, and GRES as they are
-- defined: device memory in bytes.

local text = require("memmodel_slurm.text")

local asked = {}

local NO_VALUE = { [65534] = true, [4294967294] = true } -- NO_VAL16 and NO_VAL: Slurm's "not given"

local function given(number)
    return number and not NO_VALUE[number] and number or nil
end

-- Tasks and processors are counted for the whole job, memory for each node.
local function cpus_per_node(job)
    return math.ceil((given(job.min_cpus) or 1) / math.max(given(job.min_nodes) or 1, 1))
end

-- The entries of "gres:gpu:h200:1,gres:vram:20G" as {"gpu:h200:1", "vram:20G"}.
local function gres_entries(job)
    local entries = {}
    for entry in (text.field(job, "tres_per_node") or ""):gmatch("[^,]+") do
        entries[#entries + 1] = entry:gsub("^gres[:/]", "")
    end
    return entries
end

local function count_of(entry)
    return text.to_bytes(entry:match("^.*[:=]([%d.]+%a*)$") or 1) or 1
end

local function gpus(job)
    for _, entry in ipairs(gres_entries(job)) do
        if entry:find("^gpu") then
            return count_of(entry)
        end
    end
    return 1
end

-- MiB a node by --mem, --mem-per-cpu or --mem-per-gpu; nil if none was given, infinite for --mem=0, the whole node.
function asked.memory(job)
    if job.min_mem_per_node then
        return job.min_mem_per_node == 0 and math.huge or job.min_mem_per_node
    elseif job.min_mem_per_cpu then
        return job.min_mem_per_cpu * cpus_per_node(job)
    elseif job.mem_per_tres then
        return (tonumber(text.field(job, "mem_per_tres"):match("^.*[:=](%d+)$")) or 0) * gpus(job)
    end
    return nil
end

function asked.set_memory(job, mib)
    if job.mem_per_tres then
        job.mem_per_tres = "" -- --mem and --mem-per-gpu exclude each other
    end
    job.min_mem_per_node = mib
end

-- The count of a GRES a node; nil if it was not asked for.
function asked.gres(job, name)
    for _, entry in ipairs(gres_entries(job)) do
        if entry:match("^[^:=]*") == name then
            return count_of(entry)
        end
    end
    return nil
end

function asked.set_gres(job, name, count)
    local entries = { string.format("%s:%.0f", name, count) }
    for _, entry in ipairs(gres_entries(job)) do
        if entry:match("^[^:=]*") ~= name then
            table.insert(entries, #entries, entry)
        end
    end
    job.gres = table.concat(entries, ",") -- Slurm writes the prefix, which versions spell differently
end

return asked
