/* Tables of samples that commands read, and the names of their columns. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

bool
split_names(const char *text, struct name_list *list)
{
    if (!text)
        return true;
    list->text = strdup(text);
    list->names = calloc(strlen(text) + 1, sizeof *list->names);
    if (!list->text || !list->names)
        return false;
    for (char *name = strtok(list->text, ","); name; name = strtok(NULL, ","))
        list->names[list->count++] = name;
    return true;
}

void
release_names(struct name_list *list)
{
    free(list->text);
    free(list->names);
}

static bool
has_an_empty_name(const char *columns)
{
    size_t length = strlen(columns);

    return length == 0 || columns[0] == ',' || columns[length - 1] == ',' || strstr(columns, ",,");
}

static int
read_rows(const struct command *command, memmodel_context *context, const char *path, const char *columns,
          memmodel_samples **samples)
{
    struct name_list list = {NULL, NULL, 0};
    int status = EXIT_OK;

    if (has_an_empty_name(columns))
        return usage_error(command, "--columns names all columns, such as dim,batch,peak_bytes, not '%s'", columns);
    if (!split_names(columns, &list))
        status = memory_error(command);
    else if (memmodel_samples_load_rows(context, path, list.names, list.count, samples))
        status = library_error(command, context);
    release_names(&list);
    return status;
}

int
read_table(const struct command *command, memmodel_context *context, const char *path, const char *columns,
           memmodel_samples **samples)
{
    if (strcmp(path, "-") == 0)
        path = "/dev/stdin";
    if (columns)
        return read_rows(command, context, path, columns, samples);
    return memmodel_samples_load(context, path, samples) ? library_error(command, context) : EXIT_OK;
}
