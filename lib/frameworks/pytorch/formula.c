/* Rules that are formulas: what they save, and their nodes. See formula.h. */
#include "frameworks/pytorch/formula.h"
#include "base/text.h"
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

/* ---- inputs ---- */

/* Input `index` of the formula: its name; false after the last. */
static bool
input_name(const struct formula_rule *formula, int index, const char **name, size_t *length)
{
    const char *at = formula->inputs;

    for (; *at; index--) {
        *name = at;
        *length = formula_name_length(at);
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
    for (const char *at = text ? strchr(text, *name) : NULL; at; at = strchr(at + 1, *name))
        if ((at == text || formula_name_length(at - 1) == 0) && formula_name_length(at) == length &&
            strncmp(at, name, length) == 0)
            return true;
    return false;
}

enum { MAX_RESULTS = 3 };

static const char *const result_names[MAX_RESULTS] = {"result", "result1", "result2"};

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

/*
 * What a node knows: its formula, which gradients need each input and result, and operands that are no tensors. Its
 * memory is named after what ran.
 */
struct recorded {
    struct derivative derivative;
    const struct formula_rule *formula;
    uint32_t input_users[FORMULA_INPUTS], result_users[MAX_RESULTS];
    struct formula_operand operands[FORMULA_INPUTS];
};

static const struct formula_rule *
formula_of(const struct node *node)
{
    return ((const struct recorded *)node->options)->formula;
}

/* What is saved: the inputs in their order, then the results. */
static void
bind_saved(struct formula_run *run, const struct node *node)
{
    const struct recorded *recorded = node->options;
    const struct formula_rule *formula = recorded->formula;
    const char *name;
    size_t length;
    int at = 0;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++) {
        if (formula_is_number(&recorded->operands[i]))
            formula_bind(run, name, length, recorded->operands[i]);
        if (recorded->input_users[i] && at < node->saved_count)
            formula_bind(run, name, length, formula_tensor(node->saved[at++]));
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        if (recorded->result_users[i] && at < node->saved_count)
            formula_bind(run, result_names[i], strlen(result_names[i]), formula_tensor(node->saved[at++]));
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
    struct formula_run run = {
        .step = step, .layer = &step->network->layers[node->layer], .node = node, .input = &node->edges[input].shape};

    bind_saved(&run, node);
    for (int i = 0; i < node->output_count && i < MAX_RESULTS; i++)
        formula_bind(&run, names[i], strlen(names[i]), formula_tensor(incoming[i]));
    for (count = 0; input + count < FORMULA_INPUTS && (count == 0 || is_joint(formula->gradients[input + count]));
         count++)
        wanted |= (uint32_t)node_wants(node, input + count) << count;
    formula_run_text(&run, formula->gradients[input], &gradients[input], count, wanted);
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
save(struct step *step, struct node *node, struct value **inputs, struct value **results)
{
    const struct recorded *recorded = node->options;

    for (int i = 0; i < FORMULA_INPUTS; i++)
        if (recorded->input_users[i])
            step_save(step, node, is_needed(recorded->formula, node, recorded->input_users[i]) ? inputs[i] : NULL);
    for (int i = 0; i < MAX_RESULTS; i++)
        if (recorded->result_users[i])
            step_save(step, node, results[i]);
}

static void
find_users(struct recorded *recorded)
{
    const char *name;
    size_t length;

    for (int i = 0; i < FORMULA_INPUTS && input_name(recorded->formula, i, &name, &length); i++)
        recorded->input_users[i] = users_of(recorded->formula, name, length);
    for (int i = 0; i < MAX_RESULTS; i++)
        recorded->result_users[i] = users_of(recorded->formula, result_names[i], strlen(result_names[i]));
}

static struct node *
node_of(struct step *step, const struct formula_rule *formula, const struct formula_operand *operands, int count)
{
    struct value *differentiable[FORMULA_INPUTS];
    struct recorded *recorded = step_arena_allocate(step, sizeof *recorded);
    struct node *node;
    int inputs = 0;

    if (!recorded)
        return NULL;
    for (int i = 0; i < FORMULA_INPUTS; i++) {
        bool has = formula->gradients[i] && operands[i].kind == OPERAND_TENSOR;

        differentiable[i] = has ? operands[i].value : NULL;
        inputs = formula->gradients[i] ? i + 1 : inputs;
    }
    *recorded = (struct recorded){.derivative = {step->what, formula_backward}, .formula = formula};
    memcpy(recorded->operands, operands, sizeof recorded->operands);
    find_users(recorded);
    node = node_new(step, &recorded->derivative, differentiable, inputs, count);
    if (node)
        node->options = recorded;
    return node;
}

/* ---- in place ---- */

/* "aten.cos_.default", but not "aten.__and__.Tensor" */
static bool
is_in_place(const char *operation)
{
    return strstr(operation, "_.") && !strstr(operation, "__.");
}

/* What the first operand was before it is changed, if its gradient needs that: gen_variable_type.py, original_self. */
static struct value *
original_self(struct step *step, const struct node *node, const struct formula_rule *formula, struct value *self)
{
    const char *name;
    size_t length;
    uint32_t users = input_name(formula, 0, &name, &length) ? users_of(formula, name, length) : 0;

    return node && self && users && is_needed(formula, node, users) ? value_like(step, self) : NULL;
}

static bool
has_target(const struct formula_rule *formula)
{
    return strstr(formula->result, "target(") != NULL;
}

/* What in-place forms do, which change their first operand. */
static const char *
result_text(const struct formula_rule *formula, bool in_place)
{
    return in_place && !is_in_place(formula->name) && !has_target(formula) ? "self" : formula->result;
}

/* ---- one call ---- */

/* Results after the first `count` are only saved. */
static void
run_formula(const struct formula_call *call, const struct formula_rule *formula, bool in_place, struct value **results,
            int count)
{
    struct step *step = call->step;
    struct formula_run run = {.step = step, .layer = call->layer, .depth = call->depth, .in_place = in_place};
    struct value *inputs[FORMULA_INPUTS], *old = NULL;
    bool grad_mode = step->grad_mode, own = has_gradients(formula);
    struct node *node = NULL;
    const char *name;
    size_t length;

    for (int i = 0; i < FORMULA_INPUTS; i++)
        inputs[i] = call->operands[i].kind == OPERAND_TENSOR ? call->operands[i].value : NULL;
    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++)
        formula_bind(&run, name, length, call->operands[i]);
    if (own && grad_mode && in_place) {
        node = node_of(step, formula, call->operands, count);
        inputs[0] = old = original_self(step, node, formula, inputs[0]);
    }
    step->grad_mode = grad_mode && !own;
    formula_run_text(&run, result_text(formula, in_place), results, MAX_RESULTS, ~UINT32_C(0));
    step->grad_mode = grad_mode;
    if (own && grad_mode && !in_place && !step->status)
        node = node_of(step, formula, call->operands, count);
    if (node && !step->status)
        save(step, node, inputs, results);
    for (int i = 0; node && i < count; i++)
        if (results[i] && value_is_float(results[i]))
            node_attach(step, node, results[i], i);
    value_drop(step, old);
    for (int i = count; i < MAX_RESULTS; i++)
        value_drop(step, results[i]);
}

/* "cos_" */
static bool
ends_in_place(const char *name)
{
    return name[0] && name[strlen(name) - 1] == '_';
}

struct value *
formula_called(struct formula_call *call, const struct formula_rule *formula, const char *name)
{
    struct value *results[MAX_RESULTS] = {NULL};

    run_formula(call, formula, ends_in_place(name), results, 1);
    return results[0] ? results[0] : value_buffer(call->step, 0);
}

struct value *
aten_formula(struct step *step, const char *name, const struct formula_operand *operands, int count)
{
    struct formula_call call = {.step = step, .layer = &step->network->layers[step->layer], .count = count};

    memcpy(call.operands, operands, (size_t)count * sizeof *operands);
    return formula_called(&call, formula_find_default(name), name);
}

struct value *
aten_unary(struct step *step, const char *name, struct value *x)
{
    const struct formula_operand operand = formula_tensor(x);

    return aten_formula(step, name, &operand, 1);
}

bool
formula_forward(struct step *step, const struct layer *layer, const char *operation)
{
    const struct formula_rule *formula = formula_find_form(operation);
    struct formula_call call = {.step = step, .layer = layer};
    struct value *results[MAX_RESULTS] = {NULL};
    int count = layer->output_count < MAX_RESULTS ? layer->output_count : MAX_RESULTS;
    bool in_place = is_in_place(operation);
    const char *name;
    size_t length;

    for (int i = 0; formula && i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++) {
        struct value *input = i < layer->input_count ? step_input(step, layer, i) : NULL;

        if (!input && name[length] != '?')
            return false;
        call.operands[i] = formula_tensor(input);
    }
    if (!formula)
        return false;
    step->what = formula->name;
    run_formula(&call, formula, in_place, results, count);
    if (!results[0])
        return false;
    for (int i = 0; i < count; i++)
        step_output(step, layer, i, results[i] ? results[i] : value_buffer(step, 0));
    if (in_place)
        node_written(step, step_input(step, layer, 0));
    return true;
}

/* ---- the tables ---- */

extern const struct formula_table formulas_arithmetic, formulas_elementwise, formulas_indexing, formulas_linear_algebra,
    formulas_losses, formulas_products, formulas_reductions, formulas_special, formulas_views;

static const struct formula_table *const tables[] = {
    &formulas_arithmetic, &formulas_elementwise, &formulas_indexing, &formulas_linear_algebra, &formulas_losses,
    &formulas_products,   &formulas_reductions,  &formulas_special,  &formulas_views,
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

const struct formula_rule *
formula_at(size_t index)
{
    for (size_t i = 0; i < TABLE_COUNT; index -= tables[i++]->count)
        if (index < tables[i]->count)
            return &tables[i]->formulas[index];
    return NULL;
}

const struct formula_rule *
formula_find(const char *operation)
{
    const struct formula_rule *formula = NULL;

    for (size_t i = 0; i < TABLE_COUNT && !formula; i++)
        formula = text_find(operation, tables[i]->formulas, tables[i]->count, sizeof *formula);
    return formula;
}

static bool
has_in_place_form(const struct formula_rule *formula)
{
    return has_target(formula) || strncmp(formula->result, "like(self", strlen("like(self")) == 0 ||
           strcmp(formula->result, "floating(self)") == 0 || strcmp(formula->result, "output()") == 0;
}

const struct formula_rule *
formula_find_form(const char *operation)
{
    const struct formula_rule *formula = formula_find(operation);
    char name[64];
    size_t length;

    if (formula || !is_in_place(operation) || strlen(operation) >= sizeof name)
        return formula;
    length = (size_t)(strstr(operation, "_.") - operation);
    memcpy(name, operation, length);
    strcpy(name + length, operation + length + 1);
    formula = formula_find(name);
    return formula && has_in_place_form(formula) ? formula : NULL;
}

const struct formula_rule *
formula_find_default(const char *name)
{
    static const char prefix[] = "aten.", suffix[] = ".default";
    char operation[64];
    size_t length = strlen(name);

    if (length + sizeof prefix + sizeof suffix > sizeof operation)
        return NULL;
    memcpy(operation, prefix, sizeof prefix);
    memcpy(operation + sizeof prefix - 1, name, length);
    memcpy(operation + sizeof prefix - 1 + length, suffix, sizeof suffix);
    return formula_find_form(operation);
}
