-- What the page needs of bindings/slurm/memmodel.conf.lua; all else has its default.
return {
    model_directory = "/var/lib/memmodel",
    partitions = { debug = { memory = "16000M" } },
}
