/* An allocator asked by hand. */
#ifndef TEST_MACHINE_H
#define TEST_MACHINE_H

#include "check.h"

#include "allocators/allocator.h"

struct machine {
    const struct allocator *allocator;
    void *self;
};

static inline struct machine
machine_start(memmodel_context *context, const struct allocator *allocator, const char *settings, int64_t capacity)
{
    struct allocator_options options = {.settings = settings, .capacity = capacity};
    struct machine machine = {.allocator = allocator};

    assert_int_equal(allocator->open(context, &options, &machine.self), 0);
    return machine;
}

static inline void
machine_stop(struct machine *machine)
{
    machine->allocator->close(machine->self);
}

/* NULL if the system has no memory left. */
static inline void *
machine_try(struct machine *machine, int64_t bytes, int64_t stream)
{
    void *block;

    assert_int_equal(machine->allocator->allocate(machine->self, bytes, stream, 0, &block), 0);
    return block;
}

static inline void *
machine_allocate(struct machine *machine, int64_t bytes)
{
    void *block = machine_try(machine, bytes, 0);

    assert_non_null(block);
    return block;
}

static inline void
machine_release(struct machine *machine, void *block)
{
    assert_int_equal(machine->allocator->release(machine->self, block, false), 0);
}

static inline struct allocator_counters
machine_counters(const struct machine *machine)
{
    return *machine->allocator->counters(machine->self);
}

#endif
