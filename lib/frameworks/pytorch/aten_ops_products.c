/* Matrix products by name, and einsum. PyTorch: aten/src/ATen/native/LinearAlgebra.cpp, Linear.cpp. */
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

static void
linear_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *weight = step_input(step, layer, 1);

    (void)detail;
    step_output(step, layer, 0, aten_linear(step, x, weight, step_input(step, layer, 2)));
}

static void
added_product_forward(struct step *step, const struct layer *layer, int batched)
{
    struct value *bias = step_input(step, layer, 0), *a = step_input(step, layer, 1), *b = step_input(step, layer, 2);
    int factors =
        (attribute_present(layer, "alpha") ? ADDMM_ALPHA : 0) | (attribute_present(layer, "beta") ? ADDMM_BETA : 0);

    if (batched)
        step_output(step, layer, 0, aten_baddbmm(step, bias, a, b, factors));
    else
        step_output(step, layer, 0, aten_addmm(step, bias, a, b, factors));
}

/* Neither of the two arguments behind the offsets is one that PyTorch takes on CPU. */
static void
grouped_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *a = step_input(step, layer, 0), *b = step_input(step, layer, 1),
                 *offsets = step_input(step, layer, 2);

    (void)detail;
    if (a->shape.rank > 3 || b->shape.rank > 3 || (offsets != NULL) == (a->shape.rank == 3 && b->shape.rank == 3))
        aten_op_estimate(step, layer);
    else
        step_output(step, layer, 0, aten_grouped_mm(step, a, b, offsets));
}

/* ---- tensordot: both as matrices, the axes that go last in the first and first in the second ---- */

/* The operand as a matrix of its other axes and those of `list`. */
static struct value *
as_matrix(struct step *step, struct value *x, const int64_t *list, int count, bool first)
{
    int32_t order[MEMMODEL_MAX_RANK] = {0};
    struct shape flat = {.dims = {1, 1}, .rank = 2, .dtype = x->shape.dtype};
    int rank = x->shape.rank, others = 0;
    struct value *turned, *result;
    uint64_t gone = 0;

    for (int i = 0; i < count; i++)
        gone |= UINT64_C(1) << (list[i] < 0 ? list[i] + rank : list[i]);
    for (int axis = 0; axis < rank; axis++)
        if (!(gone >> axis & 1))
            order[first ? others++ : count + others++] = axis;
    for (int i = 0; i < count; i++)
        order[first ? others + i : i] = (int32_t)(list[i] < 0 ? list[i] + rank : list[i]);
    for (int i = 0; i < rank; i++) {
        int64_t *dim = &flat.dims[(i < (first ? others : count)) ? 0 : 1];

        *dim = multiply_saturating(*dim, x->shape.dims[order[i]]);
    }
    turned = aten_permute(step, x, order);
    result = aten_reshape(step, turned, &flat);
    value_drop(step, turned);
    return result;
}

/* True if each is an axis of `x`, and none is there twice. */
static bool
are_axes(const struct value *x, const int64_t *list, int count)
{
    uint64_t seen = 0;

    for (int i = 0; i < count; i++) {
        int64_t axis = list[i] < 0 ? list[i] + x->shape.rank : list[i];

        if (axis < 0 || axis >= x->shape.rank || seen >> axis & 1)
            return false;
        seen |= UINT64_C(1) << axis;
    }
    return shape_elements(&x->shape) < INT64_MAX;
}

static void
tensordot_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *a = step_input(step, layer, 0), *b = step_input(step, layer, 1), *first, *second, *product;
    int64_t of_a[MEMMODEL_MAX_RANK], of_b[MEMMODEL_MAX_RANK];
    int count = attribute_list(layer, "dims_self", of_a, MEMMODEL_MAX_RANK);
    struct shape shape = step_output_shape(step, layer, 0);

    (void)detail;
    if (count != attribute_list(layer, "dims_other", of_b, MEMMODEL_MAX_RANK) || !are_axes(a, of_a, count) ||
        !are_axes(b, of_b, count) || count == 0) {
        aten_op_estimate(step, layer);
        return;
    }
    first = as_matrix(step, a, of_a, count, true);
    second = as_matrix(step, b, of_b, count, false);
    product = aten_mm(step, first, second);
    step_output(step, layer, 0, aten_reshape(step, product, &shape));
    value_drop(step, product);
    value_drop(step, second);
    value_drop(step, first);
}

/*
 * ---- einsum: operands from left to right, two at a time, and what they make behind the others; a pair is one bmm of
 * operands that are permuted and reshaped, or where nothing of it is summed a product of elements. Linear.cpp, einsum
 * ----
 */

enum { LETTERS = 2 * MEMMODEL_MAX_RANK, MANY = 8 };

/* A tensor, with a letter for each of its dims. */
struct term {
    struct value *value;
    char letters[LETTERS];
};

/* Letters of two operands, of their product, and in what they differ. */
struct equation {
    const char *operands[2];
    char result[LETTERS];
    char batch[LETTERS], summed[LETTERS], own[2][LETTERS];
};

static void
append_letter(char *letters, char letter)
{
    size_t length = strlen(letters);

    if (length + 1 < LETTERS)
        letters[length] = letter;
}

/* Letters of the result lie in its order, summed ones in that of the alphabet. */
static void
sort_letters(struct equation *equation)
{
    const char *first = equation->operands[0], *second = equation->operands[1];

    for (const char *c = equation->result; *c; c++)
        append_letter(!strchr(second, *c)  ? equation->own[0]
                      : !strchr(first, *c) ? equation->own[1]
                                           : equation->batch,
                      *c);
    for (char c = 'A'; c <= 'z'; c++)
        if (strchr(first, c) && strchr(second, c) && !strchr(equation->result, c))
            append_letter(equation->summed, c);
}

/* How many of the terms have the letter. */
static int
count_letter(const struct term *terms, int count, char letter)
{
    int found = 0;

    for (int i = 0; i < count; i++)
        found += strchr(terms[i].letters, letter) != NULL;
    return found;
}

/*
 * "ij,jk,k->i", a term each for `count` operands. False for any other form, and where an operand has a letter twice or
 * alone: it is summed before.
 */
static bool
read_terms(struct step *step, const struct layer *layer, struct term *terms, int count, char result[LETTERS])
{
    char text[(MANY + 1) * LETTERS], *arrow, *next = text;

    attribute_text(layer, "equation", text, sizeof text);
    arrow = strstr(text, "->");
    if (!arrow || strchr(text, '.') || strlen(arrow + 2) > MEMMODEL_MAX_RANK)
        return false;
    *arrow = 0;
    strcpy(result, arrow + 2);
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(next, ",");

        terms[i] = (struct term){.value = step_input(step, layer, i)};
        if (!terms[i].value || length != (size_t)terms[i].value->shape.rank)
            return false;
        memcpy(terms[i].letters, next, length);
        next += length + (next[length] == ',');
    }
    for (int i = 0; i < count; i++)
        for (const char *c = terms[i].letters; *c; c++)
            if (strchr(c + 1, *c) || (!strchr(result, *c) && count_letter(terms, count, *c) < 2))
                return false;
    return *next == 0;
}

/* Which letters two terms leave: those of the whole result in its order, then those that the terms behind have, too. */
static struct equation
equation_of(const struct term *pair, const struct term *behind, int behind_count, const char *result)
{
    struct equation equation = {.operands = {pair[0].letters, pair[1].letters}};

    for (const char *c = result; *c; c++)
        if (count_letter(pair, 2, *c) > 0)
            append_letter(equation.result, *c);
    for (char c = 'A'; c <= 'z'; c++)
        if (!strchr(result, c) && count_letter(pair, 2, c) > 0 && count_letter(behind, behind_count, c) > 0)
            append_letter(equation.result, c);
    sort_letters(&equation);
    return equation;
}

/* The operand with its dims in the order of `wanted`. */
static struct value *
in_order(struct step *step, struct value *x, const char *letters, const char *wanted)
{
    int32_t axes[MEMMODEL_MAX_RANK] = {0};

    for (int i = 0; i < x->shape.rank; i++) {
        const char *at = strchr(letters, wanted[i]);

        axes[i] = at ? (int32_t)(at - letters) : i;
    }
    return aten_permute(step, x, axes);
}

/* [batch, rows, columns] of an operand; what lies between is how many letters make up each. */
static struct value *
as_batch(struct step *step, struct value *x, const char *letters, const char *const parts[3])
{
    char order[3 * LETTERS] = "";
    struct shape flat = {.rank = 3, .dtype = x->shape.dtype};
    struct value *turned, *result;

    for (int i = 0, at = 0; i < 3; i++) {
        strcat(order, parts[i]);
        flat.dims[i] = 1;
        for (const char *c = parts[i]; *c; c++, at++)
            flat.dims[i] = multiply_saturating(flat.dims[i], x->shape.dims[strchr(letters, *c) - letters]);
    }
    turned = in_order(step, x, letters, order);
    result = aten_reshape(step, turned, &flat);
    value_drop(step, turned);
    return result;
}

/* Where all letters of the second operand come before those of the first, it is the left one: sumproduct_pair */
static bool
is_turned_round(const struct equation *equation)
{
    const char *first = equation->own[0], *second = equation->own[1];

    return first[0] && second[0] &&
           strchr(equation->result, second[strlen(second) - 1]) < strchr(equation->result, first[0]);
}

static struct equation
turned_round(const struct equation *equation)
{
    struct equation turned = *equation;

    for (int i = 0; i < 2; i++) {
        turned.operands[i] = equation->operands[1 - i];
        memcpy(turned.own[i], equation->own[1 - i], sizeof turned.own[i]);
    }
    return turned;
}

static struct value *
contraction(struct step *step, const struct equation *equation, struct value *a, struct value *b)
{
    const char *const first_parts[] = {equation->batch, equation->own[0], equation->summed};
    const char *const second_parts[] = {equation->batch, equation->summed, equation->own[1]};
    struct value *first = as_batch(step, a, equation->operands[0], first_parts);
    struct value *second = as_batch(step, b, equation->operands[1], second_parts);
    struct value *typed_second = autocast_operand(step, second), *typed_first = autocast_operand(step, first);
    struct value *product = aten_bmm(step, typed_first, typed_second), *full, *result;
    char order[3 * LETTERS] = "";
    struct shape seen = {.dtype = product->shape.dtype};

    strcat(strcat(strcat(order, equation->batch), equation->own[0]), equation->own[1]);
    for (; order[seen.rank]; seen.rank++) {
        const char *at = strchr(equation->operands[0], order[seen.rank]);

        seen.dims[seen.rank] =
            at ? a->shape.dims[at - equation->operands[0]]
               : b->shape.dims[strchr(equation->operands[1], order[seen.rank]) - equation->operands[1]];
    }
    full = aten_reshape(step, product, &seen);
    value_drop(step, product);
    result = in_order(step, full, order, equation->result);
    value_drop(step, full);
    value_drop(step, typed_first);
    value_drop(step, typed_second);
    value_drop(step, second);
    value_drop(step, first);
    return result;
}

/* An operand with dims of size 1 where the result has letters that it lacks. */
static struct value *
spread(struct step *step, struct value *x, const char *letters, const char *result)
{
    char own[LETTERS] = "";
    struct value *turned, *spread;
    struct shape shape = {.dtype = x->shape.dtype};

    for (const char *c = result; *c; c++) {
        const char *at = strchr(letters, *c);

        if (at)
            append_letter(own, *c);
        shape.dims[shape.rank++] = at ? x->shape.dims[at - letters] : 1;
    }
    turned = in_order(step, x, letters, own);
    spread = aten_reshape(step, turned, &shape);
    value_drop(step, turned);
    return spread;
}

/* One operand: what the result lacks is summed, the rest permuted. */
static void
einsum_of_one(struct step *step, const struct layer *layer, struct value *x)
{
    char text[4 * LETTERS], left[LETTERS] = "", *arrow;
    uint64_t gone = 0;
    struct value *sum;

    attribute_text(layer, "equation", text, sizeof text);
    arrow = strstr(text, "->");
    if (!arrow || arrow - text != x->shape.rank || strlen(arrow + 2) > (size_t)x->shape.rank || strchr(text, '.')) {
        aten_op_estimate(step, layer);
        return;
    }
    for (const char *c = text; c < arrow; c++) {
        if (strchr(arrow + 2, *c))
            append_letter(left, *c);
        else
            gone |= UINT64_C(1) << (c - text);
    }
    sum = gone ? aten_sum(step, x, gone, false) : value_keep(x);
    step_output(step, layer, 0, in_order(step, sum, left, arrow + 2));
    value_drop(step, sum);
}

static struct value *
product_of_pair(struct step *step, const struct equation *equation, struct value *a, struct value *b)
{
    struct value *first, *second, *result;
    struct equation turned;

    if (equation->summed[0] && is_turned_round(equation)) {
        turned = turned_round(equation);
        return contraction(step, &turned, b, a);
    }
    if (equation->summed[0])
        return contraction(step, equation, a, b);
    first = spread(step, a, equation->operands[0], equation->result);
    second = spread(step, b, equation->operands[1], equation->result);
    result = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, first, second);
    value_drop(step, second);
    value_drop(step, first);
    return result;
}

static void
einsum_forward(struct step *step, const struct layer *layer, int detail)
{
    struct term terms[2 * MANY];
    char result[LETTERS];
    int count = layer->input_count <= MANY ? (int)layer->input_count : 0, end = count;

    (void)detail;
    if (count == 1) {
        einsum_of_one(step, layer, step_input(step, layer, 0));
        return;
    }
    if (count == 0 || !read_terms(step, layer, terms, count, result)) {
        aten_op_estimate(step, layer);
        return;
    }
    for (int i = 0; end - i > 1; i += 2) {
        struct equation equation = equation_of(&terms[i], &terms[i + 2], end - i - 2, result);

        terms[end] = (struct term){.value = product_of_pair(step, &equation, terms[i].value, terms[i + 1].value)};
        strcpy(terms[end++].letters, equation.result);
        for (int j = i; j < i + 2; j++)
            if (j >= count)
                value_drop(step, terms[j].value);
    }
    step_output(step, layer, 0, terms[end - 1].value);
}

static const struct aten_op_rule products[] = {
    {"aten._grouped_mm.default", grouped_forward, 0, "22"},    {"aten.addmm.default", added_product_forward, 0, "022"},
    {"aten.baddbmm.default", added_product_forward, 1, "033"}, {"aten.einsum.default", einsum_forward, 0, "1"},
    {"aten.linear.default", linear_forward, 0, "12"},          {"aten.tensordot.default", tensordot_forward, 0, "00"},
};

const struct aten_ops aten_op_products = ATEN_OPS(products);
