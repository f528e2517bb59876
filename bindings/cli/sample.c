/* The row that `memmodel run --append` adds to a table of samples. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

enum { PEAK, SECONDS, STATUS, MEASURED };

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
    const char *const measured[] = {[PEAK] = peak ? peak : "peak_bytes", [SECONDS] = "seconds", [STATUS] = "status"};

    *sample = (struct sample){.path = path};
    if (!path && (set->count || peak))
        return usage_error(command, "--set and --column belong to a row: add --append SAMPLES.csv");
    if (!path)
        return EXIT_OK;
    sample->columns = calloc(set->count + MEASURED, sizeof *sample->columns);
    sample->values = calloc(set->count + MEASURED, sizeof *sample->values);
    if (!sample->columns || !sample->values) {
        fprintf(stderr, "memmodel %s: out of memory\n", command->name);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < set->count; i++) {
        int status = add_input(command, sample, set->values[i]);

        if (status)
            return status;
    }
    memcpy(&sample->columns[sample->count], measured, sizeof measured);
    sample->count += MEASURED;
    return EXIT_OK;
}

int
sample_check(const struct command *command, memmodel_context *context, const struct sample *sample)
{
    if (sample->path && memmodel_samples_append(context, sample->path, sample->columns, NULL, sample->count))
        return library_error(command, context);
    return EXIT_OK;
}

int
sample_append(const struct command *command, memmodel_context *context, const struct sample *sample,
              const struct memmodel_monitor_summary *summary, const char *status)
{
    char peak[32] = "", seconds[32];
    const char **measured = sample->path ? &sample->values[sample->count - MEASURED] : NULL;

    if (!measured)
        return EXIT_OK;
    if (summary->peak >= 0)
        snprintf(peak, sizeof peak, "%lld", (long long)summary->peak);
    snprintf(seconds, sizeof seconds, "%.4f", summary->seconds);
    measured[PEAK] = peak;
    measured[SECONDS] = seconds;
    measured[STATUS] = status;
    if (memmodel_samples_append(context, sample->path, sample->columns, sample->values, sample->count))
        return library_error(command, context);
    return EXIT_OK;
}

void
sample_release(struct sample *sample)
{
    free(sample->columns);
    free(sample->values);
}
