/* `memmodel run --gpu`: devices, their report. Where the libraries of the command are is in program.c. */
#include "run_gpu.h"

#include "json.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- before the command ---- */

static void
set_number(const char *name, int64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)number);
    setenv(name, text, 1);
}

/* As torchrun says it to a process, which here is the only one on its machine. */
static void
set_rank(const struct gpu_options *options)
{
    set_number("WORLD_SIZE", options->world_size);
    set_number("MEMMODEL_CUDA_WORLD_SIZE", options->world_size);
    set_number("RANK", options->rank);
    set_number("LOCAL_RANK", 0);
    set_number("LOCAL_WORLD_SIZE", 1);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    set_number("MASTER_PORT", 29500);
}

static int
set_environment(const struct command *command, memmodel_context *context, const struct gpu_options *options,
                memmodel_device *device)
{
    char *environment;

    if (memmodel_device_environment(device, &environment))
        return library_error(command, context);
    for (char *line = strtok(environment, "\n"); line; line = strtok(NULL, "\n")) {
        char *equals = strchr(line, '=');

        *equals = 0;
        setenv(line, equals + 1, 1);
    }
    memmodel_free(environment);
    if (options->stop_after > 0)
        set_number("MEMMODEL_CUDA_STOP_AFTER", options->stop_after);
    if (options->strict)
        setenv("MEMMODEL_CUDA_STRICT", "1", 1);
    if (options->world_size > 0)
        set_rank(options);
    return EXIT_OK;
}

static int
refuse(const char *message)
{
    fprintf(stderr, "memmodel run: %s\n", message);
    return EXIT_FAILED;
}

/* Stand-ins that were made for the command's libraries. */
struct added {
    memmodel_device *device;
    int32_t count;
};

static int
add_folder(void *user, const char *folder)
{
    struct added *added = user;
    int32_t made = 0;
    int status = memmodel_device_add_libraries(added->device, folder, &made);

    added->count += made;
    return status;
}

static int
add_libraries(const struct command *command, memmodel_context *context, memmodel_device *device, char **arguments)
{
    struct added added = {.device = device};
    struct program program = {0};
    int status = program_look(&program, arguments, add_folder, &added);

    if (status)
        return library_error(command, context);
    if (program.is_static)
        return refuse(
            "--gpu: the program is linked statically, so nothing can be put in the place of its CUDA libraries");
    if (program.torch == TORCH_CPU)
        return refuse("--gpu: this Python has a CPU build of PyTorch; the CUDA build runs here too, without a GPU: "
                      "`pip install --force-reinstall torch` from PyPI gives it on Linux");
    if (added.count == 0)
        return refuse("--gpu: no CUDA libraries were found for this command; those of a Python's packages, of "
                      "LD_LIBRARY_PATH, CONDA_PREFIX and /usr/local/cuda/lib64 would have been");
    return EXIT_OK;
}

int
gpu_run_begin(const struct command *command, memmodel_context *context, const struct gpu_options *options,
              char **arguments, struct gpu_run *run)
{
    struct memmodel_device_options wanted = {.size = sizeof wanted, .overcommit = options->overcommit};
    struct memmodel_device_properties asked = {.size = sizeof asked};
    int status;

    if (memmodel_device_get_properties(context, options->gpu, &asked))
        return library_error(command, context);
    if (options->world_size < 0 || options->rank < 0 ||
        options->rank >= (options->world_size ? options->world_size : 1))
        return usage_error(command, "--rank: 0 or above, and below --world-size");
    if (options->capacity == 0)
        return usage_error(command, "--capacity: a GPU without memory runs nothing");
    wanted.capacity = options->capacity == GPU_CAPACITY_OF_KIND ? 0 : options->capacity;
    if (access("/dev/nvidiactl", F_OK) == 0 && !options->beside_driver)
        return refuse("--gpu: this machine has a driver of NVIDIA's: measure there, or say --beside-driver");
    wanted.gpu = asked.kind;
    wanted.count = run->count = asked.count;
    if (memmodel_device_new(context, &wanted, &run->device))
        return library_error(command, context);
    status = add_libraries(command, context, run->device, arguments);
    return status == EXIT_OK ? set_environment(command, context, options, run->device) : status;
}

/* ---- what the ledger says ---- */

static struct memmodel_device_usage
usage_of(const struct gpu_run *run, int32_t number)
{
    struct memmodel_device_usage usage = {.size = sizeof usage};

    memmodel_device_get_usage(run->device, number, &usage);
    return usage;
}

int64_t
gpu_run_high(const struct gpu_run *run)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < run->count; i++)
        sum += usage_of(run, i).high;
    return sum;
}

int64_t
gpu_run_peak(const struct gpu_run *run)
{
    int64_t peak = 0;

    for (int32_t i = 0; i < run->count; i++) {
        int64_t here = usage_of(run, i).peak;

        peak = here > peak ? here : peak;
    }
    return peak;
}

/* A command that went on after a failed allocation, as PyTorch does when it gives back its cache, did fit. */
static bool
exceeds(const struct memmodel_device_usage *usage, int exit_code)
{
    return usage->peak > usage->capacity || (usage->failures > 0 && exit_code != EXIT_OK);
}

bool
gpu_run_exceeds(const struct gpu_run *run, int exit_code)
{
    for (int32_t i = 0; i < run->count; i++) {
        struct memmodel_device_usage usage = usage_of(run, i);

        if (exceeds(&usage, exit_code))
            return true;
    }
    return false;
}

static void
print_part(const char *name, int64_t bytes, const char *before)
{
    char text[QUANTITY_BYTES];

    if (bytes > 0)
        fprintf(stderr, "%s%s %s", before, name, format_bytes(bytes, text));
}

/* What the framework said of its tensors is their most at any time, which may be another than the peak's. */
static void
print_parts(const struct memmodel_device_usage *usage)
{
    int64_t cached = usage->peak_allocator - usage->allocated;

    if (usage->allocated >= 0 && cached >= 0) {
        print_part("allocated", usage->allocated, " (");
        print_part("cached", cached, ", ");
    } else {
        print_part("caching allocator", usage->peak_allocator, " (");
    }
    print_part("context", usage->peak_context, usage->peak_allocator > 0 ? ", " : " (");
    print_part("outside the allocator", usage->peak_other, ", ");
    fputc(')', stderr);
}

static void
print_device(const struct gpu_run *run, int32_t number, int exit_code)
{
    struct memmodel_device_usage usage = usage_of(run, number);
    char peak[QUANTITY_BYTES], capacity[QUANTITY_BYTES], wanted[QUANTITY_BYTES];

    fprintf(stderr, "memmodel run: gpu %d (%s): ", (int)number, memmodel_device_name(run->device));
    if (usage.peak == 0) {
        fputs("not used\n", stderr);
        return;
    }
    fprintf(stderr, "peak %s of %s", format_bytes(usage.peak, peak), format_bytes(usage.capacity, capacity));
    print_parts(&usage);
    if (exceeds(&usage, exit_code))
        fprintf(stderr, ": does not fit, %s would have been needed at least\n", format_bytes(usage.wanted, wanted));
    else
        fputs(": fits\n", stderr);
}

static const char *const note_words[] = {
    [MEMMODEL_DEVICE_NOTE_UNANSWERED] = "not simulated",
    [MEMMODEL_DEVICE_NOTE_MADE_UP] = "made up",
    [MEMMODEL_DEVICE_NOTE_ASSUMED] = "assumed",
    [MEMMODEL_DEVICE_NOTE_PROFILE] = "by a rule",
};

static bool
note_of(const struct gpu_run *run, int32_t number, struct memmodel_device_note *note)
{
    *note = (struct memmodel_device_note){.size = sizeof *note};
    return memmodel_device_get_note(run->device, number, note) == 0;
}

static void
print_note(const struct memmodel_device_note *note)
{
    fprintf(stderr, "memmodel run: %s: %s", note_words[note->kind], note->text);
    if (note->count > 1)
        fprintf(stderr, " (%lld times)", (long long)note->count);
    fputc('\n', stderr);
}

static void
print_device_notes(const struct gpu_run *run)
{
    enum { SHOWN = 12 };
    struct memmodel_device_note note;
    int32_t count = 0;

    for (; note_of(run, count, &note); count++)
        if (count < SHOWN)
            print_note(&note);
    if (count > SHOWN)
        fprintf(stderr, "memmodel run: and %d more such notes; --json has all\n", (int)(count - SHOWN));
}

void
gpu_run_print(const struct gpu_run *run, int exit_code)
{
    for (int32_t i = 0; i < run->count; i++)
        print_device(run, i, exit_code);
    print_device_notes(run);
}

static void
print_device_json(const struct gpu_run *run, int32_t number, int exit_code)
{
    struct memmodel_device_usage usage = usage_of(run, number);

    printf("%s{\"name\": ", number ? ", " : "");
    print_json_text(memmodel_device_name(run->device));
    printf(", \"capacity\": %lld, \"peak\": %lld, \"wanted\": %lld, \"failures\": %lld, \"context\": %lld, "
           "\"allocator\": %lld, \"outside_allocator\": %lld, ",
           (long long)usage.capacity, (long long)usage.peak, (long long)usage.wanted, (long long)usage.failures,
           (long long)usage.peak_context, (long long)usage.peak_allocator, (long long)usage.peak_other);
    if (usage.allocated >= 0)
        printf("\"allocated\": %lld, ", (long long)usage.allocated);
    else
        printf("\"allocated\": null, ");
    printf("\"process_count\": %d, \"fits\": %s}", (int)usage.process_count,
           exceeds(&usage, exit_code) ? "false" : "true");
}

void
gpu_run_print_json(const struct gpu_run *run, int exit_code)
{
    static const char *const kinds[] = {"unanswered", "made_up", "assumed", "profile"};
    struct memmodel_device_note note;

    printf(", \"gpus\": [");
    for (int32_t i = 0; i < run->count; i++)
        print_device_json(run, i, exit_code);
    printf("], \"notes\": [");
    for (int32_t i = 0; note_of(run, i, &note); i++) {
        printf("%s{\"kind\": \"%s\", \"count\": %lld, \"text\": ", i ? ", " : "", kinds[note.kind],
               (long long)note.count);
        print_json_text(note.text);
        putchar('}');
    }
    putchar(']');
}

void
gpu_run_end(struct gpu_run *run)
{
    memmodel_device_unref(run->device);
    run->device = NULL;
}
