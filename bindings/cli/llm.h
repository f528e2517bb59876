/* What `memmodel generate` and `serve` share. */
#ifndef CLI_LLM_H
#define CLI_LLM_H

#include "command.h"

/* The language model in `operands` (a single path). EXIT_OK, or another exit code after a message. */
int
llm_load_operand(const struct command *command, memmodel_context *context, char **operands, int count,
                 memmodel_llm **llm);

/* "weights            14.96 GiB  WHAT"; WHAT may be "". */
void
print_bytes(const char *name, int64_t bytes, const char *what);

void
print_count(const char *name, int64_t count, const char *what);

#endif
