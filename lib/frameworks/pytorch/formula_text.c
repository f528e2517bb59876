/* Texts of formulas, computed part by part: see formula.h. */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 24 };

/* Part of a text. */
struct part {
    const char *begin, *end;
};

static struct formula_operand
compute(struct formula_run *run, struct part part);

/* ---- names ---- */

static bool
is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t
formula_name_length(const char *at)
{
    size_t length = 0;

    while (is_letter(at[length]))
        length++;
    return length;
}

static struct part
trimmed(struct part part)
{
    while (part.begin < part.end && *part.begin == ' ')
        part.begin++;
    while (part.begin < part.end && part.end[-1] == ' ')
        part.end--;
    return part;
}

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
    return strlen(name) < LONGEST_NAME &&
           (formula_is_question(name) || formula_function_find(name) || formula_find_default(name));
}

static struct formula_operand
call_function(struct formula_run *run, struct formula_call *call, const char *name)
{
    const struct formula_function *function = formula_function_find(name);
    const struct formula_rule *formula;
    struct formula_operand answer;

    if (formula_ask(call, name, &answer))
        return answer;
    if (call->count > 0 && call->operands[0].kind == OPERAND_NONE)
        return formula_tensor(NULL);
    if (function) {
        call->detail = function->detail;
        return keep_temporary(run, function->make(call));
    }
    formula = formula_find_default(name);
    if (!formula)
        return formula_tensor(NULL);
    return keep_temporary(run, formula_called(call, formula, name));
}

/* ---- parts ---- */

/* The first of `signs` outside of parentheses, or the last; NULL if there is none. */
static const char *
find_sign(struct part part, const char *signs, bool last)
{
    const char *found = NULL;
    int depth = 0;

    for (const char *at = part.begin; at < part.end && (last || !found); at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && at > part.begin && *at != ')' && strchr(signs, *at))
            found = at;
    }
    return found;
}

/* A minus behind a sign is none of its own. */
static const char *
find_sum(struct part part)
{
    const char *sign = find_sign(part, "+-", true);

    while (sign && *sign == '-') {
        const char *before = sign - 1;

        while (before > part.begin && *before == ' ')
            before--;
        if (!strchr("+-*/(<>=&", *before))
            return sign;
        sign = find_sign((struct part){part.begin, sign}, "+-", true);
    }
    return sign;
}

/*
 * a, b: those of a function from the last to the first, as compilers do; what a method is called on comes `first`.
 * PyTorch calls at::where() as a function.
 */
static void
compute_operands(struct formula_run *run, struct part part, struct formula_call *call, bool first)
{
    struct part parts[FUNCTION_OPERANDS];

    for (part = trimmed(part); part.begin < part.end && call->count < FUNCTION_OPERANDS;) {
        const char *comma = find_sign(part, ",", false);

        parts[call->count++] = (struct part){part.begin, comma ? comma : part.end};
        part.begin = comma ? comma + 1 : part.end;
    }
    for (int i = 0; i < call->count; i++) {
        int at = i == 0 && first ? 0 : call->count - i - !first;

        call->operands[at] = compute(run, parts[at]);
    }
}

/* name(a, b) */
static struct formula_operand
function(struct formula_run *run, struct part part, size_t length)
{
    struct formula_call call = {.step = run->step,
                                .layer = run->layer,
                                .node = run->node,
                                .input = run->input,
                                .depth = run->depth,
                                .in_place = run->in_place};
    char text[LONGEST_NAME] = "";

    if (length >= sizeof text)
        return formula_tensor(NULL);
    memcpy(text, part.begin, length);
    compute_operands(run, (struct part){part.begin + length + 1, part.end - 1}, &call,
                     strcmp(text, "where") != 0 && strcmp(text, "both") != 0);
    return call_function(run, &call, text);
}

static struct formula_operand
number(struct part part)
{
    size_t digits = strspn(part.begin, "0123456789");

    return formula_number(strtod(part.begin, NULL), part.begin[digits] != '.');
}

static struct formula_operand
primary(struct formula_run *run, struct part part)
{
    size_t length = formula_name_length(part.begin);

    if (part.begin >= part.end)
        return formula_tensor(NULL);
    if (*part.begin == '(')
        return compute(run, (struct part){part.begin + 1, part.end - 1});
    if (isdigit((unsigned char)*part.begin))
        return number(part);
    return part.begin + length < part.end ? function(run, part, length) : look_up(run, part.begin, length);
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

/* The right operand first, as compilers do. `sign` is one character, or two that end with an equals sign. */
static struct formula_operand
both(struct formula_run *run, struct part part, const char *sign)
{
    const char *next = sign + (sign[1] == '=' ? 2 : 1);
    struct formula_operand right = compute(run, (struct part){next, part.end});

    return combine(run, *sign, compute(run, (struct part){part.begin, sign}), right);
}

static struct formula_operand
negative(struct formula_run *run, struct part part)
{
    struct formula_operand operand = compute(run, (struct part){part.begin + 1, part.end});

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

/* The colon of the question mark before `part`; NULL if it has none. */
static const char *
find_colon(struct part part)
{
    int depth = 0, questions = 0;

    for (const char *at = part.begin; at < part.end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth > 0)
            continue;
        if (*at == ':' && questions-- == 0)
            return at;
        questions += *at == '?';
    }
    return NULL;
}

/* a ? b : c; "a ? b" is b or nothing. */
static struct formula_operand
either(struct formula_run *run, struct part part, const char *sign)
{
    struct part rest = {sign + 1, part.end};
    const char *colon = find_colon(rest);
    struct formula_operand condition = compute(run, (struct part){part.begin, sign});

    if (holds(&condition))
        return compute(run, (struct part){rest.begin, colon ? colon : rest.end});
    return colon ? compute(run, (struct part){colon + 1, rest.end}) : formula_tensor(NULL);
}

static struct formula_operand
compute_part(struct formula_run *run, struct part part)
{
    const char *sign;

    if ((sign = find_sign(part, "?", false)))
        return either(run, part, sign);
    if ((sign = find_sign(part, "<>=!&", false)))
        return both(run, part, sign);
    if ((sign = find_sum(part)))
        return both(run, part, sign);
    if ((sign = find_sign(part, "*/", true)))
        return both(run, part, sign);
    return part.begin < part.end && *part.begin == '-' ? negative(run, part) : primary(run, part);
}

/* Deeper than any formula of the tables goes it is a mistake. */
static struct formula_operand
compute(struct formula_run *run, struct part part)
{
    struct formula_operand operand;

    if (run->depth == FORMULA_DEPTH) {
        step_fail(run->step, MEMMODEL_ERROR_UNSUPPORTED);
        return formula_tensor(NULL);
    }
    run->depth++;
    operand = compute_part(run, trimmed(part));
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

/* "name = ..." */
static const char *
assigned_to(struct part part)
{
    size_t length = formula_name_length(part.begin);
    const char *at = part.begin + length;

    while (at < part.end && *at == ' ')
        at++;
    return length > 0 && at + 1 < part.end && at[0] == '=' && at[1] != '=' ? at : NULL;
}

void
formula_run_text(struct formula_run *run, const char *text, struct value **results, int max, uint32_t wanted)
{
    int count = 0, from = 0;

    while (*text && count < max && !run->step->status) {
        struct part all = {text, text + strlen(text)}, part;
        const char *end = find_sign(all, ";,", false), *equals;
        struct formula_operand operand = {.kind = OPERAND_NONE};

        part = trimmed((struct part){text, end ? end : all.end});
        equals = assigned_to(part);
        if (equals) {
            operand = compute(run, (struct part){equals + 1, part.end});
            keep_last(run, from, operand);
            unbind(run, part.begin, formula_name_length(part.begin), from);
            from = run->temporary_count;
            formula_bind(run, part.begin, formula_name_length(part.begin), operand);
        } else if (!(wanted >> count & 1)) {
            count++;
        } else if ((operand = compute(run, part)).kind == OPERAND_TENSOR) {
            results[count++] = value_keep(operand.value);
            if (!end || *end == ';')
                formula_drop_temporaries(run, from);
        }
        text = end ? end + 1 : all.end;
    }
    formula_drop_temporaries(run, 0);
}
