/* The texts that operators of PyTorch have as rules: their words, how they are read, and which forms follow from them. */
#include "check.h"

#include "frameworks/pytorch/formula.h"
#include "network/attributes.h"

/* ---- each word of a text is known ---- */

/* Arguments that operators are called with, and the names of results and gradients. */
static const char *const known_words[] = {
    "align_corners",
    "alpha",
    "amax",
    "amin",
    "approximate",
    "beta",
    "compute_mode",
    "dim",
    "dim0",
    "dim1",
    "eps",
    "exponent",
    "grad",
    "grad1",
    "grad2",
    "include_self",
    "keepdim",
    "label_smoothing",
    "log_input",
    "log_target",
    "margin",
    "mean",
    "n",
    "none",
    "ord",
    "other",
    "out",
    "p",
    "prod",
    "reduce",
    "reduction",
    "result",
    "result1",
    "result2",
    "self",
    "sum",
    "swap",
    "tanh",
    "training",
    "value",
    "weight",
};

static bool
is_word_of(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at;) {
        size_t size = formula_name_length(at);

        if (size == length && strncmp(at, word, length) == 0)
            return true;
        at += size ? size : 1;
    }
    return false;
}

/* "word = " somewhere before. */
static bool
is_assigned(const char *text, const char *word, size_t length)
{
    for (const char *at = text; at < word; at++) {
        bool begins = at == text || (formula_name_length(at - 1) == 0);

        if (begins && formula_name_length(at) == length && strncmp(at, word, length) == 0 &&
            strncmp(at + length, " = ", 3) == 0)
            return true;
    }
    return false;
}

static bool
is_known(const struct formula_rule *formula, const char *text, const char *word, size_t length)
{
    char name[64] = "";

    if (length >= sizeof name)
        return false;
    memcpy(name, word, length);
    if (word[length] == '(')
        return formula_knows(name);
    for (size_t i = 0; i < sizeof known_words / sizeof known_words[0]; i++)
        if (strcmp(known_words[i], name) == 0)
            return true;
    return strncmp(word + length, " = ", 3) == 0 || is_word_of(formula->inputs, word, length) ||
           is_assigned(text, word, length);
}

static void
check_text(const struct formula_rule *formula, const char *text)
{
    int depth = 0;

    for (const char *at = text; *at;) {
        size_t length = formula_name_length(at), digits = strspn(at, "0123456789.");

        depth += (*at == '(') - (*at == ')');
        if (depth < 0 || (length == 0 && !strchr(" ()+-*/<>=!&?:;,.", *at)))
            fail_msg("%s: \"%s\"", formula->name, at);
        if (length > 0 && digits == 0 && !is_known(formula, text, at, length))
            fail_msg("%s: %.*s is no name, argument or function", formula->name, (int)length, at);
        at += digits ? digits : length ? length : 1;
    }
    if (depth != 0)
        fail_msg("%s: parentheses of \"%s\"", formula->name, text);
}

static void
words_of_formulas_are_known(void **state)
{
    const struct formula_rule *formula;

    (void)state;
    for (size_t i = 0; (formula = formula_at(i)) != NULL; i++) {
        check_text(formula, formula->result);
        for (int k = 0; k < FORMULA_INPUTS; k++)
            if (formula->gradients[k])
                check_text(formula, formula->gradients[k]);
    }
}

/* ---- forms that follow, and how a text is read ---- */

/* A form that changes its operand has to have the operand's shape and type. */
static void
formulas_of_results_like_their_operand_have_in_place_forms(void **state)
{
    (void)state;
    assert_ptr_equal(formula_find_form("aten.cos_.default"), formula_find("aten.cos.default"));
    assert_ptr_equal(formula_find_form("aten.scatter_.src"), formula_find("aten.scatter.src"));
    assert_ptr_equal(formula_find_form("aten.leaky_relu_.default"), formula_find("aten.leaky_relu_.default"));
    assert_null(formula_find_form("aten.var_.default"));
    assert_null(formula_find_form("aten.no_such_operator_.default"));
}

static void
a_function_that_no_formula_has_is_unknown(void **state)
{
    (void)state;
    assert_false(formula_knows("no_such_function"));
}

static void
a_text_is_read_once_in_a_simulation(void **state)
{
    static const char text[] = "half = self / 2; half * -half";
    struct step step = {.pool = OBJECT_POOL_INIT(*state)};
    const struct formula_statement *statements = formula_statements(&step, text);

    assert_non_null(statements);
    assert_ptr_equal(formula_statements(&step, text), statements);
    assert_ptr_equal(statements->name, text);
    assert_int_equal(statements->term->kind, '/');
    assert_null(statements->next->name);
    assert_int_equal(statements->next->term->parts[1]->kind, TERM_NEGATIVE);
    assert_null(statements->next->next);
    object_pool_release(&step.pool);
}

static void
a_text_of_too_many_parentheses_is_refused(void **state)
{
    struct step step = {.pool = OBJECT_POOL_INIT(*state)};
    char text[2 * FORMULA_DEPTH + 2] = "";

    memset(text, '(', FORMULA_DEPTH);
    memset(text + FORMULA_DEPTH + 1, ')', FORMULA_DEPTH);
    text[FORMULA_DEPTH] = 'x';
    formula_statements(&step, text);
    assert_int_equal(step.status, MEMMODEL_ERROR_UNSUPPORTED);
    object_pool_release(&step.pool);
}

/* Python's 2 is an integer, and 2.0 and 1e3 are none. */
static void
a_number_with_a_point_or_an_exponent_is_not_whole(void **state)
{
    const struct memmodel_custom options = {.attributes = "alpha=-2 beta=2.0 eps=1e3"};
    const struct layer layer = {.op = OP_CUSTOM, .options = (void *)&options};

    (void)state;
    assert_true(attribute_is_whole(&layer, "alpha"));
    assert_false(attribute_is_whole(&layer, "beta"));
    assert_false(attribute_is_whole(&layer, "eps"));
    assert_false(attribute_is_whole(&layer, "gamma"));
}

/* Of two functions of one name only one would be found. */
static void
each_function_has_a_name_of_its_own(void **state)
{
    const struct formula_functions *tables[] = {&formula_arithmetic, &formula_tensors, &formula_views};

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (size_t k = 0; k < tables[i]->count; k++)
            assert_ptr_equal(formula_function_find(tables[i]->functions[k].name), &tables[i]->functions[k]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_formulas_are_known),
        cmocka_unit_test(formulas_of_results_like_their_operand_have_in_place_forms),
        cmocka_unit_test(a_function_that_no_formula_has_is_unknown),
        cmocka_unit_test(a_number_with_a_point_or_an_exponent_is_not_whole),
        cmocka_unit_test(each_function_has_a_name_of_its_own),
        WITH_CONTEXT(a_text_is_read_once_in_a_simulation),
        WITH_CONTEXT(a_text_of_too_many_parentheses_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
