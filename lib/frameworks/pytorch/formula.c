/* Rules that are formulas: what they save, and their nodes. See formula.h. */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

#include <stdlib.h>
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
    for (const char *at = text; at && *at;) {
        size_t word = formula_name_length(at);

        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word > 0 ? word : 1;
    }
    return false;
}

enum { MAX_RESULTS = 3 };

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
bind_saved(struct formula_run *run, const struct node *node)
{
    const struct recorded *recorded = node->options;
    const struct formula_rule *formula = recorded->formula;
    static const char *const results[] = {"result", "result1", "result2"};
    const char *name;
    size_t length;
    int at = 0;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++) {
        if (formula_is_number(&recorded->operands[i]))
            formula_bind(run, name, length, recorded->operands[i]);
        if (users_of(formula, name, length) && at < node->saved_count)
            formula_bind(run, name, length, formula_tensor(node->saved[at++]));
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        if (users_of(formula, results[i], strlen(results[i])) && at < node->saved_count)
            formula_bind(run, results[i], strlen(results[i]), formula_tensor(node->saved[at++]));
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
    for (int i = 0; i < MAX_RESULTS; i++)
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
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
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
run_formula(const struct formula_call *call, const struct formula_rule *formula, struct value **results, int count)
{
    struct step *step = call->step;
    struct formula_run run = {.step = step, .layer = call->layer, .depth = call->depth};
    bool grad_mode = step->grad_mode, own = has_gradients(formula);
    const char *name;
    size_t length;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++)
        formula_bind(&run, name, length, call->operands[i]);
    step->grad_mode = grad_mode && !own;
    formula_run_text(&run, formula->result, results, MAX_RESULTS, ~UINT32_C(0));
    step->grad_mode = grad_mode;
    if (own && grad_mode && !step->status)
        record(step, formula, call->operands, results, count);
    for (int i = count; i < MAX_RESULTS; i++)
        value_drop(step, results[i]);
}

struct value *
formula_called(struct formula_call *call, const struct formula_rule *formula)
{
    struct value *results[MAX_RESULTS] = {NULL};

    run_formula(call, formula, results, 1);
    return results[0] ? results[0] : value_buffer(call->step, 0);
}

bool
formula_forward(struct step *step, const struct layer *layer, const struct formula_rule *formula)
{
    struct formula_call call = {.step = step, .layer = layer};
    struct value *results[MAX_RESULTS] = {NULL};
    int count = layer->output_count < MAX_RESULTS ? layer->output_count : MAX_RESULTS;
    const char *name;
    size_t length;

    for (int i = 0; i < FORMULA_INPUTS && input_name(formula, i, &name, &length); i++) {
        struct value *input = i < layer->input_count ? step_input(step, layer, i) : NULL;

        if (!input && name[length] != '?')
            return false;
        call.operands[i] = formula_tensor(input);
    }
    run_formula(&call, formula, results, count);
    if (!results[0])
        return false;
    for (int i = 0; i < count; i++)
        step_output(step, layer, i, results[i] ? results[i] : value_buffer(step, 0));
    return true;
}

/* ---- the tables ---- */

extern const struct formula_table formulas_elementwise, formulas_linear_algebra, formulas_losses, formulas_products,
    formulas_reductions, formulas_special;

static const struct formula_table *const tables[] = {&formulas_elementwise, &formulas_linear_algebra,
                                                     &formulas_losses,      &formulas_products,
                                                     &formulas_reductions,  &formulas_special};

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
