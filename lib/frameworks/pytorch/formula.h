/*
 * Operators whose rule is a formula, as PyTorch's own tools/autograd/derivatives.yaml has them: what is computed and
 * what of it is saved follows from the formula, and each function in it makes the tensors that its ATen operator makes.
 *
 * A text is one or more expressions; those before the last are named and live to its end:
 *
 *     "mask = self > 0; where(mask, grad, grad * 2)"
 *
 * + - * / and comparisons are those of C++ on tensors and numbers; x ? a : b asks for a number that is not zero, or for
 * a tensor that is there. Names are the operator's inputs, its other arguments, `result`, and in gradients `grad`.
 * Functions are those of formula_arithmetic.c, formula_tensors.c and formula_views.c, questions those of
 * formula_questions.c; an operator that has a formula itself is a function too, "sqrt_(x)" its in-place form. What an
 * expression makes on the way goes at its end, what a name holds also when it is given anew: "mask = none".
 *
 * Rows whose name is no operator of PyTorch's are parts of others, as aten.evenly.default is.
 */
#ifndef PYTORCH_FORMULA_H
#define PYTORCH_FORMULA_H

#include "frameworks/pytorch/operators.h"

enum { FORMULA_INPUTS = 5 };

struct formula_rule {
    const char *name;   /* aten.logaddexp.default */
    const char *inputs; /* "self other weight?": those with a ? may be missing, or be numbers */
    const char *result; /* several separated by commas */
    /*
     * Of each input, NULL where there is none; "": the text of an input before it has it, behind a comma. None at all:
     * the result's own operators have the gradients.
     */
    const char *gradients[FORMULA_INPUTS];
};

/* Rows of one file, sorted by name. */
struct formula_table {
    const struct formula_rule *formulas;
    size_t count;
};

#define FORMULA_TABLE(formulas_)                                                                                       \
    {                                                                                                                  \
        formulas_, sizeof formulas_ / sizeof formulas_[0]                                                              \
    }

/* Row `index` of all tables, or NULL after the last. */
const struct formula_rule *
formula_at(size_t index);

const struct formula_rule *
formula_find(const char *operation);

/*
 * The same, or the formula of which it is the in-place form: "aten.cos_.default" of "aten.cos.default", if that has a
 * result that is like(self), output() or written to target(self). The form changes its first operand, and has the same
 * gradients.
 */
const struct formula_rule *
formula_find_form(const char *operation);

/* Of "norm": aten.norm.default, or a form of it; NULL if there is none. */
const struct formula_rule *
formula_find_default(const char *name);

/*
 * Runs the formula of that name. False, and no output made, if there is none, or the layer lacks an input, or is in a
 * form that the formula does not cover.
 */
bool
formula_forward(struct step *step, const struct layer *layer, const char *operation);

/* ---- inside: what an expression is ---- */

enum operand_kind { OPERAND_NONE, OPERAND_TENSOR, OPERAND_NUMBER, OPERAND_ARGUMENT };

struct formula_operand {
    enum operand_kind kind;
    struct value *value; /* stays that of the formula */
    double number;       /* also of an argument that is one */
    bool whole;
    char argument[24]; /* its name */
};

struct formula_operand
formula_tensor(struct value *value);

struct formula_operand
formula_number(double number, bool whole);

/* aten.NAME.default, called by another operator: its first result. */
struct value *
aten_formula(struct step *step, const char *name, const struct formula_operand *operands, int count);

/* A number, or an argument of the operator. */
bool
formula_is_number(const struct formula_operand *operand);

enum { FUNCTION_OPERANDS = 6 };

struct formula_call {
    struct step *step;
    const struct layer *layer;
    const struct node *node;   /* NULL in the forward pass */
    const struct shape *input; /* that the gradient is for; NULL in the forward pass */
    struct formula_operand operands[FUNCTION_OPERANDS];
    int count, detail, depth;
    bool in_place; /* the form of the operator that changes its first operand */
};

struct formula_function {
    const char *name;
    struct value *(*make)(struct formula_call *call); /* a new reference */
    int detail;
};

/* Rows of one file, sorted by name. */
struct formula_functions {
    const struct formula_function *functions;
    size_t count;
};

#define FORMULA_FUNCTIONS(functions_)                                                                                  \
    {                                                                                                                  \
        functions_, sizeof functions_ / sizeof functions_[0]                                                           \
    }

extern const struct formula_functions formula_arithmetic, formula_tensors, formula_views;

/* Details of functions that make tensors of the type of their operand or of another. */
enum formula_type { SAME_TYPE, BOOLEANS, INTEGERS, FLOATS };

/* NULL if there is none. */
const struct formula_function *
formula_function_find(const char *name);

/* Operand `index` as a tensor; an empty one where it is none. */
struct value *
operand_tensor(struct formula_call *call, int index);

double
operand_number(const struct formula_call *call, int index, double otherwise);

bool
operand_is_tensor(const struct formula_call *call, int index);

/* Axes of the first operand that operand `index` says: an argument's list, a number, or none, which is all. */
uint64_t
operand_axes(struct formula_call *call, int index);

int
operand_axis(struct formula_call *call, int index, int rank);

/* a + b and so on, '<' for any comparison; a new reference. */
struct value *
formula_binary(struct step *step, char sign, const struct formula_operand *a, const struct formula_operand *b);

/* rank(x), given(p, 2) and the like: numbers of tensors and arguments; false if it is none of these. */
bool
formula_is_question(const char *name);

bool
formula_ask(const struct formula_call *call, const char *name, struct formula_operand *answer);

/* True of a function, a question, or an operator with a formula: what may stand before a parenthesis. */
bool
formula_knows(const char *name);

/* An operator with a formula of its own, called in another's; by a name such as "sqrt_" it is in place. */
struct value *
formula_called(struct formula_call *call, const struct formula_rule *formula, const char *name);

/* ---- inside: a text, read once in each simulation ---- */

enum { FORMULA_LONGEST_NAME = 24 };

enum { TERM_NUMBER = '0', TERM_NAME = 'n', TERM_CALL = '(', TERM_NEGATIVE = '_' };

/* A part of a text and its own parts; NULL, here and there, is one that has no value. */
struct formula_term {
    char kind; /* one of those, '?', or a sign between two parts: the first character of a comparison */
    char name[FORMULA_LONGEST_NAME];
    int count; /* operands of a call */
    struct formula_operand number;
    const struct formula_function *function; /* that a call names, or the formula; both NULL: a question */
    const struct formula_rule *formula;
    const struct formula_term *parts[FUNCTION_OPERANDS];
};

struct formula_statement {
    const char *name; /* that is given; NULL: a result */
    size_t length;
    bool ends; /* what was made on the way goes */
    const struct formula_term *term;
    struct formula_statement *next;
};

struct formula_text {
    const char *text; /* the key: its address */
    struct formula_statement *first;
    struct formula_text *next; /* in the same slot */
};

/* They live as long as the step. NULL: there is none, or the step failed. */
const struct formula_statement *
formula_statements(struct step *step, const char *text);

/* ---- inside: one text being computed ---- */

enum { FORMULA_NAMES = 24, FORMULA_TEMPORARIES = 64, FORMULA_DEPTH = 100 };

struct formula_name {
    const char *name;
    size_t length;
    struct formula_operand operand;
};

struct formula_run {
    struct step *step;
    const struct layer *layer;
    const struct node *node;   /* NULL in the forward pass */
    const struct shape *input; /* that the gradient is for; NULL in the forward pass */
    struct formula_name names[FORMULA_NAMES];
    struct value *temporaries[FORMULA_TEMPORARIES];
    int name_count, temporary_count;
    int depth; /* of formulas that call one another, and of the parts within parts of their texts */
    bool in_place;
};

/* How long the name is that a text begins with; 0 if it begins with none. */
size_t
formula_name_length(const char *text);

void
formula_bind(struct formula_run *run, const char *name, size_t length, struct formula_operand operand);

/*
 * Up to `max` results, those of which are made whose bit is in `wanted`, a new reference each. An expression that has
 * no value is none. Behind a comma it is part of the statement before it.
 */
void
formula_run_text(struct formula_run *run, const char *text, struct value **results, int max, uint32_t wanted);

#endif
