/* What the tool's calls of the library may use: options that every command has. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "command.h"

/* Ended by a row without a name; their fields are those of limits_given(). */
extern const struct option limit_options[];

/* Where their arguments go. */
struct memmodel_limits *
limits_given(void);

/* Seconds that a call of the tool may take; infinity for no limit. */
double
limits_seconds(void);

/* A context with the limits that were given. EXIT_OK, or EXIT_FAILED after a message. */
int
limits_new_context(const struct command *command, memmodel_context **context);

/* Prints a message of the library, which ends in how the tool raises a limit that was reached. */
void
limits_print_message(FILE *to, const struct memmodel_error *error);

#endif
