/* Completion in shells. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "command.h"

/* What a shell has to read: "bash", "zsh" or "fish". EXIT_OK, or EXIT_USAGE after a message. */
int
print_completion(const struct command *const *commands, const char *shell);

/* Names that may follow the command's option, with blanks between them; NULL where it may be anything. */
const char *
completion_values(const struct command *command, const struct option *option);

#endif
