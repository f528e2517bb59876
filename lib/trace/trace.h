/*
 * Memory events from the inside: written by a framework's rules or by an importer, read by allocators, plans and
 * reports.
 *
 * A block is one allocation, from its event to its release. What it is for is the block's, decided once: an activation
 * that is kept for the backward pass counts as saved from its allocation on.
 */
#ifndef TRACE_H
#define TRACE_H

#include "base/arena.h"
#include "base/context.h"
#include "memmodel/trace.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The categories that there are; arrays of them have MEMMODEL_MAX_CATEGORIES elements. */
enum { CATEGORIES = MEMMODEL_CATEGORY_RUNTIME + 1 };

_Static_assert(CATEGORIES <= MEMMODEL_MAX_CATEGORIES, "an array by category holds all of them");

struct trace_block {
    int64_t bytes;
    const char *what; /* static text or in the trace's arena */
    int32_t layer;    /* index of a name of the trace, -1: none */
    int32_t category;
    int32_t allocated; /* index of its event */
    int32_t released;  /* index of its event, -1: still live at the end */
    int32_t reusable;  /* index of the event from which on its memory may be used again, -1: from its release on */
    int64_t stream;    /* of the device that it was allocated for, 0: the default one */
    int64_t copies;    /* blocks besides it that it stands for; they live from the end of its repeat's period on */
    int32_t repeat;    /* index of the repeat in whose period it was allocated, -1: none */
    int32_t drained;   /* index of the event from which on its copies are gone, -1: they stay */
    int32_t line;      /* of the program that allocated it, index of a name; -1: not known */
};

/* Iterations of a loop that are recorded once: the period of events is run `times` times more before the next event. */
struct trace_repeat {
    int64_t times;
    int64_t growth; /* of live bytes with each */
    int32_t first, count;
};

struct trace_event {
    int64_t live; /* bytes live after it */
    int32_t block;
    int32_t layer; /* that was running, index of a name; -1: none */
    int16_t step;
    uint8_t phase;
    uint8_t release; /* 1: the block is released */
};

/* An operator without a rule, estimated by its outputs alone. */
struct unmodelled {
    const char *op; /* static, or of what lives longer: the network, the trace */
    int64_t bytes;  /* of the outputs of all that have that name, in one step */
};

struct memmodel_trace {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    struct trace_block *blocks;
    struct trace_event *events;
    const char **names; /* of layers or operators, lines of a program */
    size_t block_count, event_count, name_count;
    size_t block_capacity, event_capacity, name_capacity;
    struct trace_repeat *repeats; /* in the order of their events; repeat.h */
    size_t repeat_count, repeat_capacity;
    const char *engine;            /* of a recording: who watched, one of `names`; NULL: it was no recording */
    struct unmodelled *unmodelled; /* of a recording, in the arena */
    size_t unmodelled_count;
    int64_t live;
    int64_t peak;   /* most of `live`, where nothing else is kept */
    bool peak_only; /* blocks and events are counted, not kept: trace_lower() instead of trace_release() */
    /* what is going on, stamped on each event; line on each block */
    int32_t layer, line;
    int16_t step;
    uint8_t phase;
};

/* 0, or MEMMODEL_ERROR_INVALID_ARGUMENT with what it may be: category.c. */
int
category_check(memmodel_context *context, int category);

int
phase_check(memmodel_context *context, int phase);

int
trace_new(memmodel_context *context, struct memmodel_trace **trace);

/* What was read goes to the caller, or away after an error. Returns `status`. */
int
trace_hand_over(struct memmodel_trace *read, int status, struct memmodel_trace **trace);

/* Empties it, for all events; its arrays keep their memory. */
void
trace_clear(struct memmodel_trace *trace);

/* Adds a name (copied); its index, or a negative status. */
int32_t
trace_add_name(struct memmodel_trace *trace, const char *name);

/* Makes room for as many events at once, so that writing them moves nothing. */
int
trace_reserve(struct memmodel_trace *trace, size_t events);

/* The events that follow belong to this step, phase and (index of a name) layer. */
void
trace_enter(struct memmodel_trace *trace, int step, enum memmodel_phase phase, int32_t layer);

/*
 * What trace_allocate() may be given for a text that others own, such as a parameter's role: a copy that lives as long
 * as the trace, where it keeps blocks. NULL when there is no memory.
 */
const char *
trace_text(struct memmodel_trace *trace, const char *text);

/*
 * The new block, or a negative status: MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY. 0 bytes is an error of the
 * caller.
 */
int32_t
trace_allocate(struct memmodel_trace *trace, int64_t bytes, const char *what, int32_t layer,
               enum memmodel_category category);

int
trace_release(struct memmodel_trace *trace, int32_t block);

/* The release of a block of as many bytes from a trace of the peak only. */
void
trace_lower(struct memmodel_trace *trace, int64_t bytes);

/* memmodel_trace_load() of a text that is JSON; `name` is what errors call it. */
int
trace_parse(memmodel_context *context, const char *name, const char *text, size_t length, memmodel_trace **trace);

/* ---- summaries ---- */

/* Index of the first event with the most live bytes, in `step` or (step 0) in all steps; -1 if there is none. */
int32_t
trace_peak_event(const struct memmodel_trace *trace, int step);

/* Most live bytes of each of the steps 1 .. `count`, with what is live when it begins. */
void
trace_step_peaks(const struct memmodel_trace *trace, int count, int64_t *peaks);

/* How often `event` is run before the next one: 1, or more within a repeat. */
int64_t
trace_times(const struct memmodel_trace *trace, int32_t event);

/* Makes the live bytes of each category right before `event` those right after it, the first time. */
void
trace_follow(const struct memmodel_trace *trace, int32_t event, int64_t bytes[MEMMODEL_MAX_CATEGORIES]);

/* Live bytes right after `event` when it is run for the time `copy`, from 0; not 0 only within a repeat. */
int64_t
trace_live(const struct memmodel_trace *trace, int32_t event, int64_t copy);

/* How many of what `block` stands for are live then; 0: none. */
int64_t
trace_live_at(const struct memmodel_trace *trace, const struct trace_block *block, int32_t event, int64_t copy);

/* bytes[category]: live then. */
void
trace_categories_at(const struct memmodel_trace *trace, int32_t event, int64_t copy,
                    int64_t bytes[MEMMODEL_MAX_CATEGORIES]);

#endif
