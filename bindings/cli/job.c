/* What the commands about a network share. */
#include "job.h"
#include "front.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- options ---- */

/* Cuts "batch=8" in two where it stands in argv. */
static int
parse_symbol(const struct command *command, const char *text, struct memmodel_symbol_value *symbol)
{
    char *equals = strchr(text, '='), *end;

    if (!equals || equals == text || equals[1] == '\0')
        return usage_error(command, "'--set %s' is not NAME=VALUE, such as batch=8", text);
    errno = 0;
    symbol->value = strtoll(equals + 1, &end, 10);
    if (*end != '\0' || end == equals + 1)
        return usage_error(command, "'%s' is no whole number (in --set %s)", equals + 1, text);
    if (errno)
        return usage_error(command, "'%s' does not fit in 63 bits (in --set %s)", equals + 1, text);
    *equals = '\0';
    symbol->name = text;
    return EXIT_OK;
}

/* Number of a name by the library's own function of names, from `first` on; `first` without a name. -1 of none. */
static int32_t
find_name(const char *name, const char *(*name_of)(int), int32_t first)
{
    int32_t number = first;

    while (name && name_of(number) && strcmp(name_of(number), name) != 0)
        number++;
    return name && !name_of(number) ? -1 : number;
}

static int
find_metric(const struct command *command, const char *name, int32_t *metric)
{
    int32_t found = find_name(name, memmodel_metric_name, MEMMODEL_METRIC_LIVE);

    if (found < 0)
        return usage_error(command, "--metric is live, reserved or process, not '%s'", name);
    *metric = name ? found : MEMMODEL_METRIC_DEFAULT;
    return EXIT_OK;
}

static int
find_mode(const struct command *command, const char *name, int32_t *mode)
{
    *mode = find_name(name, memmodel_mode_name, MEMMODEL_MODE_TRAINING);
    return *mode >= 0 ? EXIT_OK : usage_error(command, "--mode is training, inference or forward, not '%s'", name);
}

/* What does not fit in 32 bits is refused. */
static int
narrow(const struct command *command, const char *name, int64_t number, int32_t *field)
{
    *field = (int32_t)number;
    return *field == number ? EXIT_OK : usage_error(command, "--%s takes a small number", name);
}

static int
set_numbers(const struct command *command, const struct job_options *given, struct memmodel_job *job)
{
    int status = narrow(command, "steps", given->steps, &job->steps);

    if (!status)
        status = narrow(command, "intra-op-threads", given->intra_op_threads, &job->intra_op_threads);
    if (!status)
        status = narrow(command, "safety", given->safety_percent, &job->safety_percent);
    if (!status)
        status = narrow(command, "gradient-accumulation", given->gradient_accumulation, &job->gradient_accumulation);
    return status;
}

/* `symbols` has room for given->set.count values. */
static int
job_from_options(const struct command *command, const struct job_options *given, struct memmodel_symbol_value *symbols,
                 struct memmodel_job *job)
{
    int status = EXIT_OK;

    *job = (struct memmodel_job){
        .size = sizeof *job,
        .framework = given->framework,
        .textbook_rule = given->textbook_rule,
        .device = given->device,
        .optimizer = given->optimizer,
        .isa = given->isa,
        .symbols = symbols,
        .symbol_count = given->set.count,
        .budget = given->budget,
        .base_bytes = given->base_bytes,
        .precision = given->precision,
        .checkpoint = given->checkpoint,
        .gpu = given->gpu,
        .allocator_settings = given->allocator_settings,
        .cublas_workspace = given->cublas_workspace,
        .graph_optimization = given->graph_optimization,
        .framework_version = given->framework_version,
        .keep_gradients = given->keep_gradients,
    };
    for (size_t i = 0; !status && i < given->set.count; i++)
        status = parse_symbol(command, given->set.values[i], &symbols[i]);
    if (!status)
        status = set_numbers(command, given, job);
    if (!status)
        status = find_metric(command, given->metric, &job->metric);
    return status ? status : find_mode(command, given->mode, &job->mode);
}

/* What the library takes for the budget of a job on a GPU, for commands that name it. An unknown GPU is its error later. */
static void
set_gpu_budget(memmodel_context *context, struct memmodel_job *job)
{
    struct memmodel_device_properties properties = {.size = sizeof properties};

    if (!job->gpu || job->budget || (job->metric && job->metric != MEMMODEL_METRIC_PROCESS))
        return;
    if (!memmodel_device_get_properties(context, job->gpu, &properties))
        job->budget = properties.memory;
}

static void
set_parallel(const struct job_options *given, struct memmodel_parallel *parallel, struct memmodel_job *job)
{
    if (!given->mesh && !given->data && !given->tensor && !given->pipeline && !given->context && !given->experts &&
        !given->meta_device && !given->backend && given->rank == 0)
        return;
    *parallel = (struct memmodel_parallel){
        .size = sizeof *parallel,
        .mesh = given->mesh,
        .data = given->data,
        .tensor = given->tensor,
        .pipeline = given->pipeline,
        .context = given->context,
        .experts = given->experts,
        .meta_device = given->meta_device,
        .backend = given->backend,
        .rank = given->rank,
    };
    job->parallel = parallel;
}

const char *
job_given(const struct job_options *given)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"framework", given->framework},
        {"textbook-rule", given->textbook_rule},
        {"device", given->device},
        {"optimizer", given->optimizer},
        {"isa", given->isa},
        {"precision", given->precision},
        {"checkpoint", given->checkpoint},
        {"gpu", given->gpu},
        {"allocator-settings", given->allocator_settings},
        {"cublas-workspace", given->cublas_workspace},
        {"graph-optimization", given->graph_optimization},
        {"framework-version", given->framework_version},
        {"mesh", given->mesh},
        {"data", given->data},
        {"tensor", given->tensor},
        {"pipeline", given->pipeline},
        {"context", given->context},
        {"experts", given->experts},
        {"meta-device", given->meta_device},
        {"backend", given->backend},
        {"rank", given->rank != 0},
        {"metric", given->metric},
        {"mode", given->mode},
        {"intra-op-threads", given->intra_op_threads != 0},
        {"steps", given->steps != 0},
        {"base-bytes", given->base_bytes != 0},
        {"gradient-accumulation", given->gradient_accumulation != 0},
        {"keep-gradients", given->keep_gradients},
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

const char *
job_metric_name(const struct memmodel_job *job)
{
    return memmodel_metric_name(job->metric ? job->metric : memmodel_metric_default(job->framework));
}

/* ---- the network ---- */

bool
path_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), of_ending = strlen(ending);

    return length >= of_ending && strcmp(path + length - of_ending, ending) == 0;
}

/* The config.json of a language model, which is built. */
static int
load_config(memmodel_context *context, const char *path, const struct memmodel_llm_build_options *how,
            memmodel_network **network)
{
    memmodel_llm *llm = NULL;
    int status = memmodel_llm_load(context, path, &llm);

    if (!status)
        status = memmodel_llm_build(llm, how, context, network);
    memmodel_llm_unref(llm);
    return status;
}

static bool
is_of_configurations(const struct memmodel_llm_build_options *how)
{
    return how->lora_rank || how->lora_targets || how->quantization || how->double_quantization || how->compute_dtype ||
           how->prepare_kbit || how->without_gradient_checkpointing;
}

/* A file in JSON: a network, or a configuration. Adapters and packed weights are for configurations alone. */
static int
load_json(memmodel_context *context, const char *path, const struct memmodel_llm_build_options *how,
          memmodel_network **network)
{
    bool is_configuration = is_of_configurations(how);
    int status = is_configuration ? MEMMODEL_ERROR_PARSE : memmodel_network_load(context, path, network);

    if (status != MEMMODEL_ERROR_PARSE)
        return status;
    status = load_config(context, path, how, network);
    if (status == MEMMODEL_ERROR_PARSE && !is_configuration)
        return memmodel_network_load(context, path, network); /* neither: the network's error is said */
    return status;
}

static bool
is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* A file, or the folder of a checkpoint with its config.json. */
static int
load_file(memmodel_context *context, const char *path, const struct memmodel_llm_build_options *how,
          memmodel_network **network)
{
    char config[4096];

    if (path_ends_with(path, ".onnx"))
        return memmodel_network_load_onnx(context, path, NULL, network);
    if (is_folder(path) && snprintf(config, sizeof config, "%s/config.json", path) < (int)sizeof config)
        return load_json(context, config, how, network);
    return load_json(context, path, how, network);
}

static int
load_by_name(struct job_call *call, const char *name, const struct job_options *given, struct front *front,
             memmodel_network **network)
{
    int status = front_make(call->command, name, given, front);

    if (status)
        return status;
    if (memmodel_network_load(call->context, front->path, network))
        status = library_error(call->command, call->context);
    unlink(front->path);
    front_set_symbols(front, call->symbols, &call->job);
    return status;
}

/* Of a file. */
static int
load_operand(struct job_call *call, const char *path, const struct job_options *given, memmodel_network **network)
{
    const struct memmodel_llm_build_options how = {.size = sizeof how,
                                                   .lora_rank = (int32_t)given->lora,
                                                   .lora_targets = given->lora_targets,
                                                   .quantization = given->quantization,
                                                   .double_quantization = given->double_quantization,
                                                   .prepare_kbit = given->prepare_kbit,
                                                   .without_gradient_checkpointing = given->no_gradient_checkpointing,
                                                   .compute_dtype = given->compute_dtype};

    if (given->input.count || given->loss)
        return usage_error(call->command, "--input and --loss are for train.py:Net and hf:ORG/MODEL");
    if (how.lora_rank != given->lora)
        return usage_error(call->command, "--lora takes a small number");
    if (path_ends_with(path, ".onnx") && is_of_configurations(&how))
        return usage_error(call->command,
                           "--lora and --quantization are for a model's config.json or folder, and hf:ORG/MODEL");
    return load_file(call->context, path, &how, network) ? library_error(call->command, call->context) : EXIT_OK;
}

static int
load_network(struct job_call *call, const struct job_options *given, char **operands, int count, struct front *front,
             memmodel_network **network)
{
    if (count == 0)
        return usage_error(call->command,
                           "which network? Give a file in JSON or ONNX, a model's config.json or folder, "
                           "hf:ORG/MODEL, train.py:Net or model.keras");
    if (count > 1)
        return usage_error(call->command, "one network at a time; '%s' is too many", operands[1]);
    if (front_is_asked(operands[0]))
        return load_by_name(call, operands[0], given, front, network);
    return load_operand(call, operands[0], given, network);
}

int
job_run(struct job_call *call, const struct job_options *given, char **operands, int count, job_answer answer)
{
    memmodel_network *network = NULL;
    struct front front;
    int status;

    call->symbols = calloc(given->set.count + FRONT_SYMBOLS + 1, sizeof *call->symbols);
    if (!call->symbols)
        return memory_error(call->command);
    status = job_from_options(call->command, given, call->symbols, &call->job);
    set_parallel(given, &call->parallel, &call->job);
    set_gpu_budget(call->context, &call->job);
    if (!status)
        status = load_network(call, given, operands, count, &front, &network);
    call->network = network;
    if (!status)
        status = answer(call);
    memmodel_network_unref(network);
    free(call->symbols);
    return status;
}

int
job_work(const struct command *command, memmodel_context *context, void *options, char **operands, int count)
{
    struct job_call call = {.command = command, .context = context, .options = options};
    const void *given = (const char *)options + command->job_options;

    return job_run(&call, given, operands, count, command->answer);
}

/* ---- what is not known ---- */

static void
print_unmodelled(const memmodel_report *report)
{
    for (size_t i = 0; i < memmodel_report_unmodelled_count(report); i++) {
        struct memmodel_report_unmodelled unmodelled = {.size = sizeof unmodelled};
        char quantity[QUANTITY_BYTES];

        memmodel_report_get_unmodelled(report, i, &unmodelled);
        printf("%s  %s: estimated by its outputs alone, %s\n", i ? "" : "\nunmodelled\n", unmodelled.op,
               format_bytes(unmodelled.bytes, quantity));
    }
}

void
job_print_doubts(const memmodel_report *report)
{
    struct memmodel_report_result result = {.size = sizeof result};

    print_unmodelled(report);
    memmodel_report_get_result(report, &result);
    if (result.warning[0])
        printf("\nwarning: %s\n", result.warning);
    if (!result.validated)
        printf("\nnot validated: these bytes have not been compared with measured ones on such a device\n");
}

/* ---- the per-layer table ---- */

enum { LAYER_COLUMNS = 7, MAX_COLUMNS = 100 };

typedef const char *(*format)(int64_t number, char text[NUMBER_BYTES]);

static void
add_layer(struct table *table, const struct memmodel_report_layer *layer, format format_number)
{
    char parameters[NUMBER_BYTES], activations[NUMBER_BYTES], multiply_adds[NUMBER_BYTES];
    char bytes[QUANTITY_BYTES];
    const char *cells[LAYER_COLUMNS] = {
        layer->name,
        layer->op,
        layer->shape,
        format_number(layer->parameter_count, parameters),
        format_number(layer->activation_count, activations),
        format_number(layer->multiply_adds, multiply_adds),
        format_bytes(layer->peak_bytes, bytes),
    };

    table_add(table, cells);
}

static void
fill_table(struct table *table, const memmodel_report *report, bool exact)
{
    const char *const heads[LAYER_COLUMNS] = {
        "<layer",      "<operator",
        "<output",     exact ? "parameters" : "params",
        "activations", exact ? "multiply-adds" : "mult-adds",
        "at the peak",
    };
    format format_number = exact ? format_count : format_short;
    struct memmodel_report_layer layer = {.size = sizeof layer};

    table_start(table, heads, memmodel_report_trace(report) ? LAYER_COLUMNS : LAYER_COLUMNS - 1);
    table->max = MAX_COLUMNS;
    for (size_t i = 0; memmodel_report_get_layer(report, i, &layer) == 0; i++)
        add_layer(table, &layer, format_number);
    memmodel_report_get_total(report, &layer);
    add_layer(table, &layer, format_number);
}

/* Where there is no room for exact numbers they are rounded before names lose letters: the JSON has them. */
int
job_print_layers(const struct command *command, const memmodel_report *report)
{
    struct table table;

    fill_table(&table, report, true);
    if (!table_fits(&table)) {
        table_clear(&table);
        fill_table(&table, report, false);
    }
    if (table_print(&table, stdout))
        return EXIT_OK;
    return memory_error(command);
}
