/* memmodel run: a command's memory over time, and its peak. */
#include "child.h"
#include "command.h"
#include "run_gpu.h"
#include "sample.h"
#include "timeline.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* As timeout(1) and env(1) have them, so that they can be distinguished from the command's own. */
enum { EXIT_LIMIT = 124, EXIT_TOOL_FAILED = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

enum { STATUS_BYTES = 32 };

struct run_options {
    double interval, seconds;
    int64_t limit;
    const char *output, *append, *target;
    struct option_list set;
    bool json, pss, no_cgroup;
    struct gpu_options gpu;
};

static const struct option run_options[] = {
    {"interval", 0, OPTION_NUMBER, "SECONDS", "time between readings (default 0.01)",
     offsetof(struct run_options, interval)},
    {"output", 'o', OPTION_TEXT, "FILE",
     "write memory over time: .html a page, .json for ui.perfetto.dev, else for mprof",
     offsetof(struct run_options, output)},
    {"append", 0, OPTION_TEXT, "SAMPLES.csv", "add a row to a table: what --set says, the peak, seconds, status",
     offsetof(struct run_options, append)},
    {"set", 's', OPTION_LIST, "NAME=VALUE", "an input of this run, such as batch=8, for --append; may be repeated",
     offsetof(struct run_options, set)},
    {"target", 0, OPTION_TEXT, "COLUMN", "the peak's column, for --append (default peak_bytes)",
     offsetof(struct run_options, target)},
    {"limit", 0, OPTION_BYTES, "BYTES", "kill the command and its descendants above this size",
     offsetof(struct run_options, limit)},
    {"pss", 0, OPTION_FLAG, NULL, "look at what processes share at every reading, however slow that is",
     offsetof(struct run_options, pss)},
    {"no-cgroup", 0, OPTION_FLAG, NULL, "do not make a control group for the command",
     offsetof(struct run_options, no_cgroup)},
    {"gpu", 0, OPTION_TEXT, "NAME[:COUNT]", "run it on simulated GPUs, such as h100 or a100:8, and measure those",
     offsetof(struct run_options, gpu.gpu)},
    {"capacity", 0, OPTION_BYTES, "BYTES", "of each simulated GPU (default that of its kind)",
     offsetof(struct run_options, gpu.capacity)},
    {"overcommit", 0, OPTION_FLAG, NULL, "let allocations beyond the capacity succeed, to see what would be needed",
     offsetof(struct run_options, gpu.overcommit)},
    {"stop-after", 0, OPTION_INTEGER, "STEPS", "end a PyTorch program after so many steps of its optimizer",
     offsetof(struct run_options, gpu.stop_after)},
    {"world-size", 0, OPTION_INTEGER, "RANKS",
     "run one of so many ranks of PyTorch; the others are taken to do the same",
     offsetof(struct run_options, gpu.world_size)},
    {"rank", 0, OPTION_INTEGER, "RANK", "which of them (default 0)", offsetof(struct run_options, gpu.rank)},
    {"seconds", 0, OPTION_NUMBER, "SECONDS", "end the command after that time, as if it had ended by itself",
     offsetof(struct run_options, seconds)},
    {"strict", 0, OPTION_FLAG, NULL, "stop where the program reads a value that no GPU computed",
     offsetof(struct run_options, gpu.strict)},
    {"beside-driver", 0, OPTION_FLAG, NULL, "simulate even where NVIDIA's driver is installed",
     offsetof(struct run_options, gpu.beside_driver)},
    {"json", 'j', OPTION_FLAG, NULL, "print the result as one line of JSON on stdout, after the command's own",
     offsetof(struct run_options, json)},
    {0},
};

/* ---- the readings ---- */

struct recorder {
    const struct run_options *options;
    struct sample sample;
    const memmodel_monitor *monitor;
    struct gpu_run gpu;
    struct timeline timeline;
    bool over_limit, ended; /* killed for --limit, ended for --seconds */
    double started;
    int64_t last; /* bytes of its last point */
};

/* A high-water mark between two readings is a point of its own, for `mprof peak` to find. */
static void
write_reading(struct recorder *recorder, const struct memmodel_monitor_reading *reading)
{
    struct timeline *timeline = &recorder->timeline;

    if (recorder->gpu.device) {
        timeline_file_add(timeline, reading->time, gpu_run_high(&recorder->gpu));
        return;
    }
    if (reading->charge_high > reading->charge && reading->charge_high > recorder->last)
        timeline_file_add(timeline, (reading->previous_time + reading->time) / 2, reading->charge_high);
    timeline_file_add(timeline, reading->time, reading->charge);
    recorder->last = reading->charge;
}

static int
observe(void *user, const struct memmodel_monitor_reading *reading)
{
    struct recorder *recorder = user;
    int64_t pids[CHILD_MEMBERS];
    size_t count = memmodel_monitor_processes(recorder->monitor, pids, CHILD_MEMBERS);

    child_note_members(pids, count);
    if (recorder->timeline.file)
        write_reading(recorder, reading);
    recorder->over_limit =
        recorder->over_limit || (recorder->options->limit > 0 && reading->charge_high > recorder->options->limit);
    if (recorder->started == 0)
        recorder->started = reading->time;
    if (!recorder->ended && recorder->options->seconds > 0 &&
        reading->time - recorder->started >= recorder->options->seconds) {
        recorder->ended = true;
        for (size_t i = 0; i < count && i < CHILD_MEMBERS; i++)
            kill((pid_t)pids[i], SIGTERM);
    }
    /* at each reading, for those who were being born at the last one */
    for (size_t i = 0; recorder->over_limit && i < count && i < CHILD_MEMBERS; i++)
        kill((pid_t)pids[i], SIGKILL);
    return 0;
}

/* ---- the result ---- */

/* The command's own; what was asked to end did not fail. */
static int
command_code(const struct recorder *recorder, const struct memmodel_monitor_result *summary)
{
    if (recorder->ended && summary->exit_signal == SIGTERM)
        return EXIT_OK;
    return summary->exit_signal ? EXIT_SIGNAL + summary->exit_signal : summary->exit_code;
}

static bool
gpu_is_full(const struct recorder *recorder, const struct memmodel_monitor_result *summary)
{
    return recorder->gpu.device && gpu_run_exceeds(&recorder->gpu, command_code(recorder, summary));
}

static int
exit_code(const struct recorder *recorder, const struct memmodel_monitor_result *summary)
{
    if (recorder->over_limit)
        return EXIT_LIMIT;
    return gpu_is_full(recorder, summary) ? EXIT_EXCEEDS : command_code(recorder, summary);
}

/*
 * Whether the command failed because the kernel killed it, or one of its processes, for want of memory: in a control group of
 * its own nobody else is counted, in another one its own end has to say so, too.
 */
static bool
ran_out_of_memory(const struct recorder *recorder, const struct memmodel_monitor_result *summary)
{
    return summary->out_of_memory > 0 && command_code(recorder, summary) != EXIT_OK &&
           (summary->own_cgroup || summary->exit_signal == SIGKILL);
}

/* In the table of samples: "ok", or how the command failed. */
static const char *
status_text(const struct recorder *recorder, const struct memmodel_monitor_result *summary, char text[STATUS_BYTES])
{
    if (recorder->over_limit)
        return "limit";
    if (gpu_is_full(recorder, summary))
        return "OOM";
    if (ran_out_of_memory(recorder, summary))
        return "OUT_OF_MEMORY";
    if (command_code(recorder, summary) == EXIT_OK)
        return "ok";
    snprintf(text, STATUS_BYTES, summary->exit_signal ? "signal %d" : "exit %d",
             (int)(summary->exit_signal ? summary->exit_signal : summary->exit_code));
    return text;
}

static void
print_number(const char *name, int64_t number, const char *end)
{
    printf("\"%s\": ", name);
    if (number < 0)
        printf("null%s", end);
    else
        printf("%lld%s", (long long)number, end);
}

static void
print_json(const struct recorder *recorder, const struct memmodel_monitor_result *summary)
{
    putchar('{');
    print_number("peak", summary->peak, ", ");
    print_number("peak_rss", summary->peak_rss, ", ");
    print_number("peak_sampled", summary->peak_sampled, ", ");
    print_number("peak_process", summary->peak_process, ", ");
    print_number("peak_pss", summary->peak_pss, ", ");
    print_number("peak_cgroup", summary->peak_cgroup, ", ");
    print_number("exit_code", exit_code(recorder, summary), ", ");
    print_number("exit_signal", summary->exit_signal ? summary->exit_signal : -1, ", ");
    printf("\"limit_exceeded\": %s, \"seconds\": %.4f, ", recorder->over_limit ? "true" : "false", summary->seconds);
    print_number("reading_count", summary->reading_count, ", ");
    print_number("process_count", summary->process_count, ", ");
    printf("\"own_cgroup\": %s, ", summary->own_cgroup ? "true" : "false");
    print_number("cgroup_limit", summary->cgroup_limit, ", ");
    print_number("out_of_memory", summary->out_of_memory, ", ");
    print_number("pss_readings", summary->pss_readings, ", ");
    printf("\"pss_seconds\": %.4f", summary->pss_seconds);
    if (recorder->gpu.device)
        gpu_run_print_json(&recorder->gpu, command_code(recorder, summary));
    puts("}");
}

/* What else was measured of several processes, which may share memory. */
static void
print_shares(const struct memmodel_monitor_result *summary)
{
    char text[QUANTITY_BYTES];

    fprintf(stderr, "; RSS of each added %s", format_bytes(summary->peak_rss, text));
    if (summary->peak_pss >= 0)
        fprintf(stderr, ", PSS %s", format_bytes(summary->peak_pss, text));
    if (summary->own_cgroup && summary->peak_cgroup >= 0)
        fprintf(stderr, ", cgroup %s", format_bytes(summary->peak_cgroup, text));
}

/* Of a command that the kernel killed, as it counts in the control group. */
static void
print_out_of_memory(const struct memmodel_monitor_result *summary)
{
    char limit[QUANTITY_BYTES];

    if (summary->exit_signal == SIGKILL)
        fputs("memmodel run: the command ran out of memory: the kernel killed it", stderr);
    else
        fprintf(stderr, "memmodel run: the command ran out of memory: the kernel killed %d of its processes",
                (int)summary->out_of_memory);
    if (summary->cgroup_limit >= 0)
        fprintf(stderr, "; its control group allows %s", format_bytes(summary->cgroup_limit, limit));
    fputc('\n', stderr);
}

static void
print_end(const struct recorder *recorder, const struct memmodel_monitor_result *summary)
{
    char limit[QUANTITY_BYTES];

    if (recorder->over_limit)
        fprintf(stderr, "memmodel run: killed: it went over the limit of %s\n",
                format_bytes(recorder->options->limit, limit));
    else if (ran_out_of_memory(recorder, summary))
        print_out_of_memory(summary);
    else if (summary->exit_signal == SIGKILL && summary->own_cgroup && summary->out_of_memory == 0)
        fputs("memmodel run: the command was killed (signal 9), and not by the kernel for want of memory\n", stderr);
    else if (summary->exit_signal == SIGKILL)
        fputs("memmodel run: the command was killed (signal 9), as the system does when memory runs out\n", stderr);
    else if (recorder->ended)
        fputs("memmodel run: the command was ended after --seconds\n", stderr);
    else if (summary->exit_signal)
        fprintf(stderr, "memmodel run: the command ended by signal %d\n", (int)summary->exit_signal);
}

static void
print_peak(const struct recorder *recorder, const struct memmodel_monitor_result *summary)
{
    char peak[QUANTITY_BYTES];

    fprintf(stderr, "memmodel run: peak %s (%lld bytes), %.2f s, %lld readings, %d process%s",
            format_bytes(summary->peak, peak), (long long)summary->peak, summary->seconds,
            (long long)summary->reading_count, (int)summary->process_count, summary->process_count == 1 ? "" : "es");
    if (summary->process_count > 1)
        print_shares(summary);
    fputc('\n', stderr);
    print_end(recorder, summary);
}

static int
report(const struct command *command, memmodel_context *context, const struct recorder *recorder)
{
    struct memmodel_monitor_result summary = {.size = sizeof summary};
    char status[STATUS_BYTES];
    int code;

    memmodel_monitor_get_result(recorder->monitor, &summary);
    if (recorder->over_limit)
        child_kill_all();
    print_peak(recorder, &summary);
    if (recorder->gpu.device)
        gpu_run_print(&recorder->gpu, command_code(recorder, &summary));
    if (recorder->options->json)
        print_json(recorder, &summary);
    code = exit_code(recorder, &summary);
    if (recorder->gpu.device)
        summary.peak = gpu_run_peak(&recorder->gpu);
    if (sample_append(command, context, &recorder->sample, &summary, status_text(recorder, &summary, status)))
        return code ? code : EXIT_TOOL_FAILED;
    return code;
}

/* ---- the command ---- */

static int
cannot_start(const char *name, int error)
{
    fprintf(stderr, "memmodel run: cannot run '%s': %s\n", name, strerror(error));
    if (error == ENOENT && !strchr(name, '/'))
        fputs("There is no program of that name in PATH.\n", stderr);
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int
tool_failed(const struct command *command, const memmodel_context *context, const struct child *child)
{
    library_error(command, context);
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
    return EXIT_TOOL_FAILED;
}

/* Watches a child that has not started yet, lets it start, and follows it to its end. */
static int
watch(const struct command *command, memmodel_context *context, struct recorder *recorder, struct child *child,
      char **arguments)
{
    struct memmodel_monitor_options options = {.size = sizeof options,
                                               .interval_seconds = recorder->options->interval,
                                               .is_child = 1,
                                               .pss = recorder->options->pss,
                                               .limit = recorder->options->limit,
                                               .cgroup = !recorder->options->no_cgroup,
                                               .orphans = 1};
    memmodel_monitor *monitor;
    int status;

    if (memmodel_monitor_new(context, child->pid, &options, &monitor))
        return tool_failed(command, context, child);
    recorder->monitor = monitor;
    status = child_release(child);
    if (status) {
        waitpid(child->pid, NULL, 0);
        status = cannot_start(arguments[0], status);
    } else if (memmodel_monitor_run(monitor, observe, recorder)) {
        status = tool_failed(command, context, child);
    } else {
        status = report(command, context, recorder);
    }
    memmodel_monitor_unref(monitor);
    return status;
}

static int
start(const struct command *command, memmodel_context *context, struct recorder *recorder, char **arguments)
{
    struct child child;
    int error;

    error = child_start(&child, arguments);
    if (!error)
        return watch(command, context, recorder, &child, arguments);
    fprintf(stderr, "memmodel run: cannot start a process: %s\n", strerror(error));
    return EXIT_TOOL_FAILED;
}

static int
begin_gpu(const struct command *command, memmodel_context *context, struct recorder *recorder, char **arguments)
{
    if (!recorder->options->gpu.gpu)
        return EXIT_OK;
    return gpu_run_begin(command, context, &recorder->options->gpu, arguments, &recorder->gpu);
}

static int
measure(const struct command *command, memmodel_context *context, struct recorder *recorder, char **arguments)
{
    int status;

    if (!timeline_file_open(&recorder->timeline, recorder->options->output, arguments))
        return EXIT_TOOL_FAILED;
    if (sample_check(command, context, &recorder->sample) || begin_gpu(command, context, recorder, arguments))
        status = EXIT_TOOL_FAILED;
    else
        status = start(command, context, recorder, arguments);
    gpu_run_end(&recorder->gpu);
    return timeline_file_close(&recorder->timeline) ? status : EXIT_TOOL_FAILED;
}

static int
check_options(const struct command *command, struct recorder *recorder, int operands)
{
    const struct run_options *given = recorder->options;

    if (operands == 0)
        return usage_error(command, "which command is to be measured?");
    if (given->seconds < 0)
        return usage_error(command, "--seconds: how long the command may run, above 0");
    if (given->interval < 0.001)
        return usage_error(command, "the interval must be 0.001 seconds or more");
    return sample_begin(command, given->append, &given->set, given->target, &recorder->sample);
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    struct recorder recorder = {.options = given};
    int status = check_options(command, &recorder, count);

    if (status == EXIT_OK)
        status = measure(command, context, &recorder, operands);
    sample_release(&recorder.sample);
    return status;
}

const struct command run_command = {
    .name = "run",
    .usage = "[OPTION...] [--] COMMAND [ARGUMENT...]",
    .summary = "run a command and measure the memory of it and its descendants",
    .description = "Runs a command, watches the resident memory of it and its descendants, and prints\n"
                   "the peak on stderr. The peak is the kernel's own high-water mark, so that a spike\n"
                   "between two readings is not missed. Signals are passed on, and the exit code is the\n"
                   "command's. With --append the peak becomes a row of a table for `memmodel fit`, besides\n"
                   "the seconds and a status: ok, exit N, signal N, limit, or OUT_OF_MEMORY if the kernel\n"
                   "killed it for that. Many runs may append to one table at the same time.",
    .examples = "  memmodel run -- python3 train.py --epochs 1\n"
                "  memmodel run -o curve.dat -- python3 train.py && mprof plot curve.dat\n"
                "  memmodel run --limit 14GiB --json -- python3 train.py\n"
                "  memmodel run --gpu h100 -- python3 train.py --batch-size 16\n"
                "  memmodel run --append runs.csv --set dim=64 --set batch=4 -- python3 train.py\n",
    .exits = "  else the command's own, 128+N if signal N ended it, or\n"
             "  3    with --gpu: the command does not fit in a GPU of that kind\n"
             "  124  the command was killed because it went over --limit\n"
             "  125  memmodel itself failed\n"
             "  126  the command could not be executed\n"
             "  127  there is no such command\n",
    .options = run_options,
    .stops_at_operand = true,
    .failure = EXIT_TOOL_FAILED,
    .options_bytes = sizeof(struct run_options),
    .defaults = &(const struct run_options){.interval = 0.01, .gpu.capacity = GPU_CAPACITY_OF_KIND},
    .work = work,
};
