/* Configurations that may be measured. */
#include "regression/advise/domain.h"
#include "base/text.h"
#include "regression/table/training.h"

#include <math.h>
#include <string.h>

enum { NAME_BYTES = 128, NUMBER_BYTES = 64 };

/* The levels of an input. */
struct axis {
    char name[NAME_BYTES];
    size_t count;
    double *levels;
};

static int
wrong(memmodel_context *context, const char *text, const char *message)
{
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "\"%.200s\" %s", text, message);
}

/* The number before one of the `ends` or the end of the text; what follows it is left in *text. */
static bool
take_number(const char **text, const char *ends, double *number)
{
    size_t length = strcspn(*text, ends);
    char digits[NUMBER_BYTES];

    if (length >= sizeof digits)
        return false;
    memcpy(digits, *text, length);
    digits[length] = '\0';
    *text += length;
    return parse_double(digits, number);
}

static int
add_level(memmodel_context *context, const char *text, struct axis *axis, double level)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->levels[i] == level)
            return wrong(context, text, "has the same number twice");
    if (axis->count == DOMAIN_MAX)
        return wrong(context, text, "has too many numbers");
    axis->levels[axis->count++] = level;
    return 0;
}

/* from:to:step */
static int
read_range(memmodel_context *context, const char *text, const char *numbers, struct axis *axis)
{
    static const double rounding = 1e-9; /* of the last step */
    double bounds[3];
    int status = 0;

    for (size_t i = 0; i < 3; i++) {
        if (!take_number(&numbers, ":", &bounds[i]) || *numbers != (i < 2 ? ':' : '\0'))
            return wrong(context, text, "is no range FROM:TO:STEP, such as dim=32:144:16");
        numbers++;
    }
    if (!(bounds[2] > 0) || bounds[1] < bounds[0])
        return wrong(context, text, "is an empty range: TO must not be below FROM, and STEP must be above 0");
    if ((bounds[1] - bounds[0]) / bounds[2] >= DOMAIN_MAX)
        return wrong(context, text, "has too many numbers");
    for (double i = 0; !status && bounds[0] + i * bounds[2] <= bounds[1] + rounding * bounds[2]; i++)
        status = add_level(context, text, axis, bounds[0] + i * bounds[2]);
    return status;
}

static int
read_list(memmodel_context *context, const char *text, const char *numbers, struct axis *axis)
{
    double number;

    for (;; numbers++) {
        int status;

        if (!take_number(&numbers, ",", &number))
            return wrong(context, text, "is no list of numbers, such as batch=1,2,4");
        status = add_level(context, text, axis, number);
        if (status || *numbers == '\0')
            return status;
    }
}

/* A name may have a '=' in it; numbers have none. */
static int
read_axis(memmodel_context *context, const char *text, struct axis *axis)
{
    const char *equals = text ? strrchr(text, '=') : NULL;
    size_t length;

    if (!equals || equals == text)
        return wrong(context, text ? text : "", "is not INPUT=NUMBERS, such as batch=1,2,4 or dim=32:144:16");
    length = (size_t)(equals - text);
    if (length >= sizeof axis->name)
        return wrong(context, text, "has too long a name");
    memcpy(axis->name, text, length);
    axis->name[length] = '\0';
    axis->levels = memory_allocate_zeroed(context, DOMAIN_MAX, sizeof *axis->levels);
    if (!axis->levels)
        return MEMMODEL_ERROR_NO_MEMORY;
    return (strchr(equals, ':') ? read_range : read_list)(context, text, equals + 1, axis);
}

static int
add_rows(const struct axis *axes, size_t count, size_t rows, memmodel_samples *table)
{
    double values[TRAINING_MAX_INPUTS];
    int status = 0;

    for (size_t row = 0; !status && row < rows; row++) {
        size_t rest = row;

        for (size_t i = count; i-- > 0; rest /= axes[i].count)
            values[i] = axes[i].levels[rest % axes[i].count];
        status = memmodel_samples_add_row(table, values);
    }
    return status;
}

static int
make_table(memmodel_context *context, const struct axis *axes, size_t count, memmodel_samples **configurations)
{
    const char *names[TRAINING_MAX_INPUTS] = {NULL};
    memmodel_samples *table;
    size_t rows = 1;
    int status;

    for (size_t i = 0; i < count; i++) {
        names[i] = axes[i].name;
        rows *= axes[i].count;
        if (rows > DOMAIN_MAX)
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "the domain has more than %d configurations", DOMAIN_MAX);
    }
    status = memmodel_samples_new(context, names, count, &table);
    if (status)
        return status;
    status = add_rows(axes, count, rows, table);
    if (status)
        memmodel_samples_unref(table);
    else
        *configurations = table;
    return status;
}

int
domain_list(memmodel_context *context, const char *const *texts, size_t count, memmodel_samples **configurations)
{
    struct axis *axes;
    int status = 0;

    if (!texts || count == 0 || count > TRAINING_MAX_INPUTS)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "the domain has %zu inputs; 1 to %d may be", texts ? count : 0, TRAINING_MAX_INPUTS);
    axes = memory_allocate_zeroed(context, count, sizeof *axes);
    if (!axes)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; !status && i < count; i++)
        status = read_axis(context, texts[i], &axes[i]);
    if (!status)
        status = make_table(context, axes, count, configurations);
    for (size_t i = 0; i < count; i++)
        memory_release(context, axes[i].levels);
    memory_release(context, axes);
    return status;
}
