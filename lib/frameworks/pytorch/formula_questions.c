/* What formulas ask of tensors and arguments: numbers, which take no memory. */
#include "frameworks/pytorch/formula.h"
#include "base/text.h"
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

static const struct value *
asked(const struct formula_call *call)
{
    return operand_is_tensor(call, 0) ? call->operands[0].value : &call->step->nothing;
}

static double
size_along(const struct shape *shape, double number)
{
    double axis = number < 0 ? number + shape->rank : number;

    return axis >= 0 && axis < shape->rank ? (double)shape->dims[(int)axis] : 1;
}

static double
elements(const struct formula_call *call)
{
    return operand_is_tensor(call, 0) ? (double)value_elements(asked(call)) : 0;
}

/* is(reduce, amax): whether an argument is that word. */
static double
is(const struct formula_call *call)
{
    return attribute_is(call->layer, call->operands[0].argument, call->operands[1].argument);
}

static double
is_boolean(const struct formula_call *call)
{
    return operand_is_tensor(call, 0) && asked(call)->shape.dtype == MEMMODEL_DTYPE_BOOL;
}

static double
is_complex(const struct formula_call *call)
{
    return operand_is_tensor(call, 0) && value_is_complex(asked(call));
}

static double
is_contiguous(const struct formula_call *call)
{
    return value_is_contiguous(asked(call));
}

/* Its elements lie without gaps, in any order. */
static double
is_dense(const struct formula_call *call)
{
    return value_is_dense(asked(call));
}

/* Each element of the first axis is seen along all others. */
static double
is_expanded(const struct formula_call *call)
{
    const struct value *x = asked(call);

    for (int i = 1; i < x->shape.rank; i++)
        if (x->strides[i] != 0)
            return false;
    return x->strides[0] == 1;
}

/* Whether a tensor or an argument is there, also one that is zero. */
static double
is_given(const struct formula_call *call)
{
    return call->operands[0].kind != OPERAND_NONE;
}

static double
is_float(const struct formula_call *call)
{
    return operand_is_tensor(call, 0) && value_is_float(asked(call));
}

/* Whether kernels run on the host: those of GPUs may do with less. */
static double
on_cpu(const struct formula_call *call)
{
    return call->step->device->host;
}

static double
rank(const struct formula_call *call)
{
    return operand_is_tensor(call, 0) ? asked(call)->shape.rank : 0;
}

/* Of the operator's own first result. */
static double
result_rank(const struct formula_call *call)
{
    return step_output_shape(call->step, call->layer, 0).rank;
}

/* The same along an axis. */
static double
result_size(const struct formula_call *call)
{
    struct shape shape = step_output_shape(call->step, call->layer, 0);

    return size_along(&shape, call->operands[0].number);
}

/* size(x, axis) */
static double
size(const struct formula_call *call)
{
    return operand_is_tensor(call, 0) ? size_along(&asked(call)->shape, call->operands[1].number) : 1;
}

/* wanted(input): whether the gradient of an input is. */
static double
wanted(const struct formula_call *call)
{
    double input = call->operands[0].number;

    return call->node && input >= 0 && input < call->node->edge_count && node_wants(call->node, (int)input);
}

struct question {
    const char *name;
    double (*answer)(const struct formula_call *call);
};

/* Sorted by name. */
static const struct question questions[] = {
    {"elements", elements},
    {"is", is},
    {"is_boolean", is_boolean},
    {"is_complex", is_complex},
    {"is_contiguous", is_contiguous},
    {"is_dense", is_dense},
    {"is_expanded", is_expanded},
    {"is_float", is_float},
    {"is_given", is_given},
    {"on_cpu", on_cpu},
    {"rank", rank},
    {"result_rank", result_rank},
    {"result_size", result_size},
    {"size", size},
    {"wanted", wanted},
};

static const struct question *
find_question(const char *name)
{
    return text_find(name, questions, sizeof questions / sizeof questions[0], sizeof questions[0]);
}

bool
formula_is_question(const char *name)
{
    return strcmp(name, "given") == 0 || find_question(name);
}

bool
formula_ask(const struct formula_call *call, const char *name, struct formula_operand *answer)
{
    const struct question *question = find_question(name);

    if (strcmp(name, "given") == 0)
        *answer = call->operands[call->operands[0].kind == OPERAND_NONE];
    else if (question)
        *answer = formula_number(question->answer(call), true);
    else
        return false;
    return true;
}
