/* Checkpoints of a search. */
#include "regression/search/checkpoint.h"
#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, MOST_PARTS = 4096, LONGEST_TOKEN = 40 };

static const char format_name[] = "memmodel-fit-checkpoint";

static const char *const operations[] = {
    [TREE_ADD] = "+",   [TREE_SUBTRACT] = "-",    [TREE_MULTIPLY] = "*", [TREE_DIVIDE] = "/",        [TREE_MIN] = "min",
    [TREE_MAX] = "max", [TREE_SQUARE] = "square", [TREE_ROOT] = "sqrt",  [TREE_INVERSE] = "inverse", [TREE_LOG] = "log",
    [TREE_EXP] = "exp", [TREE_SIN] = "sin",       [TREE_COS] = "cos",    [TREE_TANH] = "tanh",
};

/* ---- trees as text: postfix, "x0 x1 2.5 + /" ---- */

static void
print_tree(const struct tree *tree, struct text *text)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];

        text_append(text, i ? " " : "");
        if (gene->operation == TREE_INPUT)
            text_printf(text, "x%d", gene->input);
        else if (gene->operation == TREE_NUMBER)
            text_append_double(text, gene->number);
        else
            text_append(text, operations[gene->operation]);
    }
}

static bool
read_gene(const char *token, size_t input_count, struct tree_gene *gene)
{
    char *end;

    *gene = (struct tree_gene){.operation = TREE_ADD};
    for (; gene->operation < TREE_LEAF; gene->operation++)
        if (strcmp(token, operations[gene->operation]) == 0)
            return true;
    if (token[0] == 'x' && token[1] >= '0' && token[1] <= '9') {
        unsigned long input = strtoul(token + 1, &end, 10);

        gene->input = (uint8_t)input;
        return *end == '\0' && input < input_count;
    }
    gene->operation = TREE_NUMBER;
    gene->number = strtod(token, &end);
    return end != token && *end == '\0' && isfinite(gene->number);
}

static bool
read_tree(const char *text, size_t input_count, struct tree *tree)
{
    size_t height = 0;

    tree->count = 0;
    while (*text) {
        size_t length = strcspn(text, " "), operands;
        struct tree_gene *gene = &tree->genes[tree->count];
        char token[LONGEST_TOKEN];

        if (length == 0 || length >= sizeof token || tree->count == TREE_MOST_NODES)
            return false;
        memcpy(token, text, length);
        token[length] = '\0';
        text += length + (text[length] == ' ');
        if (!read_gene(token, input_count, gene))
            return false;
        operands = tree_operands(gene->operation);
        if (height < operands)
            return false;
        height += 1 - operands;
        tree->count++;
    }
    return height == 1;
}

/* ---- formulas: arrays of trees ---- */

static json_t *
formula_to_json(memmodel_context *context, const struct formula *formula)
{
    json_t *array = json_array();

    for (size_t k = 0; k < formula->count; k++) {
        struct text text = TEXT_INIT(context);

        print_tree(&formula->trees[k], &text);
        json_array_append_new(array, text.failed ? NULL : json_string(text.bytes));
        text_release(&text);
    }
    if (json_array_size(array) == formula->count)
        return array;
    json_decref(array);
    return NULL;
}

static bool
formula_from_json(const json_t *array, size_t input_count, struct formula *formula)
{
    *formula = (struct formula){.count = json_array_size(array)};
    if (formula->count == 0 || formula->count > FORMULA_MOST_TREES)
        return false;
    for (size_t k = 0; k < formula->count; k++) {
        const char *text = json_string_value(json_array_get(array, k));

        if (!text || !read_tree(text, input_count, &formula->trees[k]))
            return false;
    }
    return true;
}

static json_t *
archive_to_json(memmodel_context *context, const struct archive *archive)
{
    json_t *array = json_array();
    size_t count = 0;

    for (size_t i = 0; i <= ARCHIVE_MOST_NODES; i++)
        if (archive->formulas[i].count > 0) {
            json_array_append_new(array, formula_to_json(context, &archive->formulas[i]));
            count++;
        }
    if (json_array_size(array) == count)
        return array;
    json_decref(array);
    return NULL;
}

/* ---- read ---- */

static int
check_parts(const struct json_document *document, const json_t *parts)
{
    if (json_array_size(parts) > MOST_PARTS)
        return json_error_at(document, parts, MEMMODEL_ERROR_PARSE, "\"parts\" has more than %d items", MOST_PARTS);
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i), *formulas;
        int64_t tried;
        int status;

        if (!json_is_object(part))
            return json_error_at(document, part, MEMMODEL_ERROR_PARSE, "a part must be an object");
        status = json_get_int64(document, part, "tried", &tried);
        if (!status)
            status = json_get_array(document, part, "formulas", &formulas);
        if (!status && tried < 0)
            status = json_error_at(document, part, MEMMODEL_ERROR_PARSE, "\"tried\" is below 0");
        if (status)
            return status;
    }
    return 0;
}

static void
print_key(uint64_t key, char text[17])
{
    for (int i = 0; i < 16; i++, key <<= 4)
        text[i] = "0123456789abcdef"[key >> 60];
    text[16] = '\0';
}

static int
read_document(const struct json_document *document, struct checkpoint *checkpoint)
{
    const json_t *parts;
    const char *fit;
    char own[17];
    int status = json_check_format(document, format_name, VERSION);

    if (!status)
        status = json_get_string(document, document->root, "fit", &fit);
    if (!status)
        status = json_get_array(document, document->root, "parts", &parts);
    if (!status)
        status = check_parts(document, parts);
    if (status)
        return status;
    print_key(checkpoint->key, own);
    if (strcmp(fit, own) != 0)
        return context_error(checkpoint->context, MEMMODEL_ERROR_INVALID_ARGUMENT, document->name,
                             "it is a checkpoint of another table or of other options");
    checkpoint->parts = json_deep_copy(parts);
    return checkpoint->parts ? 0 : memory_failed(checkpoint->context, "keeping a checkpoint");
}

int
checkpoint_parse(const char *name, const char *text, size_t length, struct checkpoint *checkpoint)
{
    struct json_document document;
    int status = json_document_parse(&document, checkpoint->context, name, text, length);

    if (status)
        return status;
    status = read_document(&document, checkpoint);
    json_document_release(&document);
    return status;
}

int
checkpoint_open(memmodel_context *context, const char *path, uint64_t key, struct checkpoint *checkpoint)
{
    char *text;
    size_t length;
    int status;

    *checkpoint = (struct checkpoint){.context = context, .path = path, .key = key};
    if (!path)
        return 0;
    if (file_is_missing(path)) {
        checkpoint->parts = json_array();
        return checkpoint->parts ? 0 : memory_failed(context, "keeping a checkpoint");
    }
    status = file_read(context, path, &text, &length);
    if (status)
        return status;
    status = checkpoint_parse(path, text, length, checkpoint);
    memory_release(context, text);
    return status;
}

void
checkpoint_release(struct checkpoint *checkpoint)
{
    json_decref(checkpoint->parts);
    checkpoint->parts = NULL;
}

bool
checkpoint_take(struct checkpoint *checkpoint, struct fitter *fitter, size_t input_count, size_t *tried,
                struct archive *archive)
{
    const json_t *part = json_array_get(checkpoint->parts, checkpoint->next), *formulas;

    if (!part)
        return false;
    checkpoint->next++;
    *tried = (size_t)json_integer_value(json_object_get(part, "tried"));
    formulas = json_object_get(part, "formulas");
    for (size_t i = 0; i < json_array_size(formulas); i++) {
        struct formula formula;

        if (formula_from_json(json_array_get(formulas, i), input_count, &formula) &&
            formula_count_numbers(&formula) <= FORMULA_MOST_NUMBERS && formula_fit_linear(fitter, &formula))
            archive_offer(archive, &formula);
    }
    return true;
}

/* ---- write ---- */

int
checkpoint_add(struct checkpoint *checkpoint, size_t tried, const struct archive *archive)
{
    char key[17], *text;
    json_t *root;
    int status;

    if (!checkpoint->path)
        return 0;
    checkpoint->next++;
    json_array_append_new(checkpoint->parts, json_pack("{s:I, s:o}", "tried", (json_int_t)tried, "formulas",
                                                       archive_to_json(checkpoint->context, archive)));
    print_key(checkpoint->key, key);
    root = json_pack("{s:s, s:i, s:s, s:O}", "format", format_name, "version", VERSION, "fit", key, "parts",
                     checkpoint->parts);
    if (!root || json_array_size(checkpoint->parts) != checkpoint->next) {
        json_decref(root);
        return memory_failed(checkpoint->context, "keeping a checkpoint");
    }
    status = json_write(checkpoint->context, root, &text);
    json_decref(root);
    if (status)
        return status;
    status = file_write(checkpoint->context, checkpoint->path, text, strlen(text));
    memory_release(checkpoint->context, text);
    return status;
}

void
checkpoint_remove(const struct checkpoint *checkpoint)
{
    if (checkpoint->path)
        remove(checkpoint->path);
}
