/* memmodel advise-mesh: how to train a language model on so many GPUs. */
#include "llm.h"

#include "table.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_ROWS = 4096, SHOWN_ROWS = 20 };

/* Named as the fields of struct memmodel_mesh_options. */
struct mesh_options {
    const char *gpu, *optimizer;
    int64_t gpu_count, length, global_batch, max_tensor, max_pipeline, budget;
    bool all, json;
};

#define ROW(name, letter, kind, argument, help, field)                                                                 \
    {                                                                                                                  \
        name, letter, kind, argument, help, offsetof(struct mesh_options, field)                                       \
    }

static const struct option options[] = {
    ROW("gpus", 'n', OPTION_COUNT, "N", "how many there are", gpu_count),
    ROW("gpu", 0, OPTION_TEXT, "NAME", "their kind, such as h200; h100 unless given", gpu),
    ROW("length", 0, OPTION_COUNT, "N", "tokens of a sequence; 8192 unless given", length),
    ROW("global-batch", 0, OPTION_COUNT, "N", "sequences of a step, over all GPUs; one for each unless given",
        global_batch),
    ROW("optimizer", 'o', OPTION_TEXT, "NAME", "as of estimate; adamw(fused) unless given", optimizer),
    ROW("max-tensor", 0, OPTION_COUNT, "N", "GPUs that may share a layer; 8 unless given", max_tensor),
    ROW("max-pipeline", 0, OPTION_COUNT, "N", "stages that there may be; 16 unless given", max_pipeline),
    ROW("budget", 'b', OPTION_BYTES, "BYTES", "of each GPU, with its context; all of its memory unless given", budget),
    ROW("all", 'a', OPTION_FLAG, NULL, "all rows, not the first 20", all),
    ROW("json", 'j', OPTION_FLAG, NULL, "the rows as JSON", json),
    {0},
};

/* ---- output ---- */

static void
print_json(const struct memmodel_mesh_row *rows, size_t count)
{
    printf("[");
    for (size_t i = 0; i < count; i++)
        printf("%s{\"dp\": %" PRId64 ", \"tp\": %" PRId64 ", \"pp\": %" PRId64 ", \"batch\": %" PRId64
               ", \"passes\": %" PRId64 ", \"recomputed\": %s, \"peak\": %" PRId64 ", \"process\": %" PRId64
               ", \"traffic\": %" PRId64 ", \"verdict\": \"%s\"}",
               i ? ",\n " : "", rows[i].data, rows[i].tensor, rows[i].pipeline, rows[i].batch, rows[i].passes,
               rows[i].recomputed ? "true" : "false", rows[i].peak, rows[i].process, rows[i].traffic,
               memmodel_verdict_name(rows[i].verdict));
    printf("]\n");
}

static void
print_row(const struct memmodel_mesh_row *row)
{
    char peak[QUANTITY_BYTES], process[QUANTITY_BYTES], traffic[QUANTITY_BYTES];

    printf("%5" PRId64 "%3" PRId64 "%3" PRId64 "%6" PRId64 "%7" PRId64 "%10s%11s%11s%11s %s\n", row->data, row->tensor,
           row->pipeline, row->batch, row->passes, row->recomputed ? "all" : "no", format_bytes(row->peak, peak),
           row->process ? format_bytes(row->process, process) : "-", format_bytes(row->traffic, traffic),
           memmodel_verdict_name(row->verdict));
}

static void
print_text(const struct memmodel_mesh_row *rows, size_t count, bool all)
{
    size_t shown = all || count < SHOWN_ROWS ? count : SHOWN_ROWS;

    printf("   dp tp pp batch passes recompute  live peak    process  step sends\n");
    for (size_t i = 0; i < shown; i++)
        print_row(&rows[i]);
    if (shown < count)
        printf("... and %zu more: --all\n", count - shown);
}

/* ---- the command ---- */

static int
answer(const struct command *command, memmodel_context *context, const struct mesh_options *given,
       const memmodel_llm *llm, struct memmodel_mesh_row *rows)
{
    const struct memmodel_mesh_options asked = {.size = sizeof asked,
                                                .gpu = given->gpu,
                                                .optimizer = given->optimizer,
                                                .gpu_count = given->gpu_count,
                                                .length = given->length,
                                                .global_batch = given->global_batch,
                                                .max_tensor = given->max_tensor,
                                                .max_pipeline = given->max_pipeline,
                                                .budget = given->budget};
    size_t count;

    if (memmodel_estimate_meshes(llm, &asked, context, MAX_ROWS, rows, &count))
        return library_error(command, context);
    count = count < MAX_ROWS ? count : MAX_ROWS;
    if (given->json)
        print_json(rows, count);
    else
        print_text(rows, count, given->all);
    return rows[0].verdict == MEMMODEL_VERDICT_FITS ? EXIT_OK : EXIT_EXCEEDS;
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    const struct mesh_options *asked = given;
    struct memmodel_mesh_row *rows;
    memmodel_llm *llm;
    int status;

    if (asked->gpu_count == 0)
        return usage_error(command, "how many GPUs are there? write --gpus 64");
    status = llm_load_operand(command, context, operands, count, &llm);
    if (status)
        return status;
    rows = calloc(MAX_ROWS, sizeof *rows);
    status = rows ? answer(command, context, asked, llm, rows) : memory_error(command);
    free(rows);
    memmodel_llm_unref(llm);
    return status;
}

const struct command advise_mesh_command = {
    .name = "advise-mesh",
    .usage = "CONFIG --gpus N [--gpu NAME] [--length N] [--global-batch N]",
    .summary = "on so many GPUs: which data, tensor and pipeline parallelism, recomputation and batch fit",
    .description =
        "Reads the config.json of a dense decoder, as Hugging Face's hub has it, and lists meshes of N GPUs that train\n"
        "it, those that fit first, in the order of what each GPU sends in a step. Parameters are sharded over dp by\n"
        "FSDP2, computed in bfloat16, with dp=1 whole in float32 under autocast; layers are shared over tp, stages of a\n"
        "1F1B pipeline lie along pp. Of the rank with most live tensors it is said what its process takes of the GPU,\n"
        "which decides; \"-\" where live tensors alone are too many.",
    .examples = "  memmodel advise-mesh llama-3.3-70b/config.json --gpus 64 --gpu h100\n"
                "  memmodel advise-mesh llama-3.1-8b/config.json --gpus 8 --length 4096 --global-batch 64 --json\n",
    .exits = "  3    no mesh fits\n",
    .options = options,
    .options_bytes = sizeof(struct mesh_options),
    .work = work,
};
