-- How much the largest node has that a job could get: its partitions' limits and the settings' table of node sizes.
--
-- slurmctld holds its locks while it asks us, so it cannot be asked about nodes; MaxMemPerNode and the table say it.

local text = require("memmodel_slurm.text")

local nodes = {}

local MIB = 1048576

-- The partitions a job may run in, as an array of names: the ones it asks for, or the default one.
function nodes.partitions(job, partitions)
    local names = {}
    for name in (text.field(job, "partition") or ""):gmatch("[^,]+") do
        names[#names + 1] = name
    end
    if #names == 0 then
        for name, partition in pairs(partitions) do
            if partition.flag_default == 1 then
                names[1] = name
            end
        end
    end
    return names
end

-- A partition that does not exist, or that the user may not use, is Slurm's to refuse.
local function limit(name, partition, resource, settings)
    if not partition then
        return math.huge
    end
    local size = settings.partitions[name] or settings.partitions["*"] or {}
    local capacity = size[resource] or math.huge
    local of_partition = resource == "memory" and partition.max_mem_per_node or 0
    if of_partition > 0 then -- 0 is without a limit
        capacity = math.min(capacity, of_partition * MIB)
    end
    return capacity
end

-- Bytes of "memory" or "device" on the largest node, and the partition that has it; infinite where nothing is known.
function nodes.max_capacity(names, partitions, resource, settings)
    local capacity, where = nil, nil
    for _, name in ipairs(names) do
        local bytes = limit(name, partitions[name], resource, settings)
        if not capacity or bytes > capacity then
            capacity, where = bytes, name
        end
    end
    return capacity or math.huge, where
end

return nodes
