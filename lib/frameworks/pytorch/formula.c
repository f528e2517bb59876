/* Rules that are formulas: see formula.h. */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/named.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 24, MOST_TEMPORARIES = 64, LONGEST_NAME = 24 };

struct named_operand {
    const char *name;
    size_t length;
    struct formula_operand operand;
};

/* One text being computed. */
struct run {
    struct step *step;
    const struct layer *layer;
    const struct node *node;   /* NULL in the forward pass */
    const struct shape *input; /* that the gradient is for; NULL in the forward pass */
    struct named_operand names[MOST_NAMES];
    struct value *temporaries[MOST_TEMPORARIES];
    int name_count, temporary_count;
};

/* Part of a text. */
struct part {
    const char *begin, *end;
};

static struct formula_operand
compute(struct run *run, struct part part);

/* ---- names ---- */

static bool
is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t
name_length(const char *at)
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

/* A name that is given anew lets go of what it held: that is one of the temporaries, or nobody's here. */
static void
unbind(struct run *run, const char *name, size_t length)
{
    struct named_operand *found = NULL;

    for (int i = 0; i < run->name_count; i++)
        if (run->names[i].length == length && strncmp(run->names[i].name, name, length) == 0)
            found = &run->names[i];
    for (int i = 0; found && i < run->temporary_count - 1; i++)
        if (found->operand.kind == OPERAND_TENSOR && run->temporaries[i] == found->operand.value) {
            value_drop(run->step, run->temporaries[i]);
            memmove(&run->temporaries[i], &run->temporaries[i + 1],
                    (size_t)(run->temporary_count - i - 1) * sizeof run->temporaries[0]);
            run->temporary_count--;
            return;
        }
}

static void
bind(struct run *run, const char *name, size_t length, struct formula_operand operand)
{
    if (run->name_count < MOST_NAMES)
        run->names[run->name_count++] = (struct named_operand){name, length, operand};
}

static struct formula_operand
tensor_operand(struct value *value)
{
    return (struct formula_operand){.kind = value ? OPERAND_TENSOR : OPERAND_NONE, .value = value};
}

static struct formula_operand
number_operand(double number, bool whole)
{
    return (struct formula_operand){.kind = OPERAND_NUMBER, .number = number, .whole = whole};
}

/* An argument of the operator that is no tensor. */
static struct formula_operand
argument_operand(struct run *run, const char *name, size_t length)
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
look_up(struct run *run, const char *name, size_t length)
{
    for (int i = run->name_count - 1; i >= 0; i--)
        if (run->names[i].length == length && strncmp(run->names[i].name, name, length) == 0 &&
            run->names[i].operand.kind != OPERAND_NONE)
            return run->names[i].operand;
    return argument_operand(run, name, length);
}

/* ---- temporaries ---- */

static struct formula_operand
keep_temporary(struct run *run, struct value *value)
{
    if (run->temporary_count == MOST_TEMPORARIES) {
        value_drop(run->step, value);
        return tensor_operand(NULL);
    }
    run->temporaries[run->temporary_count++] = value;
    return tensor_operand(value);
}

static void
drop_temporaries(struct run *run, int from)
{
    while (run->temporary_count > from)
        value_drop(run->step, run->temporaries[--run->temporary_count]);
}

/* ---- functions ---- */

static bool
is_number(const struct formula_operand *operand)
{
    return operand->kind == OPERAND_NUMBER || operand->kind == OPERAND_ARGUMENT;
}

/* What is a number of tensors, without a tensor of its own; false if it is none of these. */
static bool
ask(const struct formula_call *call, const char *name, struct formula_operand *answer)
{
    const struct value *x = call->operands[0].value;
    bool tensor = call->count > 0 && call->operands[0].kind == OPERAND_TENSOR;
    int rank = tensor ? x->shape.rank : 0;

    if (strcmp(name, "given") == 0)
        *answer = call->operands[call->operands[0].kind == OPERAND_NONE];
    else if (strcmp(name, "rank") == 0)
        *answer = number_operand(rank, true);
    else if (strcmp(name, "elements") == 0)
        *answer = number_operand(tensor ? (double)value_elements(x) : 0, true);
    else if (strcmp(name, "size") == 0) {
        int axis = (int)call->operands[1].number;

        axis = axis < 0 ? axis + rank : axis;
        *answer = number_operand(axis >= 0 && axis < rank ? (double)x->shape.dims[axis] : 1, true);
    } else if (strcmp(name, "wants") == 0)
        *answer = number_operand(tensor && x->node, true);
    else if (strcmp(name, "wanted") == 0)
        *answer = number_operand(call->node && call->operands[0].number < call->node->edge_count &&
                                     node_wants(call->node, (int)call->operands[0].number),
                                 true);
    else if (strcmp(name, "is_float") == 0)
        *answer = number_operand(tensor && value_is_float(x), true);
    else if (strcmp(name, "is_boolean") == 0)
        *answer = number_operand(tensor && x->shape.dtype == MEMMODEL_BOOL, true);
    else if (strcmp(name, "is_contiguous") == 0)
        *answer = number_operand(tensor && value_is_contiguous(x), true);
    else
        return false;
    return true;
}

/* An operator with a formula of its own, called with tensors. */
static struct value *
evaluate(struct step *step, const struct layer *layer, const struct formula_rule *formula,
         struct formula_operand *inputs);

static struct formula_operand
call_function(struct run *run, struct formula_call *call, const char *name)
{
    const struct formula_function *function = formula_function_find(name);
    char operation[LONGEST_NAME + 16] = "aten.";
    const struct formula_rule *formula;
    struct formula_operand answer;

    if (ask(call, name, &answer))
        return answer;
    if (call->count > 0 && call->operands[0].kind == OPERAND_NONE)
        return tensor_operand(NULL);
    if (function) {
        call->detail = function->detail;
        return keep_temporary(run, function->make(call));
    }
    strcat(strcat(operation, name), ".default");
    formula = formula_find(operation);
    if (!formula)
        return tensor_operand(NULL);
    return keep_temporary(run, evaluate(run->step, run->layer, formula, call->operands));
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
compute_operands(struct run *run, struct part part, struct formula_call *call, bool first)
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
function(struct run *run, struct part part, size_t length)
{
    struct formula_call call = {.step = run->step, .layer = run->layer, .node = run->node, .input = run->input};
    char text[LONGEST_NAME] = "";

    if (length >= sizeof text)
        return tensor_operand(NULL);
    memcpy(text, part.begin, length);
    compute_operands(run, (struct part){part.begin + length + 1, part.end - 1}, &call,
                     strcmp(text, "where") != 0 && strcmp(text, "both") != 0);
    return call_function(run, &call, text);
}

static struct formula_operand
number(struct part part)
{
    size_t digits = strspn(part.begin, "0123456789");

    return number_operand(strtod(part.begin, NULL), part.begin[digits] != '.');
}

static struct formula_operand
primary(struct run *run, struct part part)
{
    size_t length = name_length(part.begin);

    if (part.begin >= part.end)
        return tensor_operand(NULL);
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
combine(struct run *run, char sign, struct formula_operand a, struct formula_operand b)
{
    if (a.kind == OPERAND_NONE || b.kind == OPERAND_NONE)
        return sign != '+' && sign != '-' ? tensor_operand(NULL) : a.kind == OPERAND_NONE ? b : a;
    if (is_number(&a) && is_number(&b))
        return number_operand(calculate(sign, a.number, b.number), a.whole && b.whole && sign != '/');
    return keep_temporary(run, formula_binary(run->step, sign, &a, &b));
}

/* The right operand first, as compilers do. `sign` is one character, or two that end with an equals sign. */
static struct formula_operand
both(struct run *run, struct part part, const char *sign)
{
    const char *next = sign + (sign[1] == '=' ? 2 : 1);
    struct formula_operand right = compute(run, (struct part){next, part.end});

    return combine(run, *sign, compute(run, (struct part){part.begin, sign}), right);
}

static struct formula_operand
negative(struct run *run, struct part part)
{
    struct formula_operand operand = compute(run, (struct part){part.begin + 1, part.end});

    if (is_number(&operand))
        return number_operand(-operand.number, operand.whole);
    return operand.kind == OPERAND_TENSOR ? keep_temporary(run, formula_binary(run->step, 'n', &operand, &operand))
                                          : operand;
}

static bool
holds(const struct formula_operand *condition)
{
    return is_number(condition) ? condition->number != 0 : condition->kind == OPERAND_TENSOR;
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
either(struct run *run, struct part part, const char *sign)
{
    struct part rest = {sign + 1, part.end};
    const char *colon = find_colon(rest);
    struct formula_operand condition = compute(run, (struct part){part.begin, sign});

    if (holds(&condition))
        return compute(run, (struct part){rest.begin, colon ? colon : rest.end});
    return colon ? compute(run, (struct part){colon + 1, rest.end}) : tensor_operand(NULL);
}

static struct formula_operand
compute(struct run *run, struct part part)
{
    const char *sign;

    part = trimmed(part);
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

/* ---- texts ---- */

/* Drops what an expression made but its value, which is left as the only one. */
static void
keep_last(struct run *run, int from, struct formula_operand operand)
{
    struct value *kept = operand.kind == OPERAND_TENSOR ? value_keep(operand.value) : NULL;

    drop_temporaries(run, from);
    if (kept)
        keep_temporary(run, kept);
}

/* "name = ..." */
static const char *
assigned_to(struct part part)
{
    size_t length = name_length(part.begin);
    const char *at = part.begin + length;

    while (at < part.end && *at == ' ')
        at++;
    return length > 0 && at + 1 < part.end && at[0] == '=' && at[1] != '=' ? at : NULL;
}

/*
 * Results that are wanted (bit by bit), a new reference each. An expression that has no value is none. Behind a comma it is
 * part of the statement before it.
 */
static void
run_text(struct run *run, const char *text, struct value **results, int most, uint32_t wanted)
{
    int count = 0, from = 0;

    while (*text && count < most && !run->step->status) {
        struct part all = {text, text + strlen(text)}, part;
        const char *end = find_sign(all, ";,", false), *equals;
        struct formula_operand operand = {.kind = OPERAND_NONE};

        part = trimmed((struct part){text, end ? end : all.end});
        equals = assigned_to(part);
        if (equals) {
            operand = compute(run, (struct part){equals + 1, part.end});
            keep_last(run, from, operand);
            unbind(run, part.begin, name_length(part.begin));
            from = run->temporary_count;
            bind(run, part.begin, name_length(part.begin), operand);
        } else if (!(wanted >> count & 1)) {
            count++;
        } else if ((operand = compute(run, part)).kind == OPERAND_TENSOR) {
            results[count++] = value_keep(operand.value);
            if (!end || *end == ';')
                drop_temporaries(run, from);
        }
        text = end ? end + 1 : all.end;
    }
    drop_temporaries(run, 0);
}

/* ---- inputs ---- */

/* Input `index` of the formula: its name; false after the last. */
static bool
input_name(const struct formula_rule *formula, int index, const char **name, size_t *length)
{
    const char *at = formula->inputs;

    for (; *at; index--) {
        *name = at;
        *length = name_length(at);
        at += *length;
        at += strspn(at, "? ");
        if (index == 0)
            return true;
    }
    return false;
}

static bool
occurs(const char *text, const char *name, size_t length)
{
    for (const char *at = text; at && *at;) {
        size_t word = name_length(at);

        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word > 0 ? word : 1;
    }
    return false;
}

enum { MOST_RESULTS = 3 };

/* Which gradients a name is needed for: a bit each. */
static uint32_t
users_of(const struct formula_rule *formula, const char *name, size_t length)
{
    uint32_t users = 0;

    for (int i = 0; i < FORMULA_INPUTS; i++)
        users |= (uint32_t)occurs(formula->gradients[i], name, length) << i;
    return users;
}

static bool
has_gradients(const struct formula_rule *formula)
{
    for (int i = 0; i < FORMULA_INPUTS; i++)
        if (formula->gradients[i])
            return true;
    return false;
}

/* ---- backward ---- */

/* What a node knows: its formula, and operands that are no tensors. */
struct recorded {
    const struct formula_rule *formula;
    struct formula_operand operands[FORMULA_INPUTS];
};

static const struct formula_rule *
formula_of(const struct node *node)
{
    return ((const struct recorded *)node->options)->formula;
}

/* What is saved: the inputs in their order, then the results. */
static void
bind_saved(struct run *run, const struct node *node)
{
    const struct recorded *recorded = node->options;
    const struct formula_rule *formula = recorded->formula;
    static const char *const results[] = {"result", "result1", "result2"};
    const char *name;
    size_t length;
    int at = 0;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++) {
        if (is_number(&recorded->operands[i]))
            bind(run, name, length, recorded->operands[i]);
        if (users_of(formula, name, length) && at < node->saved_count)
            bind(run, name, length, tensor_operand(node->saved[at++]));
    }
    for (int i = 0; i < MOST_RESULTS; i++)
        if (users_of(formula, results[i], strlen(results[i])) && at < node->saved_count)
            bind(run, results[i], strlen(results[i]), tensor_operand(node->saved[at++]));
}

/* The derivatives come in the order of their names. */
static int
next_input(const struct formula_rule *formula, const char *after)
{
    const char *best = NULL, *name;
    size_t length;
    int found = -1;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++)
        if ((!after || strcmp(name, after) > 0) && (!best || strcmp(name, best) < 0)) {
            best = name;
            found = i;
        }
    return found;
}

/* One of those that the text of an input before it has. */
static bool
is_joint(const char *gradient)
{
    return gradient && !gradient[0];
}

static void
gradient(struct step *step, struct node *node, struct value **incoming, struct value **gradients, int input)
{
    static const char *const names[] = {"grad", "grad1", "grad2"};
    const struct formula_rule *formula = formula_of(node);
    uint32_t wanted = 0;
    int count;
    struct run run = {
        .step = step, .layer = &step->network->layers[node->layer], .node = node, .input = &node->edges[input].shape};

    bind_saved(&run, node);
    for (int i = 0; i < node->output_count && i < MOST_RESULTS; i++)
        bind(&run, names[i], strlen(names[i]), tensor_operand(incoming[i]));
    for (count = 0; input + count < FORMULA_INPUTS && (count == 0 || is_joint(formula->gradients[input + count]));
         count++)
        wanted |= (uint32_t)node_wants(node, input + count) << count;
    run_text(&run, formula->gradients[input], &gradients[input], count, wanted);
}

/* Those of the inputs that one text is for. */
static bool
wants_any(const struct formula_rule *formula, const struct node *node, int first)
{
    bool wants = node_wants(node, first);

    for (int i = first + 1; i < FORMULA_INPUTS && is_joint(formula->gradients[i]); i++)
        wants |= node_wants(node, i);
    return wants;
}

static void
formula_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct formula_rule *formula = formula_of(node);
    const char *name = NULL;
    size_t length;

    for (int i; (i = next_input(formula, name)) >= 0;) {
        input_name(formula, i, &name, &length);
        if (formula->gradients[i] && !is_joint(formula->gradients[i]) && wants_any(formula, node, i))
            gradient(step, node, incoming, gradients, i);
    }
}

/* ---- forward ---- */

/* A name that one gradient alone needs is saved if that one is wanted. load_derivatives.py, saved_variables */
static bool
is_needed(const struct formula_rule *formula, const struct node *node, uint32_t users)
{
    int gradients = 0;

    for (int i = 0; i < FORMULA_INPUTS; i++)
        gradients += formula->gradients[i] && !is_joint(formula->gradients[i]);
    if (gradients <= 1 || (users & (users - 1)))
        return true;
    for (int i = 0; i < node->edge_count; i++)
        if (users >> i & 1)
            return node_wants(node, i);
    return true;
}

static void
save(struct step *step, struct node *node, const struct formula_rule *formula, struct value **inputs,
     struct value **results)
{
    static const char *const names[] = {"result", "result1", "result2"};
    const char *name;
    size_t length;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++) {
        uint32_t users = users_of(formula, name, length);

        if (users)
            step_save(step, node, is_needed(formula, node, users) ? inputs[i] : NULL);
    }
    for (int i = 0; i < MOST_RESULTS; i++)
        if (users_of(formula, names[i], strlen(names[i])))
            step_save(step, node, results[i]);
}

static void
record(struct step *step, const struct formula_rule *formula, const struct formula_operand *operands,
       struct value **results, int count)
{
    static const struct derivative derivative = {"formula", formula_backward};
    struct value *inputs[FORMULA_INPUTS], *differentiable[FORMULA_INPUTS];
    struct recorded *recorded = arena_allocate(&step->pool.arena, sizeof *recorded);
    struct node *node;

    for (int i = 0; i < FORMULA_INPUTS; i++) {
        inputs[i] = operands[i].kind == OPERAND_TENSOR ? operands[i].value : NULL;
        differentiable[i] = formula->gradients[i] ? inputs[i] : NULL;
    }
    if (!recorded) {
        step_fail(step, MEMMODEL_ERROR_NOMEM);
        return;
    }
    node = node_new(step, &derivative, differentiable, FORMULA_INPUTS, count);
    if (!node)
        return;
    recorded->formula = formula;
    memcpy(recorded->operands, operands, sizeof recorded->operands);
    node->options = recorded;
    save(step, node, formula, inputs, results);
    for (int i = 0; i < count; i++)
        if (results[i] && value_is_float(results[i]))
            node_attach(step, node, results[i], i);
}

/* Results after the first `count` are only saved. */
static void
run_formula(struct step *step, const struct layer *layer, const struct formula_rule *formula,
            const struct formula_operand *operands, struct value **results, int count)
{
    struct run run = {.step = step, .layer = layer};
    bool grad_mode = step->grad_mode, own = has_gradients(formula);
    const char *name;
    size_t length;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++)
        bind(&run, name, length, operands[i]);
    step->grad_mode = grad_mode && !own;
    run_text(&run, formula->result, results, MOST_RESULTS, ~UINT32_C(0));
    step->grad_mode = grad_mode;
    if (own && grad_mode && !step->status)
        record(step, formula, operands, results, count);
    for (int i = count; i < MOST_RESULTS; i++)
        value_drop(step, results[i]);
}

static struct value *
evaluate(struct step *step, const struct layer *layer, const struct formula_rule *formula,
         struct formula_operand *inputs)
{
    struct value *results[MOST_RESULTS] = {NULL};

    run_formula(step, layer, formula, inputs, results, 1);
    return results[0] ? results[0] : value_buffer(step, 0);
}

bool
formula_forward(struct step *step, const struct layer *layer, const struct formula_rule *formula)
{
    struct formula_operand operands[FORMULA_INPUTS] = {{.kind = OPERAND_NONE}};
    struct value *results[MOST_RESULTS] = {NULL};
    int count = layer->output_count < MOST_RESULTS ? layer->output_count : MOST_RESULTS;
    const char *name;
    size_t length;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++) {
        struct value *input = i < layer->input_count ? step_input(step, layer, i) : NULL;

        if (!input && name[length] != '?')
            return false;
        operands[i] = tensor_operand(input);
    }
    run_formula(step, layer, formula, operands, results, count);
    if (!results[0])
        return false;
    for (int i = 0; i < count; i++)
        step_output(step, layer, i, results[i] ? results[i] : value_buffer(step, 0));
    return true;
}

/* ---- the tables ---- */

extern const struct formula_table formulas_elementwise, formulas_linear_algebra, formulas_losses, formulas_products, formulas_reductions;

static const struct formula_table *const tables[] = {&formulas_elementwise, &formulas_linear_algebra, &formulas_losses, &formulas_products, &formulas_reductions};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

const struct formula_rule *
formula_at(size_t index)
{
    for (size_t i = 0; i < TABLE_COUNT; index -= tables[i++]->count)
        if (index < tables[i]->count)
            return &tables[i]->formulas[index];
    return NULL;
}

static int
compare_names(const void *name, const void *formula)
{
    return strcmp(name, ((const struct formula_rule *)formula)->name);
}

const struct formula_rule *
formula_find(const char *operation)
{
    const struct formula_rule *formula = NULL;

    for (size_t i = 0; i < TABLE_COUNT && !formula; i++)
        formula = bsearch(operation, tables[i]->formulas, tables[i]->count, sizeof *formula, compare_names);
    return formula;
}
