/* Which values an input may have, and what is said of others. */
#include "regression/model/values.h"

#include <math.h>
#include <stdio.h>

static bool
is_whole(double number)
{
    return trunc(number) == number;
}

struct model_values
values_of_column(const double *column, size_t count)
{
    struct model_values values = {.whole = true, .sign = MODEL_SIGN_POSITIVE};

    for (size_t i = 0; i < count; i++) {
        values.whole &= is_whole(column[i]);
        if (column[i] <= 0 && values.sign == MODEL_SIGN_POSITIVE)
            values.sign = MODEL_SIGN_NOT_NEGATIVE;
        if (column[i] < 0)
            values.sign = MODEL_SIGN_ANY;
    }
    return values;
}

/* NaN is no value yet. */
static bool
allowed(const struct model_values *values, double number)
{
    if (isnan(number))
        return true;
    if (values->whole && !is_whole(number))
        return false;
    return values->sign == MODEL_SIGN_ANY || number > 0 || (number == 0 && values->sign == MODEL_SIGN_NOT_NEGATIVE);
}

bool
values_allow_range(const struct model_values *values, double least, double most)
{
    return allowed(values, least) && allowed(values, most);
}

bool
values_allow(const memmodel_model *model, const double *inputs, size_t ignored)
{
    for (size_t i = 0; i < model->input_count; i++)
        if (i != ignored && !allowed(&model->inputs[i].values, inputs[i]))
            return false;
    return true;
}

/* ---- what is said ---- */

static int
refuse(memmodel_context *context, const struct model_input *input, double number, const char *where)
{
    static const char *const signs[] = {
        [MODEL_SIGN_ANY] = "of any sign", [MODEL_SIGN_NOT_NEGATIVE] = "from 0 on", [MODEL_SIGN_POSITIVE] = "above 0"};

    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, input->name,
                         "takes %snumbers %s, as the samples had, not %.15g%s", input->values.whole ? "whole " : "",
                         signs[input->values.sign], number, where);
}

static int
check_points(const memmodel_model *model, const double *const *columns, size_t count, memmodel_context *context)
{
    char where[32] = "";

    for (size_t point = 0; point < count; point++)
        for (size_t i = 0; i < model->input_count; i++) {
            const struct model_input *input = &model->inputs[i];

            if (allowed(&input->values, columns[i][point]))
                continue;
            if (count > 1)
                snprintf(where, sizeof where, " (row %zu)", point + 1);
            return refuse(context, input, columns[i][point], where);
        }
    return 0;
}

int
memmodel_model_check_points(const memmodel_model *model, const double *const *columns, size_t count,
                            memmodel_context *context)
{
    if (!model || (count && model_lacks(model, columns)))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return check_points(model, columns, count, context ? context : model->context);
}
