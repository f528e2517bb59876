-- Networks, reports, traces and monitors.
local fixtures = require "fixtures"
local harness = require "harness"
local memmodel = require "memmodel"

local test, equal, refused, truth = harness.test, harness.equal, harness.refused, harness.truth

test("the 3D U-Net has 5,650,801 parameters", function()
    local network = fixtures.unet()
    equal(network:estimate({ symbols = { batch = 1, dim = 16 } }):total().parameter_count, 5650801)
end)

test("a network says its symbols, layers and shapes", function()
    local network, output = fixtures.unet()
    equal(table.concat(network:symbols(), " "), "batch dim")
    local shape = network:shape(output)
    equal(shape.rank, 5)
    equal(shape.dtype, "float32")
    equal(shape.dims[2], 1)
    equal(network:dim_to_text(shape.dims[1]), "batch")
end)

test("what if: a change is what the changed job's own report says", function()
    local network = fixtures.unet()
    local job = { symbols = { batch = 2, dim = 16 } }
    local report = network:estimate_what_if(job)
    local seen
    for _, change in ipairs(report:changes()) do
        if change.name == "optimizer sgd" then
            seen = change
        end
    end
    job.optimizer = "sgd"
    local peak = memmodel.estimate(network, job):result()
    equal(seen.live, peak.live)
    equal(seen.saving, report:result().process - peak.process)
    equal(report:result().metric, "process")
    truth(report:to_html():find "<!DOCTYPE html>")
    truth(report:trace():to_perfetto():find "traceEvents")
    equal(#memmodel.estimate(network, job):changes(), 0)
end)

test("a network survives its way through JSON", function()
    local network = fixtures.unet()
    local copy = memmodel.network_from_json(network:to_json())
    equal(copy:to_json(), network:to_json())
end)

test("a network is made from the bytes of an ONNX file", function()
    -- x[2, 3] -> Relu -> y, opset 17: the fields of onnx.proto by hand, among them zero bytes
    local function field(number, content) return string.char(number * 8 + 2, #content) .. content end
    local function info(name)
        local dims = field(1, "\8\2") .. field(1, "\8\3")
        return field(1, name) .. field(2, field(1, "\8\1" .. field(2, dims)))
    end
    local node = field(1, "x") .. field(2, "y") .. field(4, "Relu")
    local graph = field(1, node) .. field(2, "g") .. field(11, info "x") .. field(12, info "y")
    local bytes = "\8\8" .. field(7, graph) .. field(8, field(1, "") .. "\16\17")
    truth(bytes:find("\0", 1, true))
    equal(memmodel.network_from_onnx(bytes):symbol_count(), 0)
    refused("PARSE", nil, "mine", memmodel.network_from_onnx, bytes:sub(1, -2), nil, "mine")
end)

test("a report has peaks, layers, categories, formulas and a trace", function()
    local network = fixtures.unet()
    local report = memmodel.estimate(network, { symbols = { batch = 2, dim = 16 }, optimizer = "sgd" })
    local peak = report:result()
    truth(peak.live > 0 and peak.reserved >= peak.live)
    equal(#report:layers(), report:layer_count())
    equal(report:layers()[1].shape, "2x1x16x16x16")
    -- and PyTorch counts the batches of each of the 18 normalisations in 8 bytes
    equal(report:categories().parameters, 4 * 5650801 + 18 * 8)
    truth(report:formulas().total:find "batch")
    equal(#report:unmodelled(), 0)
    equal(peak.verdict, "none")
    truth(peak.peak_location:find "backward pass of step")
    local live, most = 0, 0
    for event in report:trace():events() do
        live = live + event.bytes
        equal(event.live, live)
        most = math.max(most, live)
    end
    equal(most, peak.live)
end)

test("the largest batch is the last that fits", function()
    local network = fixtures.unet()
    local budget = 2 ^ 30
    local job = { symbols = { dim = 32 }, budget = budget }
    local max = memmodel.estimate_max(network, job, "batch")
    local function process(batch)
        return network:estimate({ symbols = { dim = 32, batch = batch } }):result().process
    end
    truth(process(max) <= budget and process(max + 1) > budget)
    job.metric = "live"
    truth(memmodel.estimate_max(network, job, "batch") > max)
end)

test("a budget has a verdict and a headroom, and what it takes is told", function()
    local network = fixtures.unet()
    local job = { symbols = { batch = 2, dim = 16 }, metric = "live", budget = 2 ^ 20 }
    local result = memmodel.estimate(network, job):result()
    equal(result.verdict, "exceeds")
    equal(result.headroom, 2 ^ 20 - result.live)
    job.budget = 2 ^ 40
    equal(memmodel.estimate(network, job):result().verdict, "fits")
    equal(memmodel.recompute(network, job):result().verdict, "fits")
    job.mode = "inference"
    equal(memmodel.optimize(network, job):result().verdict, "fits")
end)

test("a schedule takes the options of its plan", function()
    local schedule = fixtures.unet():schedule { symbols = { batch = 1, dim = 16 }, plan = { max_nodes = 1000 } }
    truth(schedule:result().peak > 0)
    truth(schedule:plan():buffer(0).bytes > 0)
end)

test("a GPU is named by its kind, and is of no CPU", function()
    local network = fixtures.unet()
    local function peak(job)
        job.symbols = { batch = 1, dim = 32 }
        return network:estimate(job):result()
    end
    equal(peak({ gpu = "h100" }).process, peak({ gpu = "h100", device = "cuda" }).process)
    refused("INVALID_ARGUMENT", nil, "which GPU is it? There are profiles of t4", peak, { device = "cuda" })
    refused("INVALID_ARGUMENT", nil, "h100 is a GPU", peak, { gpu = "h100", device = "cpu" })
end)

test("options are given by name, numbers alone or in a list, flags as true", function()
    local network = memmodel.network()
    local x = network:input("x", "float32", { 1, 3, 32, 32 })
    local y = network:conv(x, { filters = 8, kernel = { 3, 5 }, stride = 2, no_bias = true, name = "first" })
    local shape = network:shape(y)
    equal(table.concat(shape.dims, " ", 1, 4), "1 8 15 14")
    -- 8 filters of 3 channels and 3 x 5 elements
    equal(network:estimate({ framework = "textbook" }):total().parameter_count, 8 * 3 * 3 * 5)
end)

test("a split has several results", function()
    local network = memmodel.network()
    local x = network:input("x", "float32", { 2, 6 })
    local first = network:split(x, { sizes = { 2, 4 }, axis = 1 })
    equal(network:shape(network:layer_output(first, 1)).dims[2], 4)
    equal(network:shape(network:reshape(x, { 3, memmodel.DIM_INFER })).dims[2], 4)
    equal(network:shape(network:permute(x, { 1, 0 })).dims[1], 6)
end)

test("attention without a mask takes nil in its place", function()
    local network = memmodel.network()
    local x = network:input("x", "float32", { 2, 4, 8, 16 })
    equal(network:shape(network:attention(x, x, x, nil, { causal = true })).dims[4], 16)
end)

test("a monitor watches a process", function()
    local monitor = memmodel.monitor(fixtures.own_pid(), { interval_seconds = 0.002 })
    local reading = monitor:read()
    truth(reading.rss > 2 ^ 18)
    equal(monitor:processes()[1], fixtures.own_pid())
    equal(monitor:result().reading_count, 1)
    equal(monitor:curve()[1].bytes, reading.rss)
end)

test("a callback sees each reading, and ends the monitoring with true", function()
    local monitor = memmodel.monitor(fixtures.own_pid(), { interval_seconds = 0.002 })
    local seen = 0
    monitor:run(function(reading)
        truth(reading.rss > 0)
        seen = seen + 1
        return seen == 3
    end)
    equal(seen, 3)
    monitor:run(function()
        monitor:stop()
    end)
    equal(monitor:result().reading_count, 4)
end)
