// Runs a script of allocations through PyTorch's CUDA caching allocator and prints its counters after each line.
//
// Lines in: "a ID BYTES STREAM" allocates, "f ID" frees, "u ID STREAM" records a use on another stream, "s" lets all
// recorded events complete, "e" empties the cache. Lines out: allocated, requested, active and reserved bytes;
// "oom" instead of them where an allocation fails.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/PeerToPeerAccess.h>

#include <iostream>
#include <map>

extern "C" void driver_synchronize(void);

namespace c10::cuda::_internal {
C10_CUDA_API void setHasPrimaryContext(bool (*func)(DeviceIndex));
}

using namespace c10::cuda;

// A handle of a stream from elsewhere: even, or it is taken for one of PyTorch's own.
static cudaStream_t stream_of(int64_t number)
{
    return reinterpret_cast<cudaStream_t>(number * 16);
}

static void print_counters()
{
    auto stats = CUDACachingAllocator::getDeviceStats(0);
    std::cout << stats.allocated_bytes[0].current << ' ' << stats.requested_bytes[0].current << ' '
              << stats.active_bytes[0].current << ' ' << stats.reserved_bytes[0].current << '\n';
}

static bool run(char what, std::map<int64_t, void *> &blocks)
{
    int64_t id = 0, bytes = 0, stream = 0;

    switch (what) {
    case 'a':
        std::cin >> id >> bytes >> stream;
        blocks[id] = CUDACachingAllocator::raw_alloc_with_stream(bytes, stream_of(stream));
        break;
    case 'f':
        std::cin >> id;
        CUDACachingAllocator::raw_delete(blocks[id]);
        break;
    case 'u': {
        std::cin >> id >> stream;
        c10::DataPtr pointer(blocks[id], blocks[id], CUDACachingAllocator::get()->raw_deleter(), c10::Device(c10::kCUDA, 0));
        CUDACachingAllocator::recordStream(pointer, getStreamFromExternal(stream_of(stream), 0));
        pointer.release_context();
        break;
    }
    case 's':
        driver_synchronize();
        break;
    case 'e':
        CUDACachingAllocator::emptyCache();
        break;
    default:
        return false;
    }
    return true;
}

int main()
{
    std::map<int64_t, void *> blocks;
    char what;

    CUDACachingAllocator::init(1);
    detail::init_p2p_access_cache(1);
    _internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
    while (std::cin >> what) {
        try {
            if (!run(what, blocks))
                return 1;
        } catch (const c10::OutOfMemoryError &) {
            std::cout << "oom\n";
            continue;
        }
        print_counters();
    }
    return 0;
}
