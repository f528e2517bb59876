-- What several tests need.
local harness = require "harness"
local memmodel = require "memmodel"

local fixtures = {}

-- peak = 3 * a * b + 100, exactly, for a of 1 to 6 and b of 1, 2, 4
function fixtures.samples()
    local samples = memmodel.samples { "a", "b", "peak" }
    for a = 1, 6 do
        for _, b in ipairs { 1, 2, 4 } do
            samples:add_row { a, b, 3 * a * b + 100 }
        end
    end
    return samples
end

function fixtures.model()
    return memmodel.fit(fixtures.samples(), { target = "peak", inputs = { "a", "b" } })
end

local function convolutions(network, x, filters)
    for _ = 1, 2 do
        x = network:conv(x, { filters = filters, kernel = 3, auto_pad = "same" })
        x = network:batch_norm(x)
        x = network:activation(x, { kind = "relu" })
    end
    return x
end

-- The 3D U-Net of the case study: 5,650,801 parameters, moving statistics included.
function fixtures.unet()
    local network = memmodel.network()
    local x = network:input("image", "float32", { "batch", 1, "dim", "dim", "dim" })
    local skips = {}
    for level = 1, 4 do
        skips[level] = convolutions(network, x, 8 * 2 ^ level)
        x = network:pool(skips[level], { kernel = 2 })
    end
    x = convolutions(network, x, 256)
    for level = 4, 1, -1 do
        x = network:conv_transpose(x, { filters = 8 * 2 ^ level, kernel = 2, stride = 2 })
        x = network:concat({ skips[level], x }, { along_channels = true })
        x = convolutions(network, x, 8 * 2 ^ level)
    end
    return network, network:conv(x, { filters = 1, kernel = 1, activation = "sigmoid" })
end

-- A network of one parameter, with elements of one byte.
function fixtures.bytes(dimension)
    local network = memmodel.network()
    network:parameter("x", "uint8", { dimension }, false)
    return network
end

-- The number of this process; without /proc the test is skipped.
function fixtures.own_pid()
    local file = io.open "/proc/self/stat" or harness.skip "no /proc"
    local pid = tonumber(file:read("*a"):match "^%d+")
    file:close()
    return pid
end

function fixtures.temporary()
    return os.tmpname()
end

function fixtures.write(text)
    local path = fixtures.temporary()
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return path
end

return fixtures
