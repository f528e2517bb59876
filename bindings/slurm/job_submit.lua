-- Slurm's job_submit/lua plugin: memory requests from fitted models. README.md says how to install and set it up.
--
-- Only the hooks are here. slurmctld does not start with a script that cannot be loaded, and versions differ in what
-- they do when a hook fails; so all else is loaded when the first job comes, and nothing that fails leaves a hook.

-- What becomes of jobs if memmodel_slurm/ cannot be loaded at all. Any other failure is decided by memmodel.conf.lua.
local ON_BROKEN_INSTALLATION = slurm.SUCCESS

local directory = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = directory .. "?.lua;" .. package.path

local function protected(hook, ...)
    local loaded, admission = pcall(require, "memmodel_slurm.admission")
    if loaded then
        local done, code = pcall(admission[hook], directory .. "memmodel.conf.lua", ...)
        if done then
            return code
        end
        admission = code
    end
    slurm.log_error("%s", "memmodel: " .. tostring(admission))
    return ON_BROKEN_INSTALLATION
end

function slurm_job_submit(job, partitions, submit_uid)
    return protected("submit", job, partitions, submit_uid)
end

function slurm_job_modify(job, record, partitions, modify_uid)
    return protected("modify", job, record, partitions, modify_uid)
end

return slurm.SUCCESS
