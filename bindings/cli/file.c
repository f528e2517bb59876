/* Files that the tool itself writes. */
#include "command.h"

#include <errno.h>
#include <string.h>

int
write_file(const struct command *command, const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;

    if (file && fclose(file) != 0)
        written = false;
    if (written)
        return EXIT_OK;
    fprintf(stderr, "memmodel %s: %s: %s\n", command->name, path, strerror(errno));
    return EXIT_FAILED;
}
