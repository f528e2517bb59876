#include "base/choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "0 (nearest), 1 (linear) or 2 (cubic)", as far as there is room. */
static void
list_choices(char *list, size_t room, const char *const *names)
{
    size_t length = 0;

    list[0] = '\0';
    for (int i = 0; names[i] && length < room; i++) {
        const char *joint = i == 0 ? "" : names[i + 1] ? ", " : " or ";

        snprintf(list + length, room - length, "%s%d (%s)", joint, i, names[i]);
        length += strlen(list + length);
    }
}

int
choice_check(memmodel_context *context, const char *object, const char *field, int64_t number, const char *const *names)
{
    char list[448];

    for (int64_t i = 0; number >= 0 && names[i]; i++)
        if (i == number)
            return 0;
    list_choices(list, sizeof list, names);
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, object, "%s is %" PRId64 "; it may be %s", field,
                         number, list);
}

int
flag_check(memmodel_context *context, const char *object, const char *field, int64_t number)
{
    static const char *const names[] = {"no", "yes", NULL};

    return choice_check(context, object, field, number, names);
}
