/* The row that `memmodel run --append` adds to a table of samples: inputs as given, then what was measured. */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include "command.h"

/* What is measured, in the order of the columns. A table without those of the shares is a table all the same. */
enum sample_measure {
    SAMPLE_PEAK,
    SAMPLE_RSS,
    SAMPLE_PSS,
    SAMPLE_CGROUP,
    SAMPLE_SECONDS,
    SAMPLE_STATUS,
    SAMPLE_MEASURES,
};

struct sample {
    const char *path;               /* NULL: no row is wanted */
    const char **columns, **values; /* `count` of them; those from `inputs` on are measured */
    size_t count, inputs;
    enum sample_measure measures[SAMPLE_MEASURES]; /* of these columns */
};

/*
 * `set`: texts NAME=VALUE, which are cut in two where they stand. `peak`: name of the column with the peak's bytes, NULL
 * for its usual one. EXIT_OK, or another exit code after a message. sample_release() it either way.
 */
int
sample_begin(const struct command *command, const char *path, const struct option_list *set, const char *peak,
             struct sample *sample);

/*
 * Makes the file or checks that the row can be added to it; leaves out shares that it has no column for. A file that
 * cannot be written to now is no failure: after a message the run goes on, and at its end the row is printed where it
 * cannot be added. EXIT_OK, or EXIT_FAILED after a message.
 */
int
sample_check(const struct command *command, memmodel_context *context, struct sample *sample);

/* Adds the row. `status`: "ok", or how the command failed. EXIT_OK, or EXIT_FAILED after a message with the row. */
int
sample_append(const struct command *command, memmodel_context *context, const struct sample *sample,
              const struct memmodel_monitor_result *summary, const char *status);

void
sample_release(struct sample *sample);

#endif
