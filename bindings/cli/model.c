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

int
model_formula(const struct command *command, memmodel_context *context, const memmodel_model *model, int language,
              char **formula)
{
    return memmodel_model_formula(model, language, context, formula) ? library_error(command, context) : EXIT_OK;
}

void
model_print_domain(FILE *to, const memmodel_model *model, const char *(*name)(const memmodel_model *, size_t))
{
    for (size_t i = 0; i < memmodel_model_input_count(model); i++) {
        double least = 0, most = 0;

        memmodel_model_domain(model, i, &least, &most);
        fprintf(to, "%s%s %g to %g", i ? ", " : "", name(model, i), least, most);
    }
}
