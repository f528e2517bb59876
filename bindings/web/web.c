/*
 * What the page calls: a file becomes a network, settings become a report. Each call returns an enum memmodel_status,
 * and leaves a text: its answer, or what was wrong.
 */
#include "gpu_rows.h"
#include "report/gpu_prices.h"
#include "report/quick_data.h"
#include <memmodel.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>

enum {
    MAX_SYMBOLS = 64,
    MAX_GPUS = 64,
    MAX_MESSAGE = MAX_GPUS * GPU_ROW_BYTES,
    MAX_NAME = 256,
    MAX_TARGETS = 512,
    SECONDS = 60
};

static memmodel_context *context;
static memmodel_network *network;
static memmodel_llm *llm; /* that the network was built from; NULL: it was none */
static const char BUILT_PLAINLY[] = "0 - - 0 0 0 -";
static char built_with[MAX_TARGETS]; /* adapters and quantization of the network that stands */
static memmodel_report *report;
static char *text;
static char message[MAX_MESSAGE], file[MAX_NAME]; /* file: that is read */
static char *prices;                              /* a table, which has been read once without an error */
static size_t prices_length;
static char prices_name[MAX_NAME];

/* ---- texts ---- */

static void
keep_text(char *made)
{
    memmodel_free(text);
    text = made;
    message[0] = '\0';
}

static int
refuse(int status, const char *why, const char *what)
{
    keep_text(NULL);
    snprintf(message, sizeof message, "%s%s", why, what);
    return status;
}

static int
said_by_library(int status)
{
    const struct memmodel_error *error = memmodel_context_error(context);
    const char *said = error->message[0] ? error->message : memmodel_status_message(status);

    keep_text(NULL);
    if (error->line)
        snprintf(message, sizeof message, "line %d, column %d: %s", error->line, error->column, said);
    else if (error->object[0] && strcmp(error->object, file) != 0)
        snprintf(message, sizeof message, "%s: %s", error->object, said);
    else
        snprintf(message, sizeof message, "%s", said);
    return status;
}

/* The text of the last call. */
EMSCRIPTEN_KEEPALIVE const char *
web_text(void)
{
    return text ? text : message;
}

/* ---- the network ---- */

static int
start(void)
{
    struct memmodel_limits limits = {.size = sizeof limits, .seconds = SECONDS};
    int status;

    if (context)
        return 0;
    status = memmodel_context_new(NULL, &context);
    return status ? status : memmodel_context_set_limits(context, &limits);
}

static int
read_config(const char *name, const char *bytes, size_t length, memmodel_llm **model, memmodel_network **made)
{
    int status = memmodel_llm_from_json(context, name, bytes, length, model);

    return status ? status : memmodel_llm_build(*model, NULL, context, made);
}

/* A network in JSON, or the config.json of a language model; the network's error is said where it is neither. */
static int
read_json(const char *name, const char *bytes, size_t length, memmodel_llm **model, memmodel_network **made)
{
    int status = memmodel_network_from_json(context, name, bytes, length, made);

    if (status != MEMMODEL_ERROR_PARSE)
        return status;
    status = read_config(name, bytes, length, model, made);
    return status == MEMMODEL_ERROR_PARSE ? memmodel_network_from_json(context, name, bytes, length, made) : status;
}

static bool
ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), of_ending = strlen(ending);

    return length >= of_ending && strcmp(name + length - of_ending, ending) == 0;
}

/* Reads a file that was dropped; the one before stays where this one is refused. */
EMSCRIPTEN_KEEPALIVE int
web_load(const char *name, const char *bytes, size_t length)
{
    memmodel_network *made = NULL;
    memmodel_llm *model = NULL;
    int status = start();

    if (status)
        return refuse(status, memmodel_status_message(status), "");
    snprintf(file, sizeof file, "%s", name);
    status = ends_with(name, ".onnx") ? memmodel_network_from_onnx(context, name, bytes, length, NULL, &made)
                                      : read_json(name, bytes, length, &model, &made);
    if (status) {
        memmodel_llm_unref(model);
        return said_by_library(status);
    }
    memmodel_network_unref(network);
    memmodel_llm_unref(llm);
    network = made;
    llm = model;
    snprintf(built_with, sizeof built_with, "%s", BUILT_PLAINLY);
    return refuse(0, "", "");
}

/* Name of a symbol of the network; NULL after the last. */
EMSCRIPTEN_KEEPALIVE const char *
web_symbol(size_t i)
{
    return memmodel_network_symbol_name(network, i);
}

/* ---- GPUs ---- */

/* What is asked of each GPU for its name: a network of one layer. */
static memmodel_network *
probe(void)
{
    memmodel_network *one = NULL;
    memmodel_tensor x;

    if (memmodel_network_new(context, &one))
        return NULL;
    x = memmodel_network_input(one, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){1, 1});
    memmodel_network_mark_output(one, memmodel_network_linear(one, x, MEMMODEL_LINEAR(.units = 1)));
    return one;
}

/* A line for each GPU that is known: its word in jobs, its memory, and its name; tabs between them. */
EMSCRIPTEN_KEEPALIVE int
web_gpus(void)
{
    struct memmodel_job job = {.size = sizeof job, .mode = MEMMODEL_MODE_INFERENCE};
    memmodel_network *one;
    size_t length = 0;

    refuse(0, "", "");
    if (start())
        return MEMMODEL_ERROR_NO_MEMORY;
    one = probe();
    for (size_t i = 0; i < memmodel_device_kind_count() && length < sizeof message; i++) {
        struct memmodel_gpu_estimate row = {.size = sizeof row};
        struct memmodel_device_properties properties = {.size = sizeof properties};

        if (memmodel_estimate_gpu(one, &job, NULL, i, context, &row) ||
            memmodel_device_get_properties(context, row.gpu, &properties))
            continue;
        length += (size_t)snprintf(message + length, sizeof message - length, "%s\t%" PRId64 "\t%s\n", row.gpu,
                                   row.memory, properties.name);
    }
    memmodel_network_unref(one);
    return 0;
}

/* A table of prices for the rows of GPUs; the one before stays where this one is refused. */
EMSCRIPTEN_KEEPALIVE int
web_prices(const char *name, const char *bytes, size_t length)
{
    double price = 0;
    char *kept;
    int status = start();

    if (status)
        return refuse(status, memmodel_status_message(status), "");
    snprintf(file, sizeof file, "%s", name);
    status = gpu_price_parse(context, name, bytes, length, NULL, &price);
    if (status)
        return said_by_library(status);
    kept = malloc(length + 1);
    if (!kept)
        return refuse(MEMMODEL_ERROR_NO_MEMORY, "there is not enough memory in this page for the file", "");
    memcpy(kept, bytes, length);
    free(prices);
    prices = kept;
    prices_length = length;
    snprintf(prices_name, sizeof prices_name, "%s", name);
    return refuse(0, "", "");
}

/* ---- settings: lines NAME=VALUE, named as the options of memmodel estimate ---- */

struct settings {
    struct memmodel_job job;
    struct memmodel_parallel parallel;
    struct memmodel_symbol_value symbols[MAX_SYMBOLS];
    struct memmodel_llm_build_options build;
};

static const struct {
    const char *name;
    size_t field;
} text_settings[] = {
    {"framework", offsetof(struct settings, job.framework)},
    {"device", offsetof(struct settings, job.device)},
    {"gpu", offsetof(struct settings, job.gpu)},
    {"optimizer", offsetof(struct settings, job.optimizer)},
    {"precision", offsetof(struct settings, job.precision)},
    {"checkpoint", offsetof(struct settings, job.checkpoint)},
    {"mesh", offsetof(struct settings, parallel.mesh)},
    {"data", offsetof(struct settings, parallel.data)},
    {"tensor", offsetof(struct settings, parallel.tensor)},
    {"lora-targets", offsetof(struct settings, build.lora_targets)},
    {"quantization", offsetof(struct settings, build.quantization)},
    {"compute-dtype", offsetof(struct settings, build.compute_dtype)},
};

/* A whole number of at most 64 bits, or of at most 32 where `is_small`. */
static int
read_whole(const char *name, const char *value, bool is_small, int64_t *number)
{
    char *end = NULL;
    long long read;

    errno = 0;
    read = strtoll(value, &end, 10);
    if (end == value || *end || errno || (is_small && (read > INT32_MAX || read < INT32_MIN)))
        return refuse(MEMMODEL_ERROR_INVALID_ARGUMENT, "a whole number is needed for ", name);
    *number = read;
    return 0;
}

static int
set_symbol(struct settings *settings, char *text_of)
{
    struct memmodel_job *job = &settings->job;
    char *equals = strchr(text_of, '=');
    int status;

    if (!equals || job->symbol_count == MAX_SYMBOLS)
        return refuse(MEMMODEL_ERROR_INVALID_ARGUMENT, "no NAME=VALUE: ", text_of);
    *equals = '\0';
    settings->symbols[job->symbol_count].name = text_of;
    status = read_whole(text_of, equals + 1, false, &settings->symbols[job->symbol_count].value);
    if (!status)
        job->symbol_count++;
    return status;
}

static const struct {
    const char *name;
    size_t field;
} whole_settings[] = {
    {"gradient-accumulation", offsetof(struct settings, job.gradient_accumulation)},
    {"lora", offsetof(struct settings, build.lora_rank)},
    {"double-quantization", offsetof(struct settings, build.double_quantization)},
    {"prepare-kbit", offsetof(struct settings, build.prepare_kbit)},
    {"no-gradient-checkpointing", offsetof(struct settings, build.without_gradient_checkpointing)},
};

/* Whether it is one of these, whose status goes to `status`. */
static bool
set_whole(struct settings *settings, const char *name, const char *value, int *status)
{
    for (size_t i = 0; i < sizeof whole_settings / sizeof whole_settings[0]; i++) {
        int64_t number = 0;

        if (strcmp(whole_settings[i].name, name) != 0)
            continue;
        *status = read_whole(name, value, true, &number);
        *(int32_t *)(void *)((char *)settings + whole_settings[i].field) = (int32_t)number;
        return true;
    }
    return false;
}

static int
set_number(struct settings *settings, const char *name, const char *value)
{
    struct memmodel_job *job = &settings->job;
    int status;

    if (strcmp(name, "budget") == 0)
        return memmodel_context_parse_bytes(context, value, &job->budget) ? said_by_library(MEMMODEL_ERROR_PARSE) : 0;
    if (strcmp(name, "rank") == 0)
        return read_whole(name, value, false, &settings->parallel.rank);
    if (set_whole(settings, name, value, &status))
        return status;
    if (strcmp(name, "mode") != 0)
        return refuse(MEMMODEL_ERROR_INVALID_ARGUMENT, "unknown setting ", name);
    job->mode = strcmp(value, memmodel_mode_name(MEMMODEL_MODE_INFERENCE)) == 0 ? MEMMODEL_MODE_INFERENCE
                                                                                : MEMMODEL_MODE_TRAINING;
    return 0;
}

/* Cuts the line where it stands. */
static int
set(struct settings *settings, char *line)
{
    char *value = strchr(line, '=');

    if (!value)
        return refuse(MEMMODEL_ERROR_INVALID_ARGUMENT, "no NAME=VALUE: ", line);
    *value++ = '\0';
    if (strcmp(line, "set") == 0)
        return set_symbol(settings, value);
    for (size_t i = 0; i < sizeof text_settings / sizeof text_settings[0]; i++) {
        if (strcmp(text_settings[i].name, line) != 0)
            continue;
        *(const char **)(void *)((char *)settings + text_settings[i].field) = value;
        return 0;
    }
    return set_number(settings, line, value);
}

static const char *
or_dash(const char *text_of)
{
    return text_of ? text_of : "-";
}

/* Builds the network anew where its adapters, or what its weights are packed as, are others than those asked for. */
static int
adapt(const struct memmodel_llm_build_options *build)
{
    char wanted[MAX_TARGETS];
    memmodel_network *made = NULL;
    int status, length = snprintf(wanted, sizeof wanted, "%" PRId32 " %s %s %" PRId32 " %" PRId32 " %" PRId32 " %s",
                                  build->lora_rank, or_dash(build->lora_targets), or_dash(build->quantization),
                                  build->double_quantization, build->prepare_kbit,
                                  build->without_gradient_checkpointing, or_dash(build->compute_dtype));

    if (strcmp(wanted, built_with) == 0 && (size_t)length < sizeof wanted) /* what was cut may differ */
        return 0;
    if (!llm)
        return refuse(MEMMODEL_ERROR_UNSUPPORTED, "LoRA and quantization are for a config.json of Hugging Face", "");
    status = memmodel_llm_build(llm, build, context, &made);
    if (status)
        return said_by_library(status);
    memmodel_network_unref(network);
    network = made;
    snprintf(built_with, sizeof built_with, "%s", wanted);
    return 0;
}

/* `lines` is cut into the texts of the settings. */
static int
read_settings(char *lines, struct settings *settings)
{
    struct memmodel_parallel *parallel = &settings->parallel;
    int status = 0;

    *settings = (struct settings){.job.size = sizeof settings->job,
                                  .parallel.size = sizeof settings->parallel,
                                  .build.size = sizeof settings->build};
    settings->job.symbols = settings->symbols;
    for (char *line = lines, *next; !status && line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        status = set(settings, line);
    }
    if (parallel->mesh || parallel->data || parallel->tensor || parallel->rank)
        settings->job.parallel = parallel;
    return status ? status : adapt(&settings->build);
}

/* ---- the report ---- */

/*
 * The report of the network for these settings, which the calls below ask; with the changes that would save memory where
 * `complete` is not 0. A slider that moves does without them, for each is an estimate of its own.
 */
EMSCRIPTEN_KEEPALIVE int
web_estimate(char *lines, int complete)
{
    struct settings settings;
    memmodel_report *made = NULL;
    int status = read_settings(lines, &settings);

    if (status)
        return status;
    status = (complete ? memmodel_estimate_what_if : memmodel_estimate)(network, &settings.job, context, &made);
    if (status)
        return said_by_library(status);
    memmodel_report_unref(report);
    report = made;
    return refuse(0, "", "");
}

typedef int (*report_writer)(const memmodel_report *report, memmodel_context *context, char **text);

static int
write_report(report_writer write)
{
    char *made = NULL;
    int status = write(report, context, &made);

    if (status)
        return said_by_library(status);
    keep_text(made);
    return 0;
}

/* What `memmodel estimate --json` prints. */
EMSCRIPTEN_KEEPALIVE int
web_json(void)
{
    return write_report(memmodel_report_to_json);
}

/* What `memmodel estimate --html` writes; the page that calls shows the data in it. */
EMSCRIPTEN_KEEPALIVE int
web_page(void)
{
    return write_report(memmodel_report_to_html);
}

/* The data alone, in less time. */
EMSCRIPTEN_KEEPALIVE int
web_quick_data(void)
{
    return write_report(report_to_quick_data);
}

/* Name of the verdict. */
EMSCRIPTEN_KEEPALIVE const char *
web_verdict(void)
{
    struct memmodel_report_result result = {.size = sizeof result};

    memmodel_report_get_result(report, &result);
    return memmodel_verdict_name(result.verdict);
}

/* Part of the budget that is taken, 1 for all; 0 without a budget. */
EMSCRIPTEN_KEEPALIVE double
web_share(void)
{
    struct memmodel_report_result result = {.size = sizeof result};

    memmodel_report_get_result(report, &result);
    return result.budget ? 1 - (double)result.headroom / (double)result.budget : 0;
}

/* ---- the job on every GPU: what `memmodel gpus` prints, a call for each so that a movement need not wait for all ---- */

static struct memmodel_gpu_estimate gpu_rows[MAX_GPUS];

/* How many calls of web_gpu_row() there are to make. */
EMSCRIPTEN_KEEPALIVE size_t
web_gpu_count(void)
{
    size_t count = memmodel_device_kind_count();

    return count < MAX_GPUS ? count : MAX_GPUS;
}

/* The row of GPU `i`, whatever GPU and budget the settings name. */
EMSCRIPTEN_KEEPALIVE int
web_gpu_row(char *lines, size_t i)
{
    struct memmodel_gpu_options asked = {.size = sizeof asked, .symbol = gpu_rows_symbol(network, NULL)};
    struct settings settings;
    int status = read_settings(lines, &settings);

    if (status)
        return status;
    settings.job.gpu = NULL;
    settings.job.budget = 0;
    gpu_rows[i] = (struct memmodel_gpu_estimate){.size = sizeof gpu_rows[i]};
    status = memmodel_estimate_gpu(network, &settings.job, &asked, i, context, &gpu_rows[i]);
    if (!status && prices)
        status = gpu_price_parse(context, prices_name, prices, prices_length, gpu_rows[i].gpu, &gpu_rows[i].price);
    return status ? said_by_library(status) : refuse(0, "", "");
}

/* All rows, each of which must have been computed: what `memmodel gpus --json` prints. */
EMSCRIPTEN_KEEPALIVE int
web_gpu_table(void)
{
    size_t count = web_gpu_count(), length = 0;
    char row[GPU_ROW_BYTES];

    refuse(0, "", "");
    gpu_rows_sort(gpu_rows, count);
    for (size_t i = 0; i < count && length < sizeof message; i++)
        length += (size_t)snprintf(message + length, sizeof message - length, "%s%s", i ? ",\n " : "[",
                                   gpu_rows_json(&gpu_rows[i], row));
    if (length < sizeof message)
        length += (size_t)snprintf(message + length, sizeof message - length, "]\n");
    return length < sizeof message ? 0 : refuse(MEMMODEL_ERROR_LIMIT, "the table of GPUs is too long", "");
}
