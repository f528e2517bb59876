/* Any text is refused with a reason, or is an expression that prints, reads back as itself, and can be computed. */
#include "fuzz.h"

#include "expression/expression.h"

static void
use(struct expression_pool *pool, expression a)
{
    double *symbols = calloc(expression_symbol_count(pool) + 1, sizeof *symbols), min, max;
    int64_t *integers = calloc(expression_symbol_count(pool) + 1, sizeof *integers);
    int64_t *values = calloc(expression_count(pool), sizeof *values);

    if (!symbols || !integers || !values)
        abort();
    expression_evaluate_integers(pool, integers, values);
    expression_evaluate(pool, a, symbols);
    expression_bound(pool, a, symbols, symbols, &min, &max);
    if (!(min <= max))
        abort();
    free(symbols);
    free(integers);
    free(values);
}

/* What is printed may be longer and deeper than what is read; else it is the same expression. */
static void
read_back(memmodel_context *context, struct expression_pool *pool, expression a)
{
    struct text text = TEXT_INIT(context);
    expression back;

    expression_print(pool, a, EXPRESSION_TEXT, &text);
    back = text.failed ? a : expression_parse(pool, "formula", text.bytes);
    if (back >= 0 && back != a)
        abort();
    if (back == MEMMODEL_ERROR_PARSE && !strstr(memmodel_context_error(context)->message, "deep") &&
        !strstr(memmodel_context_error(context)->message, "longer"))
        abort();
    text_release(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    struct expression_pool *pool;
    char text[4096];
    expression a;

    if (size >= sizeof text || memmodel_context_new(NULL, &context))
        return 0;
    if (expression_pool_new(context, &pool))
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    a = expression_parse(pool, "formula", text);
    expect_explained(context, a);
    if (a >= 0) {
        read_back(context, pool, a);
        use(pool, a);
    }
    expression_pool_free(pool);
    memmodel_context_unref(context);
    return 0;
}
