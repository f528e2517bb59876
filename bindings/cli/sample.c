/* The row that `memmodel run --append` adds to a table of samples. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

static const char *const measured_columns[SAMPLE_MEASURES] = {
    [SAMPLE_PEAK] = "peak_bytes",     [SAMPLE_RSS] = "rss_bytes",   [SAMPLE_PSS] = "pss_bytes",
    [SAMPLE_CGROUP] = "cgroup_bytes", [SAMPLE_SECONDS] = "seconds", [SAMPLE_STATUS] = "status",
};

/* ---- what the row has ---- */

static int
add_input(const struct command *command, struct sample *sample, const char *text)
{
    char *equals = strchr(text, '=');

    if (!equals || equals == text || equals[1] == '\0')
        return usage_error(command, "'--set %s' is not NAME=VALUE, such as batch=8", text);
    *equals = '\0';
    sample->columns[sample->count] = text;
    sample->values[sample->count++] = equals + 1;
    return EXIT_OK;
}

int
sample_begin(const struct command *command, const char *path, const struct option_list *set, const char *peak,
             struct sample *sample)
{
    *sample = (struct sample){.path = path};
    if (!path && (set->count || peak))
        return usage_error(command, "--set and --target belong to a row: add --append SAMPLES.csv");
    if (!path)
        return EXIT_OK;
    sample->columns = calloc(set->count + SAMPLE_MEASURES, sizeof *sample->columns);
    sample->values = calloc(set->count + SAMPLE_MEASURES, sizeof *sample->values);
    if (!sample->columns || !sample->values) {
        fprintf(stderr, "memmodel %s: out of memory\n", command->name);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < set->count; i++) {
        int status = add_input(command, sample, set->values[i]);

        if (status)
            return status;
    }
    sample->inputs = sample->count;
    for (int i = 0; i < SAMPLE_MEASURES; i++) {
        sample->measures[i] = (enum sample_measure)i;
        sample->columns[sample->count++] = i == SAMPLE_PEAK && peak ? peak : measured_columns[i];
    }
    return EXIT_OK;
}

/* ---- whether the table takes it ---- */

/* Leaves out the column that the table was found to lack, if it is one of the shares. */
static bool
leave_out(struct sample *sample, const char *column)
{
    for (size_t i = 0; i < sample->count - sample->inputs; i++) {
        size_t at = sample->inputs + i, after = sample->count - at - 1;
        enum sample_measure measure = sample->measures[i];

        if (measure < SAMPLE_RSS || measure > SAMPLE_CGROUP || strcmp(column, sample->columns[at]) != 0)
            continue;
        memmove(&sample->columns[at], &sample->columns[at + 1], after * sizeof *sample->columns);
        memmove(&sample->measures[i], &sample->measures[i + 1], after * sizeof *sample->measures);
        sample->count--;
        return true;
    }
    return false;
}

int
sample_check(const struct command *command, memmodel_context *context, struct sample *sample)
{
    const struct memmodel_error *error = memmodel_context_error(context);
    int status;

    if (!sample->path)
        return EXIT_OK;
    do
        status = memmodel_samples_append_to_file(context, sample->path, sample->columns, NULL, sample->count);
    while (status == MEMMODEL_ERROR_NOT_FOUND && leave_out(sample, error->object));
    if (!status)
        return EXIT_OK;
    library_error(command, context);
    if (status != MEMMODEL_ERROR_IO)
        return EXIT_FAILED;
    fprintf(stderr, "memmodel %s: the command is run all the same, and the row tried again at its end\n",
            command->name);
    return EXIT_OK;
}

/* ---- the row ---- */

enum { NUMBER_BYTES = 32 };

static const char *
write_number(char text[NUMBER_BYTES], int64_t number)
{
    snprintf(text, NUMBER_BYTES, "%lld", (long long)number);
    return number < 0 ? "" : text;
}

/* A field of CSV (RFC 4180): in quotes where it has to be. */
static void
print_field(const char *field, const char *end)
{
    if (!strpbrk(field, ",\"")) {
        fprintf(stderr, "%s%s", field, end);
        return;
    }
    fputc('"', stderr);
    for (; *field; field++) {
        if (*field == '"')
            fputc('"', stderr);
        fputc(*field, stderr);
    }
    fprintf(stderr, "\"%s", end);
}

static void
print_row(const char *const *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_field(fields[i], i + 1 < count ? "," : "\n");
}

static int
append_values(const struct command *command, memmodel_context *context, const struct sample *sample)
{
    if (!memmodel_samples_append_to_file(context, sample->path, sample->columns, sample->values, sample->count))
        return EXIT_OK;
    library_error(command, context);
    fprintf(stderr, "memmodel %s: the row was not kept; it is\n", command->name);
    print_row(sample->columns, sample->count);
    print_row(sample->values, sample->count);
    return EXIT_FAILED;
}

int
sample_append(const struct command *command, memmodel_context *context, const struct sample *sample,
              const struct memmodel_monitor_result *summary, const char *status)
{
    char peak[NUMBER_BYTES], rss[NUMBER_BYTES], pss[NUMBER_BYTES], cgroup[NUMBER_BYTES], seconds[NUMBER_BYTES];
    const char *const measured[SAMPLE_MEASURES] = {
        [SAMPLE_PEAK] = write_number(peak, summary->peak),
        [SAMPLE_RSS] = write_number(rss, summary->peak_rss),
        [SAMPLE_PSS] = write_number(pss, summary->peak_pss),
        [SAMPLE_CGROUP] = write_number(cgroup, summary->own_cgroup ? summary->peak_cgroup : -1),
        [SAMPLE_SECONDS] = seconds,
        [SAMPLE_STATUS] = status,
    };

    if (!sample->path)
        return EXIT_OK;
    snprintf(seconds, sizeof seconds, "%.4f", summary->seconds);
    for (size_t i = 0; i < sample->count - sample->inputs; i++)
        sample->values[sample->inputs + i] = measured[sample->measures[i]];
    return append_values(command, context, sample);
}

void
sample_release(struct sample *sample)
{
    free(sample->columns);
    free(sample->values);
}
