/* Which functions an exported file needs, and their numbers. */
#include "expression/prelude.h"
#include "expression/function_terms.h"

#include <string.h>

#define BIT(name) (1u << PRELUDE_##name)

static const unsigned of_opcode[OPCODE_OPERATIONS] = {
    [OPCODE_DIVIDE] = BIT(DIVIDE),
    [OPCODE_MAX] = BIT(MAXIMUM),
    [OPCODE_MIN] = BIT(MINIMUM),
    [OPCODE_AT_LEAST] = BIT(AT_LEAST),
    [OPCODE_AT_MOST] = BIT(AT_MOST),
    [OPCODE_FLOOR] = BIT(FLOOR),
    [OPCODE_ROOT] = BIT(ROOT),
    [OPCODE_EXP] = BIT(TERMS) | BIT(EXP),
    [OPCODE_LOG] = BIT(TERMS) | BIT(SPLIT) | BIT(LOG),
    [OPCODE_POWER] = BIT(TERMS) | BIT(SPLIT) | BIT(PRODUCT) | BIT(EXP) | BIT(POWER),
    [OPCODE_CUBE_ROOT] = BIT(TERMS) | BIT(CUBE_ROOT),
    [OPCODE_SIN] = BIT(TERMS) | BIT(PRODUCT) | BIT(SINE),
    [OPCODE_COS] = BIT(TERMS) | BIT(PRODUCT) | BIT(SINE),
    [OPCODE_TANH] = BIT(TERMS) | BIT(EXP) | BIT(TANH),
};

#define LIST(terms) terms, sizeof(terms) / sizeof(terms)[0]
#define ONE(number) (const double[]){number}, 1

static const struct numbers {
    const char *name;
    const double *values;
    size_t count;
} numbers[] = {
    {"LOG2_E", ONE(LOG2_E)},
    {"LN2_HIGH", ONE(LN2_HIGH)},
    {"LN2_LOW", ONE(LN2_LOW)},
    {"TWO_THIRDS_HIGH", ONE(TWO_THIRDS_HIGH)},
    {"TWO_THIRDS_LOW", ONE(TWO_THIRDS_LOW)},
    {"CUBE_ROOT_OF_2", ONE(CUBE_ROOT_OF_2)},
    {"CUBE_ROOT_OF_4", ONE(CUBE_ROOT_OF_4)},
    {"ROOT_OF_HALF", ONE(ROOT_OF_HALF)},
    {"WHOLE_SHIFT", ONE(WHOLE_SHIFT)},
    {"TWO_OVER_PI", ONE(TWO_OVER_PI)},
    {"HALF_PI_HIGH", ONE(HALF_PI_HIGH)},
    {"HALF_PI_MIDDLE", ONE(HALF_PI_MIDDLE)},
    {"HALF_PI_LOW", ONE(HALF_PI_LOW)},
    {"SMALL_ANGLE", ONE(SMALL_ANGLE)},
    {"TANH_SWITCH", ONE(TANH_SWITCH)},
    {"exp_terms", LIST(exp_terms)},
    {"log_terms", LIST(log_terms)},
    {"power_terms", LIST(power_terms)},
    {"cube_root_terms", LIST(cube_root_terms)},
    {"sine_terms", LIST(sine_terms)},
    {"cosine_terms", LIST(cosine_terms)},
    {"tanh_terms", LIST(tanh_terms)},
};

unsigned
prelude_for(enum opcode opcode)
{
    return of_opcode[opcode];
}

/* Four on a line. */
static void
print_numbers(const struct numbers *list, struct text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        text_append(out, i == 0 ? "" : i % 4 ? ", " : ",\n        ");
        text_append_double(out, list->values[i]);
        if (list->values[i] == WHOLE_SHIFT)
            text_append(out, ".0");
    }
}

static void
print_named(const char *name, size_t length, struct text *out)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strlen(numbers[i].name) == length && memcmp(numbers[i].name, name, length) == 0)
            print_numbers(&numbers[i], out);
}

static void
print_function(const char *text, struct text *out)
{
    const char *mark;

    for (; (mark = strchr(text, '@')) != NULL; text = mark + 1) {
        const char *name = mark + 1;

        text_append_bytes(out, text, (size_t)(mark - text));
        mark = strchr(name, '@');
        print_named(name, (size_t)(mark - name), out);
    }
    text_append(out, text);
}

void
prelude_print(const char *const functions[PRELUDE_COUNT], unsigned used, struct text *out)
{
    for (unsigned i = 0; i < PRELUDE_COUNT; i++)
        if (used & 1u << i && functions[i])
            print_function(functions[i], out);
}
