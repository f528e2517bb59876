/* Networks by a name that Python knows what to make of. */
#ifndef CLI_FRONT_H
#define CLI_FRONT_H

#include "job.h"

enum { FRONT_SYMBOLS = 8 };

/* What Python made. */
struct front {
    char path[256];    /* of a network in JSON, to be removed */
    char symbols[512]; /* lines NAME=VALUE; what front_set_symbols() gives names of lies here */
};

bool
front_is_asked(const char *operand);

/* EXIT_OK, or EXIT_FAILED after a message; then there is no file. */
int
front_make(const struct command *command, const char *operand, const struct job_options *given, struct front *front);

/* Values of symbols that --set does not give; `symbols`, those of the job, has room for FRONT_SYMBOLS more. */
void
front_set_symbols(struct front *front, struct memmodel_symbol_value *symbols, struct memmodel_job *job);

#endif
