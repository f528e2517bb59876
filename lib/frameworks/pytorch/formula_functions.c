/* Which function a formula calls, and how one reads its operands. */
#include "frameworks/pytorch/formula.h"
#include "base/text.h"
#include "frameworks/pytorch/aten_ops.h"

/* ---- operands ---- */

bool
operand_is_tensor(const struct formula_call *call, int index)
{
    return index < call->count && call->operands[index].kind == OPERAND_TENSOR;
}

struct value *
operand_tensor(struct formula_call *call, int index)
{
    return operand_is_tensor(call, index) ? call->operands[index].value : &call->step->nothing;
}

enum { MAX = 1 << 30 };

double
operand_number(const struct formula_call *call, int index, double otherwise)
{
    const struct formula_operand *operand = &call->operands[index];

    if (index >= call->count || !formula_is_number(operand))
        return otherwise;
    return operand->number > -MAX && operand->number < MAX ? operand->number : otherwise;
}

/* Axes of the first operand that operand `index` says: an argument's list, a number, or none, which is all. */
uint64_t
operand_axes(struct formula_call *call, int index)
{
    const struct formula_operand *operand = &call->operands[index];
    int rank = operand_tensor(call, 0)->shape.rank, axis = (int)operand_number(call, index, 0);

    if (index >= call->count || operand->kind == OPERAND_NONE)
        return ALL_AXES;
    if (operand->kind == OPERAND_ARGUMENT)
        return attribute_axes(call->layer, operand->argument, rank);
    axis = axis < 0 ? axis + rank : axis;
    return axis >= 0 && axis < rank ? UINT64_C(1) << axis : 0;
}

int
operand_axis(struct formula_call *call, int index, int rank)
{
    int axis = (int)operand_number(call, index, 0);

    axis = axis < 0 ? axis + rank : axis;
    return axis >= 0 && axis < rank ? axis : 0;
}

/* ---- the tables ---- */

const struct formula_function *
formula_function_find(const char *name)
{
    static const struct formula_functions *const tables[] = {&formula_arithmetic, &formula_tensors, &formula_views};
    const struct formula_function *function = NULL;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !function; i++)
        function = text_find(name, tables[i]->functions, tables[i]->count, sizeof *function);
    return function;
}
