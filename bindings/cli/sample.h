/* The row that `memmodel run --append` adds to a table of samples: inputs as given, then what was measured. */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include "command.h"

struct sample {
    const char *path;               /* NULL: no row is wanted */
    const char **columns, **values; /* `count` of them; the last ones are measured */
    size_t count;
};

/*
 * `set`: texts NAME=VALUE, which are cut in two where they stand. `peak`: name of the column with the peak's bytes, NULL
 * for its usual one. EXIT_OK, or another exit code after a message. sample_release() it either way.
 */
int
sample_begin(const struct command *command, const char *path, const struct option_list *set, const char *peak,
             struct sample *sample);

/* Makes the file or checks that the row can be added to it. EXIT_OK, or EXIT_FAILED after a message. */
int
sample_check(const struct command *command, memmodel_context *context, const struct sample *sample);

/* Adds the row. `status`: "ok", or how the command failed. EXIT_OK, or EXIT_FAILED after a message. */
int
sample_append(const struct command *command, memmodel_context *context, const struct sample *sample,
              const struct memmodel_monitor_summary *summary, const char *status);

void
sample_release(struct sample *sample);

#endif
