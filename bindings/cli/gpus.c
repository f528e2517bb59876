/* memmodel gpus: a job on every GPU that is known, in one table. */
#include "gpu_rows.h"
#include "job.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

struct gpus_options {
    struct job_options job;
    const char *max, *prices;
    int64_t max_gpus;
    bool json;
};

static const struct option options[] = {
    JOB_OPTIONS(struct gpus_options),
    JOB_OPTION(struct gpus_options, "safety", OPTION_INTEGER, "PERCENT", "of a GPU's memory, that are to stay free",
               safety_percent),
    {"max", 0, OPTION_TEXT, "NAME", "the symbol whose largest value is found; batch, where there is one, unless given",
     offsetof(struct gpus_options, max)},
    {"prices", 0, OPTION_TEXT, "FILE", "lines such as h100,2.49: what an hour costs; the cheapest come first then",
     offsetof(struct gpus_options, prices)},
    {"max-gpus", 0, OPTION_COUNT, "N", "over how many it may be sharded by FSDP; 8 unless given",
     offsetof(struct gpus_options, max_gpus)},
    {"json", 'j', OPTION_FLAG, NULL, "the rows as JSON", offsetof(struct gpus_options, json)},
    {0},
};

enum { GPU_COLUMNS = 7 };

/* ---- text ---- */

static void
add_row(struct table *table, const struct memmodel_gpu_estimate *row)
{
    char memory[QUANTITY_BYTES], peak[QUANTITY_BYTES], max[NUMBER_BYTES] = "", count[NUMBER_BYTES] = "-", cost[40] = "";
    const char *cells[GPU_COLUMNS] = {row->gpu, memory, peak, memmodel_verdict_name(row->verdict), max, count, cost};

    format_bytes(row->memory, memory);
    format_bytes(row->peak, peak);
    if (row->max >= 0)
        format_count(row->max, max);
    if (row->gpu_count)
        format_count(row->gpu_count, count);
    if (row->price > 0 && row->gpu_count)
        snprintf(cost, sizeof cost, "%.2f", gpu_rows_cost(row));
    table_add(table, cells);
}

static int
print_text(const struct job_call *call, const struct memmodel_gpu_estimate *rows, size_t count, const char *symbol)
{
    char max[64];
    const char *const heads[GPU_COLUMNS] = {"<gpu", "memory", "takes", "<verdict", max, "GPUs", "an hour"};
    const struct gpus_options *given = call->options;
    struct table table;

    snprintf(max, sizeof max, "largest %.40s", symbol ? symbol : "-");
    table_start(&table, heads, given->prices ? GPU_COLUMNS : GPU_COLUMNS - 1);
    for (size_t i = 0; i < count; i++)
        add_row(&table, &rows[i]);
    if (!table_print(&table, stdout))
        return memory_error(call->command);
    printf("\nGPUs: on how many it fits, with this batch on each and its blocks sharded by\n"
           "FSDP2; -: on none of 2, 4, ...\n");
    return EXIT_OK;
}

static int
print_json(const struct memmodel_gpu_estimate *rows, size_t count)
{
    char text[GPU_ROW_BYTES];

    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? ",\n " : "[", gpu_rows_json(&rows[i], text));
    puts("]");
    return EXIT_OK;
}

/* ---- the answer ---- */

static int
fill_rows(const struct job_call *call, const struct memmodel_gpu_options *asked, struct memmodel_gpu_estimate *rows)
{
    for (size_t i = 0; i < memmodel_device_kind_count(); i++) {
        rows[i] = (struct memmodel_gpu_estimate){.size = sizeof *rows};
        if (memmodel_estimate_gpu(call->network, &call->job, asked, i, call->context, &rows[i]))
            return library_error(call->command, call->context);
    }
    return EXIT_OK;
}

/* 0 where one GPU will do, or several will. */
static int
exit_of(const struct memmodel_gpu_estimate *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].gpu_count || rows[i].verdict == MEMMODEL_VERDICT_UNCERTAIN)
            return EXIT_OK;
    return EXIT_EXCEEDS;
}

static int
answer(struct job_call *call)
{
    const struct gpus_options *given = call->options;
    size_t count = memmodel_device_kind_count();
    struct memmodel_gpu_options asked = {.size = sizeof asked, .prices = given->prices};
    struct memmodel_gpu_estimate *rows;
    int status;

    asked.symbol = gpu_rows_symbol(call->network, given->max);
    asked.max_gpus = (int32_t)given->max_gpus;
    if (asked.max_gpus != given->max_gpus)
        return usage_error(call->command, "--max-gpus takes a small number");
    if (call->job.gpu)
        return usage_error(call->command, "all GPUs are asked; --gpu is for memmodel estimate");
    rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return memory_error(call->command);
    status = fill_rows(call, &asked, rows);
    if (!status) {
        gpu_rows_sort(rows, count);
        status = given->json ? print_json(rows, count) : print_text(call, rows, count, asked.symbol);
    }
    if (!status)
        status = exit_of(rows, count);
    free(rows);
    return status;
}

const struct command gpus_command = {
    .name = "gpus",
    .usage = "NETWORK [--set NAME=VALUE ...] [--prices FILE]",
    .summary = "which GPUs a job fits on, what fits there, on how many, and what that costs",
    .description =
        "A row for each GPU that is known: what the job takes of it, whether it fits (or may not: uncertain), the\n"
        "largest batch that fits for sure, and how many are needed with FSDP2. Prices are those of a file; an\n"
        "example with its date is installed as share/memmodel/gpu_prices.csv.",
    .examples = "  memmodel gpus gpt2.json --set batch=8,length=1024 --optimizer AdamW\n"
                "  memmodel gpus gpt2.json -s batch=8 -s length=1024 --precision bf16 --prices ../gpu_prices.csv\n",
    .exits = "  3    the job fits on no GPU, nor on --max-gpus of one kind\n",
    .options = options,
    .options_bytes = sizeof(struct gpus_options),
    .work = job_work,
    .answer = answer,
    .job_options = offsetof(struct gpus_options, job),
};
