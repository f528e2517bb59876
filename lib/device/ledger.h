/*
 * What simulated GPUs hold, in memory that all processes of a run share.
 *
 * The one who starts a run makes the ledger; the stand-ins of CUDA in the processes of the run charge to it what they
 * would have taken of the device. It has no name in the file system: it goes with the last process that has it, however
 * that ends. A process that was killed leaves its charges behind; ledger_reap() takes them off.
 *
 * The part of this room that the stand-ins are built from as well: no context, no memory but the ledger's own.
 */
#ifndef DEVICE_LEDGER_H
#define DEVICE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#define LEDGER_VARIABLE "MEMMODEL_CUDA_LEDGER" /* the ledger's path, for the processes of the run */

enum {
    LEDGER_DEVICES = 16,
    LEDGER_PROCESSES = 512,
    LEDGER_NOTES = 256,
    LEDGER_NOTE_BYTES = 240,
    LEDGER_NAME_BYTES = 64
};

/* A kind of GPU, as its programs see it. */
struct ledger_gpu {
    char name[LEDGER_NAME_BYTES];
    int32_t capability; /* compute capability, 10 * major + minor */
    int32_t processors; /* streaming multiprocessors */
    int32_t processor_threads, processor_blocks;
    int64_t processor_shared; /* shared memory of a multiprocessor. @unit bytes */
    int64_t block_shared;     /* the most that one block can ask for. @unit bytes */
    int64_t l2;               /* @unit bytes */
    int64_t memory;           /* that CUDA can use. @unit bytes */
    int64_t context_bytes;    /* that a process takes before it allocates. @unit bytes */
    int64_t module_bytes;     /* of kernels of libraries, loaded when they are first used. @unit bytes */
};

enum ledger_kind {
    LEDGER_CONTEXT,   /* context and modules */
    LEDGER_ALLOCATOR, /* what the framework's caching allocator holds */
    LEDGER_OTHER,     /* allocations by everyone else */
    LEDGER_KINDS
};

/* What one process has of one device. @unit bytes */
struct ledger_use {
    int64_t bytes[LEDGER_KINDS];
    int64_t at_peak[LEDGER_KINDS]; /* when the device held the most */
    int64_t peak;                  /* its own greatest sum */
    int64_t allocated;             /* most that the framework says its tensors took; -1 if it did not say */
};

struct ledger_process {
    int32_t pid; /* 0: the place is free */
    int32_t ended;
    char name[LEDGER_NAME_BYTES];
    struct ledger_use use[LEDGER_DEVICES];
};

struct ledger_device {
    int64_t capacity;        /* @unit bytes */
    int64_t used;            /* @unit bytes */
    int64_t high;            /* most since it was last asked for. @unit bytes */
    int64_t peak;            /* @unit bytes */
    int64_t wanted;          /* most that was asked for at once, with allocations that failed. @unit bytes */
    int64_t failures;        /* allocations that did not fit */
    struct ledger_use ended; /* of processes whose places others have taken: all together */
    int64_t ended_count;     /* how many of them used the device */
};

enum ledger_note_kind {
    LEDGER_UNANSWERED, /* a function that no stand-in has */
    LEDGER_MADE_UP,    /* a value that the device did not compute, and that the program read */
    LEDGER_ASSUMED,    /* a size that follows from such a value */
    LEDGER_PROFILE,    /* a size that is a rule or a constant of ours */
};

struct ledger_note {
    int32_t kind, pid;
    int64_t count;
    char text[LEDGER_NOTE_BYTES];
};

struct ledger;

/* A new ledger of `count` devices; NULL with errno. The descriptor's path for others is /proc/PID/fd/N. */
struct ledger *
ledger_new(const struct ledger_gpu *gpu, int count, int64_t capacity, bool overcommit, int *descriptor);

/* The ledger at that path; NULL with errno: EINVAL if it is none, or one of another version. */
struct ledger *
ledger_open(const char *path);

void
ledger_close(struct ledger *ledger);

int
ledger_device_count(const struct ledger *ledger);

const struct ledger_gpu *
ledger_gpu(const struct ledger *ledger);

/* Enters this process: its number in the ledger, or -1 if that is full of processes that run. */
int
ledger_enter(struct ledger *ledger, int pid, const char *name);

/* Takes off all that the process holds, and keeps its record. */
void
ledger_leave(struct ledger *ledger, int process);

/* Takes more of a device, or gives back (bytes < 0). False, and nothing is taken, if it does not fit or `process` < 0. */
bool
ledger_charge(struct ledger *ledger, int process, int device, enum ledger_kind kind, int64_t bytes);

/* What the framework says is the most that its tensors took. */
void
ledger_allocated(struct ledger *ledger, int process, int device, int64_t bytes);

int64_t
ledger_free_bytes(struct ledger *ledger, int device);

/* Counted if it is there; true if it is not. */
bool
ledger_note(struct ledger *ledger, enum ledger_note_kind kind, int pid, const char *text);

/* Processes that have ended without leaving leave now. */
void
ledger_reap(struct ledger *ledger);

/* Copies what is asked for; false beyond the last one. ledger_device() with `reset` begins `high` anew. */
bool
ledger_device(struct ledger *ledger, int number, bool reset, struct ledger_device *device);

bool
ledger_process(struct ledger *ledger, int number, struct ledger_process *process);

bool
ledger_note_at(struct ledger *ledger, int number, struct ledger_note *note);

/* Notes that found no room. */
int64_t
ledger_notes_lost(struct ledger *ledger);

#endif
