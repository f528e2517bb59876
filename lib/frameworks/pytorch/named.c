/* Which rule an operator of PyTorch's own name has, and how a rule reads the operator's arguments. */
#include "frameworks/pytorch/named.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by name. */
static const struct named_rule named_rules[] = {
    {"aten.abs.default", named_pointwise, MEMMODEL_ABS},
    {"aten.add.Tensor", named_binary, MEMMODEL_ADD},
    {"aten.add_.Tensor", named_binary_in_place, MEMMODEL_ADD},
    {"aten.arange.default", named_maker, 0},
    {"aten.arange.start", named_maker, 0},
    {"aten.arange.start_step", named_maker, 0},
    {"aten.clone.default", named_clone, 0},
    {"aten.contiguous.default", named_contiguous, 0},
    {"aten.detach.default", named_detach, 0},
    {"aten.detach_.default", named_detach, 0},
    {"aten.div.Tensor", named_binary, MEMMODEL_DIVIDE},
    {"aten.div_.Tensor", named_binary_in_place, MEMMODEL_DIVIDE},
    {"aten.exp.default", named_pointwise, MEMMODEL_EXP},
    {"aten.full.default", named_maker, 0},
    {"aten.log.default", named_pointwise, MEMMODEL_LOG},
    {"aten.mul.Tensor", named_binary, MEMMODEL_MULTIPLY},
    {"aten.mul_.Tensor", named_binary_in_place, MEMMODEL_MULTIPLY},
    {"aten.neg.default", named_pointwise, MEMMODEL_NEGATE},
    {"aten.ones.default", named_maker, 0},
    {"aten.sqrt.default", named_pointwise, MEMMODEL_SQRT},
    {"aten.sub.Tensor", named_binary, MEMMODEL_SUBTRACT},
    {"aten.sub_.Tensor", named_binary_in_place, MEMMODEL_SUBTRACT},
    {"aten.zeros.default", named_maker, 0},
};

static int
compare_names(const void *name, const void *rule)
{
    return strcmp(name, ((const struct named_rule *)rule)->name);
}

const struct named_rule *
named_rule_find(const char *operation)
{
    return bsearch(operation, named_rules, sizeof named_rules / sizeof named_rules[0], sizeof named_rules[0],
                   compare_names);
}

/* ---- attributes ---- */

/* What stands behind "name=", or NULL. */
static const char *
find_attribute(const struct layer *layer, const char *name)
{
    const struct memmodel_custom *custom = layer->options;
    size_t length = strlen(name);

    for (const char *at = custom->attributes; at && *at;) {
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
attribute_list(const struct layer *layer, const char *name, int64_t *numbers, int most)
{
    const char *text = find_attribute(layer, name);
    int count = 0;

    while (text && *text && *text != ' ' && count < most) {
        char *end;

        numbers[count] = strtoll(text, &end, 10);
        if (end == text)
            return count;
        count++;
        text = *end == ',' ? end + 1 : NULL;
    }
    return count;
}

/* ---- rules that are one call ---- */

void
named_pointwise(struct step *step, const struct layer *layer, int kind)
{
    step_output(step, layer, 0, aten_pointwise(step, kind, step_input(step, layer, 0)));
}

void
named_pointwise_in_place(struct step *step, const struct layer *layer, int kind)
{
    step_output(step, layer, 0, aten_pointwise_in_place(step, kind, step_input(step, layer, 0)));
}

void
named_clone(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, aten_clone(step, step_input(step, layer, 0)));
}

void
named_contiguous(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, aten_contiguous(step, step_input(step, layer, 0)));
}

void
named_detach(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, value_detach(step, step_input(step, layer, 0)));
}

void
named_maker(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    for (int i = 0; i < layer->output_count; i++) {
        struct shape shape = step_output_shape(step, layer, i);

        step_output(step, layer, i, value_empty(step, &shape));
    }
}
