/* Texts of formulas, computed term by term: see formula.h. */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

static struct formula_operand
compute(struct formula_run *run, const struct formula_term *term);

/* ---- names ---- */

/* A name that is given anew releases what it held: that is one of the first `count` temporaries, or none of them. */
static void
unbind(struct formula_run *run, const char *name, size_t length, int count)
{
    struct formula_name *found = NULL;

    for (int i = 0; i < run->name_count; i++)
        if (run->names[i].length == length && strncmp(run->names[i].name, name, length) == 0)
            found = &run->names[i];
    for (int i = 0; found && i < count; i++)
        if (found->operand.kind == OPERAND_TENSOR && run->temporaries[i] == found->operand.value) {
            value_drop(run->step, run->temporaries[i]);
            memmove(&run->temporaries[i], &run->temporaries[i + 1],
                    (size_t)(run->temporary_count - i - 1) * sizeof run->temporaries[0]);
            run->temporary_count--;
            break;
        }
    if (found)
        found->operand = formula_tensor(NULL);
}

void
formula_bind(struct formula_run *run, const char *name, size_t length, struct formula_operand operand)
{
    if (run->name_count < FORMULA_NAMES)
        run->names[run->name_count++] = (struct formula_name){name, length, operand};
}

struct formula_operand
formula_tensor(struct value *value)
{
    return (struct formula_operand){.kind = value ? OPERAND_TENSOR : OPERAND_NONE, .value = value};
}

struct formula_operand
formula_number(double number, bool whole)
{
    return (struct formula_operand){.kind = OPERAND_NUMBER, .number = number, .whole = whole};
}

/* An argument of the operator that is no tensor. */
static struct formula_operand
argument_operand(struct formula_run *run, const char *name, size_t length)
{
    struct formula_operand operand = {.kind = OPERAND_NONE};

    if (length >= sizeof operand.argument)
        return operand;
    memcpy(operand.argument, name, length);
    if (!attribute_present(run->layer, operand.argument))
        return operand;
    operand.kind = OPERAND_ARGUMENT;
    operand.number = attribute_number(run->layer, operand.argument, 0);
    operand.whole = attribute_is_whole(run->layer, operand.argument);
    return operand;
}

static struct formula_operand
look_up(struct formula_run *run, const char *name, size_t length)
{
    for (int i = run->name_count - 1; i >= 0; i--)
        if (run->names[i].length == length && strncmp(run->names[i].name, name, length) == 0 &&
            run->names[i].operand.kind != OPERAND_NONE)
            return run->names[i].operand;
    return argument_operand(run, name, length);
}

/* ---- temporaries ---- */

static struct formula_operand
keep_temporary(struct formula_run *run, struct value *value)
{
    if (run->temporary_count == FORMULA_TEMPORARIES) {
        value_drop(run->step, value);
        return formula_tensor(NULL);
    }
    run->temporaries[run->temporary_count++] = value;
    return formula_tensor(value);
}

static void
formula_drop_temporaries(struct formula_run *run, int from)
{
    while (run->temporary_count > from)
        value_drop(run->step, run->temporaries[--run->temporary_count]);
}

/* ---- functions ---- */

bool
formula_is_number(const struct formula_operand *operand)
{
    return operand->kind == OPERAND_NUMBER || operand->kind == OPERAND_ARGUMENT;
}

bool
formula_knows(const char *name)
{
    return strlen(name) < FORMULA_LONGEST_NAME &&
           (formula_is_question(name) || formula_function_find(name) || formula_find_default(name));
}

static struct formula_operand
call_function(struct formula_run *run, struct formula_call *call, const struct formula_term *term)
{
    struct formula_operand answer;

    if (!term->function && !term->formula)
        return formula_ask(call, term->name, &answer) ? answer : formula_tensor(NULL);
    if (call->count > 0 && call->operands[0].kind == OPERAND_NONE)
        return formula_tensor(NULL);
    if (!term->function)
        return keep_temporary(run, formula_called(call, term->formula, term->name));
    call->detail = term->function->detail;
    return keep_temporary(run, term->function->make(call));
}

/*
 * name(a, b): operands from the last to the first, as compilers do; what a method is called on comes first. PyTorch
 * calls at::where() as a function.
 */
static struct formula_operand
function(struct formula_run *run, const struct formula_term *term)
{
    struct formula_call call = {.step = run->step,
                                .layer = run->layer,
                                .node = run->node,
                                .input = run->input,
                                .count = term->count,
                                .depth = run->depth,
                                .in_place = run->in_place};
    bool method = strcmp(term->name, "where") != 0 && strcmp(term->name, "both") != 0;

    for (int i = 0; i < call.count; i++) {
        int at = i == 0 && method ? 0 : call.count - i - !method;

        call.operands[at] = compute(run, term->parts[at]);
    }
    return call_function(run, &call, term);
}

/* ---- signs ---- */

static double
calculate(char sign, double a, double b)
{
    switch (sign) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return b != 0 ? a / b : 0;
    case '<':
        return a < b;
    case '>':
        return a > b;
    case '!':
        return a != b;
    default:
        return a == b;
    }
}

/* A missing tensor, such as a gradient that is none, leaves a sum as it is; a product with it is missing, too. */
static struct formula_operand
combine(struct formula_run *run, char sign, struct formula_operand a, struct formula_operand b)
{
    if (a.kind == OPERAND_NONE || b.kind == OPERAND_NONE)
        return sign != '+' && sign != '-' ? formula_tensor(NULL) : a.kind == OPERAND_NONE ? b : a;
    if (formula_is_number(&a) && formula_is_number(&b))
        return formula_number(calculate(sign, a.number, b.number), a.whole && b.whole && sign != '/');
    return keep_temporary(run, formula_binary(run->step, sign, &a, &b));
}

static struct formula_operand
negative(struct formula_run *run, struct formula_operand operand)
{
    if (formula_is_number(&operand))
        return formula_number(-operand.number, operand.whole);
    return operand.kind == OPERAND_TENSOR ? keep_temporary(run, formula_binary(run->step, 'n', &operand, &operand))
                                          : operand;
}

static bool
holds(const struct formula_operand *condition)
{
    return formula_is_number(condition) ? condition->number != 0 : condition->kind == OPERAND_TENSOR;
}

/* What a term is, but for NULL: that is nothing. */
static struct formula_operand
compute_term(struct formula_run *run, const struct formula_term *term)
{
    struct formula_operand operand;

    switch (term->kind) {
    case TERM_NUMBER:
        return term->number;
    case TERM_NAME:
        return look_up(run, term->name, strlen(term->name));
    case TERM_CALL:
        return function(run, term);
    case TERM_NEGATIVE:
        return negative(run, compute(run, term->parts[0]));
    case '?':
        operand = compute(run, term->parts[0]);
        return compute(run, term->parts[holds(&operand) ? 1 : 2]);
    default: /* the right operand first, as compilers do */
        operand = compute(run, term->parts[1]);
        return combine(run, term->kind, compute(run, term->parts[0]), operand);
    }
}

/* Deeper than any formula of the tables goes it is a mistake. */
static struct formula_operand
compute(struct formula_run *run, const struct formula_term *term)
{
    struct formula_operand operand;

    if (!term)
        return formula_tensor(NULL);
    if (run->depth == FORMULA_DEPTH) {
        step_fail(run->step, MEMMODEL_ERROR_UNSUPPORTED);
        return formula_tensor(NULL);
    }
    run->depth++;
    operand = compute_term(run, term);
    run->depth--;
    return operand;
}

/* ---- texts ---- */

/* Drops what an expression made but its value, which is left as the only one. */
static void
keep_last(struct formula_run *run, int from, struct formula_operand operand)
{
    struct value *kept = operand.kind == OPERAND_TENSOR ? value_keep(operand.value) : NULL;

    formula_drop_temporaries(run, from);
    if (kept)
        keep_temporary(run, kept);
}

void
formula_run_text(struct formula_run *run, const char *text, struct value **results, int max, uint32_t wanted)
{
    const struct formula_statement *statement = formula_statements(run->step, text);
    int count = 0, from = 0;

    for (; statement && count < max && !run->step->status; statement = statement->next) {
        struct formula_operand operand = {.kind = OPERAND_NONE};

        if (statement->name) {
            operand = compute(run, statement->term);
            keep_last(run, from, operand);
            unbind(run, statement->name, statement->length, from);
            from = run->temporary_count;
            formula_bind(run, statement->name, statement->length, operand);
        } else if (!(wanted >> count & 1)) {
            count++;
        } else if ((operand = compute(run, statement->term)).kind == OPERAND_TENSOR) {
            results[count++] = value_keep(operand.value);
            if (statement->ends)
                formula_drop_temporaries(run, from);
        }
    }
    formula_drop_temporaries(run, 0);
}
