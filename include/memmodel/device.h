/*
 * Simulated GPUs: a program that uses CUDA runs on a machine without one, and what it would take of device memory is
 * counted.
 *
 * The program is not changed, and neither is PyTorch: shared libraries of this project, loaded before NVIDIA's under the
 * same names, answer in their place. Device memory is addresses without memory behind them, of the capacity of the GPU
 * that was chosen; kernels return at once and compute nothing; what the host copies to the device can be read back. What
 * is allocated is entered in a ledger that all processes of the run share.
 *
 * Who runs programs makes the devices, adds the folders in which NVIDIA's libraries lie (those that the program would
 * load), and starts the program with the environment that memmodel_device_environment() gives. Nothing of NVIDIA's is
 * changed or copied: from each library the names that it exports are read, so that functions that this project does not
 * know are answered as well, with an error that says so.
 */
#ifndef MEMMODEL_DEVICE_H
#define MEMMODEL_DEVICE_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The simulated GPUs of one run. @since 0.1 */
typedef struct memmodel_device memmodel_device;

/**
 * Which devices. Zero means the default for every field but `gpu`.
 *
 * @since 0.1
 */
struct memmodel_device_options {
    size_t size;     /**< sizeof(struct memmodel_device_options) */
    const char *gpu; /**< kind of GPU, as in struct memmodel_job, such as "h100" */
    int32_t count;   /**< how many, 1 to 16. @default 1 */
    /** 1: allocations beyond the capacity succeed, and are counted; 0: they fail as on the GPU */
    int32_t overcommit;
    int64_t capacity; /**< of each. @unit bytes @default that of the GPU */
};

/** What one device holds. @since 0.1 */
struct memmodel_device_usage {
    size_t size;      /**< sizeof(struct memmodel_device_usage), set by the caller */
    int64_t capacity; /**< memory that it has. @unit bytes */
    int64_t used;     /**< now. @unit bytes */
    int64_t high;     /**< most since the previous call. @unit bytes */
    int64_t peak;     /**< most so far. @unit bytes */
    /** most that was asked for at one time, with allocations that failed; above `capacity` where one did. @unit bytes */
    int64_t wanted;
    int64_t failures;       /**< allocations that did not fit */
    int64_t peak_context;   /**< of the peak: contexts and kernels, by a profile of the GPU. @unit bytes */
    int64_t peak_allocator; /**< of the peak: held by the framework's caching allocator. @unit bytes */
    int64_t peak_other;     /**< of the peak: allocations by everyone else. @unit bytes */
    int64_t allocated;      /**< most that the framework's tensors took; -1 if it did not say. @unit bytes */
    int32_t process_count;  /**< processes that ever held some of it */
    int32_t reserved;       /**< 0 */
};

/** What a note is about. @since 0.1 */
enum memmodel_device_note_kind {
    MEMMODEL_DEVICE_NOTE_UNANSWERED = 0, /**< a function that is not simulated was called; it returned an error */
    MEMMODEL_DEVICE_NOTE_MADE_UP = 1,    /**< the program read a value that nothing computed */
    MEMMODEL_DEVICE_NOTE_ASSUMED = 2,    /**< a size follows from such a value */
    MEMMODEL_DEVICE_NOTE_PROFILE = 3,    /**< a size is a rule or a constant, where the library would have its own */
};

/** What to know of a run besides its bytes. @since 0.1 */
struct memmodel_device_note {
    size_t size;      /**< sizeof(struct memmodel_device_note), set by the caller */
    int32_t kind;     /**< enum memmodel_device_note_kind */
    int32_t reserved; /**< 0 */
    int64_t process;  /**< the first process that it happened in */
    int64_t count;    /**< how often */
    const char *text; /**< valid until the next call for this device. @transfer none */
};

/** What programs ask a kind of GPU about. @since 0.1 */
struct memmodel_device_properties {
    size_t size;                    /**< sizeof(struct memmodel_device_properties), set by the caller */
    const char *name;               /**< as its driver reports it, such as "NVIDIA H100 80GB HBM3". @transfer none */
    int64_t memory;                 /**< that programs can use. @unit bytes */
    int32_t capability;             /**< compute capability, 10 * major + minor */
    int32_t processors;             /**< streaming multiprocessors */
    int32_t processor_threads;      /**< at most at once on one of these */
    int32_t count;                  /**< how many of it were named, 1 to 16: 8 of "h100:8", 1 of "h100" */
    int64_t processor_shared_bytes; /**< shared memory of one of these. @unit bytes */
    int64_t block_shared_bytes;     /**< the most of it that one block can ask for. @unit bytes */
    int64_t l2_bytes;               /**< second cache. @unit bytes */
    const char *kind;               /**< as jobs have it, such as "h100". @transfer none */
};

/**
 * How many kinds of GPUs have a profile.
 *
 * @returns kinds
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_device_kind_count(void);

/**
 * Properties of a kind of GPU, of which no device need be made; and how many of it are meant, where people write that.
 *
 * @param[in]  context     errors of this call
 * @param[in]  gpu         kind of GPU, as in struct memmodel_job, such as "h100", alone or with a number, "h100:8"
 * @param[out] properties  filled; its `size` is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED for a GPU without a profile (the names there
 *          are in the context's error), MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_device_get_properties(memmodel_context *context, const char *gpu,
                               struct memmodel_device_properties *properties);

/**
 * Make devices. Nothing runs on them yet.
 *
 * @param[in]  context  context, which the devices keep
 * @param[in]  options  which
 * @param[out] device   the devices; untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED for a GPU without a profile (the names there
 *          are in the context's error) and on other systems than Linux, MEMMODEL_ERROR_IO,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_device_new(memmodel_context *context, const struct memmodel_device_options *options, memmodel_device **device);

/**
 * Make stand-ins for the libraries of NVIDIA's in a folder, such as site-packages/nvidia/cu13/lib. A library whose name
 * already has one is left out.
 *
 * @param[in]  device     devices
 * @param[in]  directory  a folder; one that is not there has no libraries
 * @param[out] count      how many stand-ins were made. @nullable
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND where this project's own libraries for it are not installed,
 *          MEMMODEL_ERROR_UNSUPPORTED on machines other than x86-64, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_device_add_libraries(memmodel_device *device, const char *directory, int32_t *count);

/**
 * The environment in which a program finds the devices: lines "NAME=VALUE", to be added to the caller's own. LD_PRELOAD
 * and PYTHONPATH hold what the caller's own hold, after what is new.
 *
 * @param[in]  device       devices
 * @param[out] environment  the lines; memmodel_free() it. Untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND where this project's own libraries for it are not installed,
 *          MEMMODEL_ERROR_UNSUPPORTED on machines other than x86-64, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_device_environment(memmodel_device *device, char **environment);

/**
 * What one of the devices holds. Processes that ended without giving back their memory have done so now.
 *
 * @param[in]  device  devices
 * @param[in]  index   which, from 0 on
 * @param[out] usage   filled; its `size` is set by the caller
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND beyond the last one, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_device_get_usage(memmodel_device *device, int32_t index, struct memmodel_device_usage *usage);

/**
 * A note, in the order in which they were first made. At most 256 are kept, and the last one then says how many are not.
 *
 * @param[in]  device  devices
 * @param[in]  index   which, from 0 on
 * @param[out] note    filled; its `size` is set by the caller
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND beyond the last one, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_device_get_note(memmodel_device *device, int32_t index, struct memmodel_device_note *note);

/** The name of the GPU, such as "NVIDIA H100 80GB HBM3". @param[in] device  devices @returns the name, owned by the
 *  devices. @transfer none @threads any @since 0.1 */
MEMMODEL_API const char *
memmodel_device_name(const memmodel_device *device);

/** Take one more reference. @param[in] device  not NULL @returns `device` @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_device *
memmodel_device_ref(memmodel_device *device);

/** Drop one reference; with the last one go the stand-ins, so no program is to run on them any more.
 *  @param[in] device  may be NULL @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_device_unref(memmodel_device *device);

#ifdef __cplusplus
}
#endif

#endif
