/* What `memmodel fit`, `predict` and `export` share. */
#include "model.h"

int
model_load_operand(const struct command *command, memmodel_context *context, char **operands, int count,
                   memmodel_model **model)
{
    if (count == 0)
        return usage_error(command, "which model? Name a file that 'memmodel fit -o' wrote");
    if (count > 1)
        return usage_error(command, "one model at a time; '%s' is one too many", operands[1]);
    return memmodel_model_load(context, operands[0], model) ? library_error(command, context) : EXIT_OK;
}

struct memmodel_model_input
model_input(const memmodel_model *model, size_t index)
{
    struct memmodel_model_input input = {.size = sizeof input};

    memmodel_model_get_input(model, index, &input);
    return input;
}

void
model_print_domain(FILE *to, const memmodel_model *model)
{
    for (size_t i = 0; i < memmodel_model_input_count(model); i++) {
        struct memmodel_model_input input = model_input(model, i);

        fprintf(to, "%s%s %g to %g", i ? ", " : "", input.name, input.min, input.max);
    }
}
