#include "frameworks/optimizer.h"

#include <string.h>
#include <strings.h>

#define COUNTED                                                                                                        \
    {                                                                                                                  \
        STATE_COUNTER, "step", 0                                                                                       \
    }

const struct optimizer_kind optimizer_kinds[OPTIMIZERS] = {
    [OPTIMIZER_NONE] = {.name = "none"},
    [OPTIMIZER_SGD] = {.name = "sgd", .state = {{STATE_LIKE_PARAMETER, "momentum_buffer", OPTIMIZER_MOMENTUM}}},
    [OPTIMIZER_ADAM] = {.name = "adam",
                        .state = {COUNTED,
                                  {STATE_LIKE_PARAMETER, "exp_avg", 0},
                                  {STATE_LIKE_PARAMETER, "exp_avg_sq", 0},
                                  {STATE_LIKE_PARAMETER, "max_exp_avg_sq", OPTIMIZER_AMSGRAD}}},
    [OPTIMIZER_ADAMW] = {.name = "adamw",
                         .state = {COUNTED,
                                   {STATE_LIKE_PARAMETER, "exp_avg", 0},
                                   {STATE_LIKE_PARAMETER, "exp_avg_sq", 0},
                                   {STATE_LIKE_PARAMETER, "max_exp_avg_sq", OPTIMIZER_AMSGRAD}},
                         .defaults = OPTIMIZER_WEIGHT_DECAY | OPTIMIZER_DECOUPLED},
    [OPTIMIZER_NADAM] = {.name = "nadam",
                         .state = {COUNTED,
                                   {STATE_COUNTER, "mu_product", 0},
                                   {STATE_LIKE_PARAMETER, "exp_avg", 0},
                                   {STATE_LIKE_PARAMETER, "exp_avg_sq", 0}}},
    [OPTIMIZER_RADAM] = {.name = "radam",
                         .state = {COUNTED,
                                   {STATE_LIKE_PARAMETER, "exp_avg", 0},
                                   {STATE_LIKE_PARAMETER, "exp_avg_sq", 0}}},
    [OPTIMIZER_ADAMAX] = {.name = "adamax",
                          .state = {COUNTED,
                                    {STATE_LIKE_PARAMETER, "exp_avg", 0},
                                    {STATE_LIKE_PARAMETER, "exp_inf", 0}}},
    [OPTIMIZER_RMSPROP] = {.name = "rmsprop",
                           .state = {COUNTED,
                                     {STATE_LIKE_PARAMETER, "square_avg", 0},
                                     {STATE_LIKE_PARAMETER, "momentum_buffer", OPTIMIZER_MOMENTUM},
                                     {STATE_LIKE_PARAMETER, "grad_avg", OPTIMIZER_CENTERED}}},
    [OPTIMIZER_ADAGRAD] = {.name = "adagrad", .state = {COUNTED, {STATE_LIKE_PARAMETER, "sum", 0}}},
    [OPTIMIZER_ADADELTA] = {.name = "adadelta",
                            .state = {COUNTED,
                                      {STATE_LIKE_PARAMETER, "square_avg", 0},
                                      {STATE_LIKE_PARAMETER, "acc_delta", 0}}},
    [OPTIMIZER_ADAFACTOR] = {.name = "adafactor",
                             .state = {COUNTED,
                                       {STATE_ROW_SUMS, "row_var", 0},
                                       {STATE_COLUMN_SUMS, "col_var", 0},
                                       {STATE_LIKE_VECTOR, "variance", 0}}},
};

/* Where the name of a class begins behind those of its modules, "torch.optim.AdamW(lr=0.1)". */
static const char *
class_name(const char *text)
{
    const char *name = text;

    for (const char *at = text; *at && !strchr("(:;", *at); at++)
        if (*at == '.')
            name = at + 1;
    return name;
}

/* In any case. */
static enum optimizer_id
find_optimizer(const char *name)
{
    enum optimizer_id id = OPTIMIZER_NONE;

    while (id < OPTIMIZERS && strcasecmp(optimizer_kinds[id].name, name) != 0)
        id++;
    return id;
}

/* Names that are not of this table's making: transformers' TrainingArguments(optim=), and PyTorch's SGD with its option. */
static const struct {
    const char *written, *meant;
} other_names[] = {
    {"momentum", "momentum"},
    {"adamw_torch", "adamw"},
    {"adamw_torch_fused", "adamw(fused)"},
};

const char *
optimizer_spelling(const char *text)
{
    enum optimizer_id id;

    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strcasecmp(text, other_names[i].written) == 0)
            return other_names[i].meant;
    if (strpbrk(text, "(:;"))
        return text;
    id = find_optimizer(class_name(text));
    return id < OPTIMIZERS ? optimizer_kinds[id].name : text;
}

int
optimizer_slots(const struct optimizer_choice *choice)
{
    const struct optimizer_kind *kind = &optimizer_kinds[choice->id];
    int slots = 0;

    for (int i = 0; i < OPTIMIZER_STATES; i++)
        slots += kind->state[i].kind == STATE_LIKE_PARAMETER && !(kind->state[i].needs & ~choice->on);
    return slots;
}

void
optimizer_print_names(struct text *text)
{
    for (int i = 0; i < OPTIMIZERS; i++)
        text_printf(text, "%s%s", i ? ", " : "", optimizer_kinds[i].name);
}

static const struct {
    const char *name;
    uint32_t option;
} options[] = {
    {"momentum", OPTIMIZER_MOMENTUM},   {"nesterov", OPTIMIZER_NESTEROV},
    {"dampening", OPTIMIZER_DAMPENING}, {"weight_decay", OPTIMIZER_WEIGHT_DECAY},
    {"maximize", OPTIMIZER_MAXIMIZE},   {"amsgrad", OPTIMIZER_AMSGRAD},
    {"centered", OPTIMIZER_CENTERED},   {"decoupled_weight_decay", OPTIMIZER_DECOUPLED},
    {"foreach", OPTIMIZER_FOREACH},     {"fused", OPTIMIZER_FUSED},
};

/* Arguments of optimizers that change numbers, and no memory. */
static bool
changes_no_memory(const char *name, size_t length)
{
    static const char *const names[] = {"lr",          "betas",    "eps",       "alpha",          "rho",
                                        "beta2_decay", "lr_decay", "lr_lambda", "momentum_decay", "d"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

static uint32_t
find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return options[i].option;
    return 0;
}

static bool
is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* True, False, None or a number: 1 on, 0 off, -1 none of them. A number is 0 if its digits are. */
static int
read_value(const char *text, size_t length)
{
    size_t mantissa = 0;

    if (is_word(text, length, "True"))
        return 1;
    if (is_word(text, length, "False") || is_word(text, length, "None"))
        return 0;
    if (length == 0 || strspn(text, "0123456789.eE+-") < length)
        return -1;
    while (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E') {
        if (text[mantissa] >= '1' && text[mantissa] <= '9')
            return 1;
        mantissa++;
    }
    return 0;
}

/* NAME or NAME=VALUE, of `length` characters. */
static bool
read_option(const char *text, size_t length, struct optimizer_choice *choice)
{
    const char *equals = memchr(text, '=', length);
    size_t name = equals ? (size_t)(equals - text) : length;
    uint32_t option = find_option(text, name);
    int value = equals ? read_value(equals + 1, length - name - 1) : 1;

    if (equals && changes_no_memory(text, name))
        return value >= 0 || equals[1] == '(';
    if (!option || value < 0)
        return false;
    if (value)
        choice->on |= option;
    else
        choice->off |= option;
    return true;
}

/* Of NAME=VALUE, where the value may be a tuple, "betas=(0.9, 0.95)". */
static size_t
argument_length(const char *text)
{
    size_t length = strcspn(text, ",)( ");

    return text[length] == '(' ? length + strcspn(text + length, ")") + (strchr(text + length, ')') != NULL) : length;
}

bool
optimizer_parse(const char *text, struct optimizer_choice *choice)
{
    size_t length;

    *choice = (struct optimizer_choice){.on = 0};
    text = class_name(optimizer_spelling(text));
    length = strcspn(text, "(");
    if (strcmp(text, "momentum") == 0)
        return optimizer_parse("sgd(momentum)", choice);
    if (length == 0 || length >= sizeof choice->name)
        return false;
    memcpy(choice->name, text, length);
    choice->id = find_optimizer(choice->name);
    if (!text[length])
        return true;
    for (const char *at = text + length + 1;; at++) {
        at += strspn(at, " ");
        length = argument_length(at);
        if (!read_option(at, length, choice))
            return false;
        at += length;
        at += strspn(at, " ");
        if (*at == ')')
            return !at[1];
        if (*at != ',')
            return false;
    }
}

/* Without the spaces around it. */
static void
copy_trimmed(char *to, size_t size, const char *text, size_t length)
{
    size_t spaces = strspn(text, " ");

    spaces = spaces < length ? spaces : length;
    text += spaces;
    length -= spaces;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    length = length < size ? length : 0;
    memcpy(to, text, length);
    to[length] = '\0';
}

bool
optimizer_next_part(const char **text, struct optimizer_part *part)
{
    const char *begin = *text;
    size_t length, name;

    if (!begin)
        return false;
    length = strcspn(begin, ";");
    name = strcspn(begin, ":;");
    copy_trimmed(part->optimizer, sizeof part->optimizer, begin, name);
    part->patterns = name < length ? begin + name + 1 : NULL;
    part->length = name < length ? length - name - 1 : 0;
    *text = begin[length] ? begin + length + 1 : NULL;
    return true;
}
