/* Completion in shells. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "command.h"

/* What a shell has to read: "bash", "zsh" or "fish". EXIT_OK, or EXIT_USAGE after a message. */
int
print_completion(const struct command *const *commands, const char *shell);

#endif
