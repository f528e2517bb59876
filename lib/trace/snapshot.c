/*
 * Snapshots of PyTorch's CUDA allocator (doc/guide/formats.md, "Memory snapshot"). PyTorch 2.13:
 * torch/csrc/cuda/memory_snapshot.cpp, torch/cuda/_memory_viz.py.
 *
 * The history holds the last events only. What was allocated before it is known from its release, or from the blocks
 * that are still there at the end; it is put in front, in step 0, in the order of addresses. The history is step 1.
 */
#include "trace/snapshot.h"
#include "base/checked.h"
#include "base/pickle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum action { ALLOC, FREE_REQUESTED, FREE_COMPLETED, OTHER };

struct entry {
    enum action action;
    int64_t address, bytes, stream;
};

/* A block from before the history. */
struct early {
    int64_t address, bytes, stream;
};

/* Which block lies at an address: a hash table, open addressing. Entries stay when they are free again. */
struct address {
    int64_t address;
    int32_t block; /* + 2, so that zeros are slots never used */
};

struct addresses {
    struct address *slots;
    size_t slot_count;
};

struct reader {
    struct pickle pickle;
    struct memmodel_trace *trace;
    struct addresses addresses;
    struct early *early;
    size_t early_count, early_capacity;
    const struct pickle_list *history;
    int64_t device;
    size_t visited; /* items that were looked at: no more than the file has bytes, or they are shared */
};

bool
snapshot_looks_like_one(const char *bytes, size_t length)
{
    return length >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

static int
refuse(const struct reader *reader, const char *why, size_t number)
{
    return context_error(reader->pickle.context, MEMMODEL_ERROR_PARSE, reader->pickle.name, "%s %zu", why, number);
}

/* ---- addresses ---- */

enum { FREED = -1 };

static int
addresses_new(memmodel_context *context, struct addresses *addresses, size_t count)
{
    addresses->slot_count = 16;
    while (addresses->slot_count < 2 * count)
        addresses->slot_count *= 2;
    addresses->slots = memory_allocate_zeroed(context, addresses->slot_count, sizeof *addresses->slots);
    return addresses->slots ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int32_t *
block_at(struct addresses *addresses, int64_t address)
{
    size_t slot = (size_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (addresses->slot_count - 1);

    while (addresses->slots[slot].block && addresses->slots[slot].address != address)
        slot = (slot + 1) & (addresses->slot_count - 1);
    addresses->slots[slot].address = address;
    return &addresses->slots[slot].block;
}

static int32_t
find_block(struct addresses *addresses, int64_t address)
{
    return *block_at(addresses, address) - 2;
}

static void
set_block(struct addresses *addresses, int64_t address, int32_t block)
{
    *block_at(addresses, address) = block + 2;
}

/* ---- one entry of the history ---- */

static enum action
action_of(const struct pickle_value *value)
{
    static const char *const names[] = {[ALLOC] = "alloc", "free_requested", "free_completed"};

    for (int i = 0; i < OTHER; i++)
        if (pickle_is_text(value, names[i]))
            return (enum action)i;
    return OTHER;
}

static int
read_entry(struct reader *reader, size_t index, struct entry *entry)
{
    const struct pickle_value *item = &reader->history->items[index];

    *entry = (struct entry){.action = action_of(pickle_get(item, "action"))};
    if (!pickle_get(item, "action"))
        return refuse(reader, "no action in entry", index);
    if (entry->action == OTHER)
        return 0;
    entry->address = pickle_get_integer(item, "addr", 0);
    entry->bytes = pickle_get_integer(item, "size", 0);
    entry->stream = pickle_get_integer(item, "stream", 0);
    if (entry->bytes <= 0 || entry->address == 0)
        return refuse(reader, "no address or no bytes in entry", index);
    return 0;
}

/* ---- what was there before ---- */

static int
add_early(struct reader *reader, int64_t address, int64_t bytes, int64_t stream)
{
    int status = array_reserve(reader->pickle.context, &reader->early, &reader->early_capacity, reader->early_count + 1,
                               sizeof *reader->early);

    if (!status)
        reader->early[reader->early_count++] = (struct early){address, bytes, stream};
    return status;
}

/* Blocks that are released in the history and not allocated in it. */
static int
find_early_releases(struct reader *reader)
{
    for (size_t i = 0; i < reader->history->count; i++) {
        struct entry entry;
        int status = read_entry(reader, i, &entry);

        if (status)
            return status;
        if (entry.action == ALLOC)
            set_block(&reader->addresses, entry.address, 0);
        if (entry.action != FREE_REQUESTED)
            continue;
        if (find_block(&reader->addresses, entry.address) < 0)
            status = add_early(reader, entry.address, entry.bytes, entry.stream);
        if (status)
            return status;
        set_block(&reader->addresses, entry.address, FREED);
    }
    return 0;
}

/* An item is looked at; false if there are more than the file can have. */
static bool
visit(struct reader *reader)
{
    return ++reader->visited <= reader->pickle.length;
}

/* A block that is there at the end, and is not of the history, was there before. */
static int
find_early_block(struct reader *reader, const struct pickle_value *block, int64_t address, int64_t stream)
{
    int64_t bytes = pickle_get_integer(block, "requested_size", pickle_get_integer(block, "size", 0));

    if (!pickle_is_text(pickle_get(block, "state"), "active_allocated") || find_block(&reader->addresses, address) >= 0)
        return 0;
    if (bytes <= 0 || address == 0)
        return context_error(reader->pickle.context, MEMMODEL_ERROR_PARSE, reader->pickle.name,
                             "a block has no address or no bytes");
    return add_early(reader, address, bytes, stream);
}

static int
find_early_of_segment(struct reader *reader, const struct pickle_value *segment)
{
    const struct pickle_list *blocks = pickle_get_list(segment, "blocks");
    int64_t address = pickle_get_integer(segment, "address", 0), stream = pickle_get_integer(segment, "stream", 0);
    int status = 0;

    for (size_t i = 0; blocks && !status && i < blocks->count; i++) {
        int64_t bytes = pickle_get_integer(&blocks->items[i], "size", 0);

        status = visit(reader) ? find_early_block(reader, &blocks->items[i], address, stream)
                               : refuse(reader, "more blocks than the file can hold at", i);
        if (!status && (bytes <= 0 || !checked_accumulate(&address, bytes)))
            status = refuse(reader, "impossible size of block", i);
    }
    return status;
}

static int
find_early_blocks(struct reader *reader)
{
    const struct pickle_list *segments = pickle_get_list(&reader->pickle.root, "segments");

    int status = 0;

    for (size_t i = 0; segments && !status && i < segments->count; i++) {
        const struct pickle_value *segment = &segments->items[i];

        if (!visit(reader))
            status = refuse(reader, "impossible segment", i);
        else if (pickle_get_integer(segment, "device", 0) == reader->device)
            status = find_early_of_segment(reader, segment);
    }
    return status;
}

static int
by_address(const void *a, const void *b)
{
    const struct early *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* ---- into the trace ---- */

static int
allocate(struct reader *reader, int64_t address, int64_t bytes, int64_t stream)
{
    int32_t block;

    if (find_block(&reader->addresses, address) >= 0)
        return context_error(reader->pickle.context, MEMMODEL_ERROR_PARSE, reader->pickle.name,
                             "address 0x%" PRIx64 " is allocated twice", (uint64_t)address);
    block = trace_allocate(reader->trace, bytes, "recorded", -1, MEMMODEL_CATEGORY_WORKSPACE);
    if (block < 0)
        return block;
    reader->trace->blocks[block].stream = stream;
    set_block(&reader->addresses, address, block);
    return 0;
}

static int
write_early(struct reader *reader)
{
    int status = 0;

    if (reader->early_count)
        qsort(reader->early, reader->early_count, sizeof *reader->early, by_address);
    trace_enter(reader->trace, 0, MEMMODEL_PHASE_SETUP, -1);
    for (size_t i = 0; !status && i < reader->early_count; i++) {
        const struct early *early = &reader->early[i];

        status = allocate(reader, early->address, early->bytes, early->stream);
    }
    return status;
}

/* Whether the memory came back in the very next entry: then no other stream was using it. */
static bool
completes_at_once(struct reader *reader, size_t index, int64_t address)
{
    struct entry next;

    return index + 1 < reader->history->count && read_entry(reader, index + 1, &next) == 0 &&
           next.action == FREE_COMPLETED && next.address == address;
}

static int
release(struct reader *reader, size_t index, const struct entry *entry)
{
    int32_t block = find_block(&reader->addresses, entry->address);

    if (block < 0 || reader->trace->blocks[block].released >= 0)
        return refuse(reader, "nothing is allocated there, says entry", index);
    if (completes_at_once(reader, index, entry->address))
        set_block(&reader->addresses, entry->address, FREED);
    else
        reader->trace->blocks[block].reusable = INT32_MAX; /* until its completion is read */
    return trace_release(reader->trace, block);
}

static void
complete(struct reader *reader, const struct entry *entry)
{
    int32_t block = find_block(&reader->addresses, entry->address);

    if (block < 0 || reader->trace->blocks[block].released < 0)
        return;
    reader->trace->blocks[block].reusable = (int32_t)reader->trace->event_count;
    set_block(&reader->addresses, entry->address, FREED);
}

static int
write_history(struct reader *reader)
{
    int status = 0;

    trace_enter(reader->trace, 1, MEMMODEL_PHASE_FORWARD, -1);
    for (size_t i = 0; !status && i < reader->history->count; i++) {
        struct entry entry;

        status = read_entry(reader, i, &entry);
        if (!status && entry.action == ALLOC)
            status = allocate(reader, entry.address, entry.bytes, entry.stream);
        else if (!status && entry.action == FREE_REQUESTED)
            status = release(reader, i, &entry);
        else if (!status && entry.action == FREE_COMPLETED)
            complete(reader, &entry);
    }
    return status;
}

/* ---- the document ---- */

/* The history of the first device that has one; without any, what the segments hold. */
static int
find_history(struct reader *reader)
{
    static const struct pickle_list nothing = {.items = NULL};
    const struct pickle_list *devices = pickle_get_list(&reader->pickle.root, "device_traces");

    if (!pickle_get_list(&reader->pickle.root, "segments") && !devices)
        return context_error(reader->pickle.context, MEMMODEL_ERROR_PARSE, reader->pickle.name,
                             "neither segments nor device_traces: no memory snapshot");
    reader->history = &nothing;
    for (size_t i = 0; devices && i < devices->count && reader->history->count == 0; i++) {
        reader->device = (int64_t)i;
        if (devices->items[i].kind == PICKLE_LIST)
            reader->history = devices->items[i].list;
    }
    if (reader->history->count == 0)
        reader->device = 0;
    return 0;
}

static size_t
count_blocks(struct reader *reader)
{
    const struct pickle_list *segments = pickle_get_list(&reader->pickle.root, "segments");
    size_t count = 0;

    for (size_t i = 0; segments && i < segments->count && count <= reader->pickle.length; i++) {
        const struct pickle_list *blocks = pickle_get_list(&segments->items[i], "blocks");

        count += blocks ? blocks->count : 0;
    }
    return count <= reader->pickle.length ? count : reader->pickle.length;
}

static int
read_snapshot(struct reader *reader)
{
    memmodel_context *context = reader->pickle.context;
    int status = find_history(reader);

    if (!status)
        status = addresses_new(context, &reader->addresses, reader->history->count + count_blocks(reader));
    if (!status)
        status = find_early_releases(reader);
    if (!status)
        status = find_early_blocks(reader);
    if (status)
        return status;
    memset(reader->addresses.slots, 0, reader->addresses.slot_count * sizeof *reader->addresses.slots);
    status = write_early(reader);
    return status ? status : write_history(reader);
}

int
snapshot_parse(memmodel_context *context, const char *name, const char *bytes, size_t length, memmodel_trace **trace)
{
    struct reader reader = {.trace = NULL};
    int status = pickle_parse(&reader.pickle, context, name, bytes, length);

    if (status)
        return status;
    status = trace_new(context, &reader.trace);
    if (!status)
        status = read_snapshot(&reader);
    memory_release(context, reader.addresses.slots);
    memory_release(context, reader.early);
    pickle_release(&reader.pickle);
    return trace_hand_over(reader.trace, status, trace);
}
