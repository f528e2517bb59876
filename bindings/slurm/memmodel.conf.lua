-- Settings of job_submit.lua, beside it. Read again whenever it has changed; what is left out has the value shown.
-- README.md says what each one does.
return {
    model_directory = "/var/lib/memmodel", -- model NAME is the file NAME.json there

    on_failure = "admit", -- "refuse": what becomes of a job whose request for a model cannot be answered
    user_memory = "raise", -- "keep", "replace": what becomes of memory the user asked for himself
    quiet = false, -- true: users hear of refusals and failures only

    level = 0.95, -- of the upper prediction bound: the probability that a run stays below it
    margin = 0, -- 0.1 adds 10 % to each bound
    units = "bytes", -- what models predict: bytes, KiB, MiB, GiB, kB, MB or GB
    max_input = "batch", -- the input whose largest fitting value a refusal names
    device = false, -- true: models predict device memory
    gres = "vram", -- count-only GRES for device memory, in bytes; false: none is set

    -- Per model: level, margin, units, max_input and device of its own.
    models = {
        -- unet3d_gpu = { device = true, units = "MiB" },
    },

    -- Models by job name, the first that matches; "*" stands for anything. `set` gives inputs that jobs need not name.
    jobs = {
        -- { name = "unet3d*", model = "unet3d", set = { dim = 64 } },
    },

    -- The largest node of each partition, where MaxMemPerNode does not say it; ["*"] is for all others.
    partitions = {
        -- debug = { memory = "16000M", device = "140G" },
    },

    -- lua_path = "/usr/local/share/lua/5.1/?.lua", lua_cpath = "/usr/local/lib/lua/5.1/?.so", -- where memmodel is
}
