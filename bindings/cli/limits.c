/* The limits of the tool: those of the library, but for a minute of time. */
#include "limits.h"

#include <string.h>

#define USUAL_SECONDS 60.0

static struct memmodel_limits given = {.size = sizeof given};

#define FIELD(name) offsetof(struct memmodel_limits, name)

const struct option limit_options[] = {
    {"max-memory", 0, OPTION_SIZE, "BYTES", "memory that the answer may take; 1GiB unless given", FIELD(memory_bytes)},
    {"max-seconds", 0, OPTION_NUMBER, "S", "time that it may take, whatever work that is; 60 unless given",
     FIELD(seconds)},
    {"max-input", 0, OPTION_SIZE, "BYTES", "size of a file that is read; 256MiB unless given", FIELD(input_bytes)},
    {"max-nodes", 0, OPTION_INTEGER, "N",
     "work that the answer may take, the same on every machine; 10000000000 unless given", FIELD(nodes)},
    {"max-layers", 0, OPTION_INTEGER, "N", "layers of a network; 1000000 unless given", FIELD(layers)},
    {.name = NULL},
};

struct memmodel_limits *
limits_given(void)
{
    return &given;
}

double
limits_seconds(void)
{
    return given.seconds == 0 ? USUAL_SECONDS : given.seconds;
}

int
limits_new_context(const struct command *command, memmodel_context **context)
{
    struct memmodel_limits limits = given;

    if (memmodel_context_new(NULL, context))
        return memory_error(command);
    if (limits.seconds > 0 && limits.nodes == 0)
        limits.nodes = INT64_MAX; /* who says how long it may take means that */
    limits.seconds = limits_seconds();
    if (!memmodel_context_set_limits(*context, &limits))
        return EXIT_OK;
    library_error(command, *context);
    memmodel_context_unref(*context);
    return EXIT_FAILED;
}

/* What the library calls a limit, in its message or as the error's object, and the option that raises it. */
static const struct {
    const char *field, *option;
} raised_by[] = {
    {"memory_bytes", "max-memory"}, {"input_bytes", "max-input"}, {"seconds", "max-seconds"},
    {"nodes", "max-nodes"},         {"layers", "max-layers"},
};

static const char *
option_that_raises(const struct memmodel_error *error)
{
    for (size_t i = 0; error->status == MEMMODEL_ERROR_LIMIT && i < sizeof raised_by / sizeof raised_by[0]; i++)
        if (strstr(error->message, raised_by[i].field) || strcmp(error->object, raised_by[i].field) == 0)
            return raised_by[i].option;
    return NULL;
}

void
limits_print_message(FILE *to, const struct memmodel_error *error)
{
    const char *message = error->message[0] ? error->message : memmodel_status_message(error->status);
    const char *option = option_that_raises(error), *how = strstr(message, "memmodel_context_set_limits()");

    if (option && how)
        fprintf(to, "%.*s--%s%s\n", (int)(how - message), message, option,
                how + strlen("memmodel_context_set_limits()"));
    else
        fprintf(to, "%s\n", message);
}
