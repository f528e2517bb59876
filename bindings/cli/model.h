/* What `memmodel fit`, `predict` and `export` share. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "command.h"

/* The model in `operands` (a single path). EXIT_OK, or another exit code after a message. */
int
model_load_operand(const struct command *command, memmodel_context *context, char **operands, int count,
                   memmodel_model **model);

/* What the model knows of an input, by its index. */
struct memmodel_model_input
model_input(const memmodel_model *model, size_t index);

/* "dim 32 to 144, batch 1 to 64": the training data's range. */
void
model_print_domain(FILE *to, const memmodel_model *model);

#endif
