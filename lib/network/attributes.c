/* Arguments of an operator by name. */
#include "network/attributes.h"

#include <stdlib.h>
#include <string.h>

/* What stands behind "name=", or NULL. Other layers than custom ones have none. */
static const char *
find_attribute(const struct layer *layer, const char *name)
{
    const struct memmodel_custom *custom = layer->options;
    size_t length = strlen(name);

    for (const char *at = layer->op == OP_CUSTOM ? custom->attributes : NULL; at && *at;) {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return NULL;
}

bool
attribute_present(const struct layer *layer, const char *name)
{
    return find_attribute(layer, name) != NULL;
}

int64_t
attribute_integer(const struct layer *layer, const char *name, int64_t otherwise)
{
    const char *text = find_attribute(layer, name);

    return text ? strtoll(text, NULL, 10) : otherwise;
}

bool
attribute_is_whole(const struct layer *layer, const char *name)
{
    const char *text = find_attribute(layer, name);

    return text && text[strspn(text, "-0123456789")] != '.' && text[strspn(text, "-0123456789")] != 'e';
}

double
attribute_number(const struct layer *layer, const char *name, double otherwise)
{
    const char *text = find_attribute(layer, name);

    return text ? strtod(text, NULL) : otherwise;
}

bool
attribute_is(const struct layer *layer, const char *name, const char *word)
{
    const char *text = find_attribute(layer, name);
    size_t length = strlen(word);

    return text && strncmp(text, word, length) == 0 && (text[length] == ' ' || !text[length]);
}

int
attribute_list(const struct layer *layer, const char *name, int64_t *numbers, int max)
{
    const char *text = find_attribute(layer, name);
    int count = 0;

    while (text && *text && *text != ' ' && count < max) {
        char *end;

        numbers[count] = strtoll(text, &end, 10);
        if (end == text)
            return count;
        count++;
        text = *end == ',' ? end + 1 : NULL;
    }
    return count;
}

void
attribute_text(const struct layer *layer, const char *name, char *text, size_t max)
{
    const char *from = find_attribute(layer, name);
    size_t length = from ? strcspn(from, " ") : 0;

    length = length < max ? length : max - 1;
    if (length > 0)
        memcpy(text, from, length);
    text[length] = 0;
}

int
attribute_axis(const struct layer *layer, const char *name, int rank, int otherwise)
{
    int64_t axis = attribute_integer(layer, name, otherwise);

    axis = axis < 0 ? axis + rank : axis;
    return axis >= 0 && axis < rank ? (int)axis : 0;
}

uint64_t
attribute_axes(const struct layer *layer, const char *name, int rank)
{
    int64_t list[MEMMODEL_MAX_RANK];
    int count = attribute_list(layer, name, list, MEMMODEL_MAX_RANK);
    uint64_t axes = 0;

    for (int i = 0; i < count; i++) {
        int64_t axis = list[i] < 0 ? list[i] + rank : list[i];

        if (axis >= 0 && axis < rank)
            axes |= UINT64_C(1) << axis;
    }
    return count == 0 ? ALL_AXES : axes;
}
