/* What `memmodel fit`, `predict` and `export` share. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "command.h"

/* The model in `operands` (a single path). EXIT_OK, or another exit code after a message. */
int
model_load_operand(const struct command *command, memmodel_context *context, char **operands, int count,
                   memmodel_model **model);

/* The formula in a language (enum memmodel_language); memmodel_free() it. EXIT_OK, or EXIT_FAILED after a message. */
int
model_formula(const struct command *command, memmodel_context *context, const memmodel_model *model, int language,
              char **formula);

/*
 * "dim 32 to 144, batch 1 to 64": the training data's range, by memmodel_model_input_name() or
 * memmodel_model_input_symbol()
 */
void
model_print_domain(FILE *to, const memmodel_model *model, const char *(*name)(const memmodel_model *, size_t));

#endif
