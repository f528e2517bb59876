#include "llm.h"

#include "table.h"

int
llm_load_operand(const struct command *command, memmodel_context *context, char **operands, int count,
                 memmodel_llm **llm)
{
    if (count != 1)
        return usage_error(command, "give one config.json, or the folder that it lies in");
    return memmodel_llm_load(context, operands[0], llm) ? library_error(command, context) : EXIT_OK;
}

static void
print_line(const char *name, const char *value, const char *what)
{
    printf("%-18s%12s%s%s\n", name, value, *what ? "  " : "", what);
}

void
print_bytes(const char *name, int64_t bytes, const char *what)
{
    char text[QUANTITY_BYTES];

    print_line(name, format_bytes(bytes, text), what);
}

void
print_count(const char *name, int64_t count, const char *what)
{
    char text[NUMBER_BYTES];

    print_line(name, format_count(count, text), what);
}
