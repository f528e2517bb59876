/* Terms as a reader of their text has them. */
#include "regression/select/canonical_order.h"

#include <string.h>

enum { MAX_ROUNDS = 6 };

/* The terms' texts, each ended by a zero byte. */
static char *
print_terms(const memmodel_model *model)
{
    struct text text = TEXT_INIT(model->context);

    for (size_t k = 0; k < model->term_count; k++) {
        expression_print(model->pool, model->terms[k], EXPRESSION_TEXT, &text);
        text_append(&text, "\n");
    }
    return text_finish(&text);
}

/* Reads the texts into `pool`; the lines of `texts` are cut apart. */
static int
read_terms(struct expression_pool *pool, char *texts, expression *terms)
{
    size_t k = 0;

    for (char *line = texts, *end; (end = strchr(line, '\n')) != NULL; line = end + 1, k++) {
        *end = '\0';
        terms[k] = expression_parse(pool, "term", line);
        *end = '\n';
        if (terms[k] < 0)
            return status_ends_call(terms[k]) ? terms[k] : MEMMODEL_ERROR_DATA;
    }
    return 0;
}

/* The model's pool and terms are made again from their texts. */
static int
read_again(memmodel_model *model, char *texts)
{
    expression terms[MODEL_MAX_TERMS];
    struct expression_pool *pool;
    int status = expression_pool_new(model->context, &pool);

    if (status)
        return status;
    for (size_t i = 0; !status && i < model->input_count; i++) {
        expression symbol = expression_symbol(pool, expression_symbol_name(model->pool, i));

        status = symbol < 0 ? symbol : 0;
    }
    if (!status)
        status = read_terms(pool, texts, terms);
    if (status) {
        expression_pool_free(pool);
        return status;
    }
    expression_pool_free(model->pool);
    model->pool = pool;
    memcpy(model->terms, terms, model->term_count * sizeof *terms);
    return 0;
}

int
model_put_in_canonical_order(memmodel_model *model)
{
    char *before = print_terms(model), *after;
    int status = before ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    bool same = false;

    for (size_t round = 0; !status && !same && round < MAX_ROUNDS; round++) {
        status = read_again(model, before);
        after = status ? NULL : print_terms(model);
        if (!status && !after)
            status = MEMMODEL_ERROR_NO_MEMORY;
        same = !status && strcmp(before, after) == 0;
        memory_release(model->context, before);
        before = after;
    }
    memory_release(model->context, before);
    if (status || same)
        return status;
    return context_error(model->context, MEMMODEL_ERROR_DATA, model->target,
                         "a term is written in no order that stays");
}
