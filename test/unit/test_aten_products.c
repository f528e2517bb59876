/* Multiply-adds of ATen operators: a matrix product of [m, k] and [k, n] has m * k * n, whatever name it has. */
#include "check.h"

struct shaped {
    int64_t dims[4];
    int32_t rank;
};

struct operator_case {
    const char *operation, *attributes;
    struct shaped inputs[6], output;
    int64_t multiply_adds;
};

static const struct operator_case operator_cases[] = {
    {"aten.mm.default", NULL, {{{2, 3}, 2}, {{3, 4}, 2}}, {{2, 4}, 2}, 2 * 3 * 4},
    {"aten.bmm.default", NULL, {{{5, 2, 3}, 3}, {{5, 3, 4}, 3}}, {{5, 2, 4}, 3}, 5 * 2 * 3 * 4},
    {"aten.addmm.default", NULL, {{{4}, 1}, {{2, 3}, 2}, {{3, 4}, 2}}, {{2, 4}, 2}, 2 * 3 * 4},
    {"aten.baddbmm.default", NULL, {{{4}, 1}, {{5, 2, 3}, 3}, {{5, 3, 4}, 3}}, {{5, 2, 4}, 3}, 5 * 2 * 3 * 4},
    {"aten.addbmm.default", NULL, {{{2, 4}, 2}, {{5, 2, 3}, 3}, {{5, 3, 4}, 3}}, {{2, 4}, 2}, 5 * 2 * 3 * 4},
    {"aten.matmul.default", NULL, {{{7, 2, 3}, 3}, {{3, 4}, 2}}, {{7, 2, 4}, 3}, 7 * 2 * 3 * 4},
    {"aten.linear.default", NULL, {{{7, 2, 3}, 3}, {{4, 3}, 2}, {{4}, 1}}, {{7, 2, 4}, 3}, 7 * 2 * 3 * 4},
    {"aten.mv.default", NULL, {{{2, 3}, 2}, {{3}, 1}}, {{2}, 1}, 2 * 3},
    {"aten.dot.default", NULL, {{{3}, 1}, {{3}, 1}}, {{0}, 0}, 3},
    /* 7 rows in 5 groups; 7 columns in 5 groups, each of which is met by one group of rows; columns of the result in groups */
    {"aten._grouped_mm.default", NULL, {{{7, 3}, 2}, {{5, 3, 4}, 3}, {{5}, 1}}, {{7, 4}, 2}, 7 * 3 * 4},
    {"aten._grouped_mm.default", NULL, {{{2, 7}, 2}, {{7, 4}, 2}, {{5}, 1}}, {{5, 2, 4}, 3}, 2 * 7 * 4},
    {"aten._grouped_mm.default", NULL, {{{5, 2, 3}, 3}, {{3, 7}, 2}, {{5}, 1}}, {{2, 7}, 2}, 2 * 3 * 7},
    {"aten._grouped_mm.default", NULL, {{{5, 2, 3}, 3}, {{5, 3, 4}, 3}}, {{5, 2, 4}, 3}, 5 * 2 * 3 * 4},
    /* sums over 3 and 4 */
    {"aten.tensordot.default",
     "dims_self=1,2 dims_other=0,1",
     {{{2, 3, 4}, 3}, {{3, 4, 5}, 3}},
     {{2, 5}, 2},
     2 * 3 * 4 * 5},
    {"aten.einsum.default", "equation=ij,jk->ik", {{{2, 3}, 2}, {{3, 4}, 2}}, {{2, 4}, 2}, 2 * 3 * 4},
    {"aten.einsum.default", "equation=ij,jk", {{{2, 3}, 2}, {{3, 4}, 2}}, {{2, 4}, 2}, 2 * 3 * 4},
    {"aten.einsum.default", "equation=...ij,jk->...ik", {{{7, 2, 3}, 3}, {{3, 4}, 2}}, {{7, 2, 4}, 3}, 7 * 2 * 3 * 4},
    /* i j, j k: 2 * 3 * 4; then i k, k l: 2 * 4 * 5 */
    {"aten.einsum.default", "equation=ij,jk,kl->il", {{{2, 3}, 2}, {{3, 4}, 2}, {{4, 5}, 2}}, {{2, 5}, 2}, 24 + 40},
    /* nothing is summed: a product of elements */
    {"aten.einsum.default", "equation=ij,j->ij", {{{2, 3}, 2}, {{3}, 1}}, {{2, 3}, 2}, 0},
    /* 6 channels in 2 groups, kernel 3 x 3, image 5 x 5 kept */
    {"aten.conv2d.default", "groups=2", {{{6, 5, 5}, 3}, {{4, 3, 3, 3}, 4}}, {{4, 5, 5}, 3}, 4 * 25 * 3 * 9},
    /* each of 6 * 5 elements of the input meets 4 channels times 3 */
    {"aten.conv_transpose1d.default", NULL, {{{6, 5}, 2}, {{6, 4, 3}, 3}}, {{4, 7}, 2}, 6 * 5 * 4 * 3},
    {"aten.convolution.default", "transposed=True", {{{6, 5}, 2}, {{6, 4, 3}, 3}}, {{4, 7}, 2}, 6 * 5 * 4 * 3},
    {"aten.convolution.default", NULL, {{{1, 6, 5}, 3}, {{4, 6, 3}, 3}}, {{1, 4, 3}, 3}, 4 * 3 * 6 * 3},
    /* 8 queries of 6 and 9 keys of 6, values of 5, in 2 heads */
    {"aten.scaled_dot_product_attention.default",
     NULL,
     {{{2, 8, 6}, 3}, {{2, 9, 6}, 3}, {{2, 9, 5}, 3}},
     {{2, 8, 5}, 3},
     2 * 8 * 9 * (6 + 5)},
    /* 3 steps of a batch of 2: 3 gates of 4 from 5 inputs and 4 states */
    {"aten.gru.input",
     NULL,
     {{{3, 2, 5}, 3}, {{1, 2, 4}, 3}, {{12, 5}, 2}, {{12, 4}, 2}, {{12}, 1}},
     {{3, 2, 4}, 3},
     6 * 12 * 9},
    {"aten.lstm.input",
     NULL,
     {{{3, 2, 5}, 3}, {{1, 2, 4}, 3}, {{1, 2, 4}, 3}, {{16, 5}, 2}, {{16, 4}, 2}},
     {{3, 2, 4}, 3},
     6 * 16 * 9},
    {"aten.lstm_cell.default",
     NULL,
     {{{2, 5}, 2}, {{2, 4}, 2}, {{2, 4}, 2}, {{16, 5}, 2}, {{16, 4}, 2}},
     {{2, 4}, 2},
     2 * 16 * 9},
    /* 30 points of 4 numbers, their norms and 1 */
    {"aten.cdist.default", "p=2.0", {{{30, 4}, 2}, {{7, 4}, 2}}, {{30, 7}, 2}, 30 * 7 * 6},
    {"aten.cdist.default", "p=1.0", {{{30, 4}, 2}, {{7, 4}, 2}}, {{30, 7}, 2}, 0},
    {"aten.affine_grid_generator.default", NULL, {{{2, 2, 3}, 3}}, {{2, 4, 5, 2}, 4}, 2 * 4 * 5 * 2 * 3},
    {"aten.tanh.default", NULL, {{{2, 3}, 2}}, {{2, 3}, 2}, 0},
    /* operands that are none of the operator's */
    {"aten.mm.default", NULL, {{{3}, 1}}, {{2, 4}, 2}, 0},
    {"aten.einsum.default", "equation=ij,jkl->ik", {{{2, 3}, 2}, {{3, 4}, 2}}, {{2, 4}, 2}, 0},
};

static int64_t
multiply_adds_of(memmodel_context *context, const struct operator_case *given)
{
    struct memmodel_report_layer total = {.size = sizeof total};
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook", .mode = 1};
    struct memmodel_shape output = {.rank = given->output.rank};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    memmodel_tensor inputs[6];
    memmodel_network *net;
    memmodel_report *report;
    size_t count = 0;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    for (; count < 6 && given->inputs[count].rank; count++)
        inputs[count] = memmodel_network_input(net, names[count], MEMMODEL_DTYPE_FLOAT32, given->inputs[count].rank,
                                               given->inputs[count].dims);
    memcpy(output.dims, given->output.dims, sizeof given->output.dims);
    memmodel_network_custom(net, inputs, count,
                            MEMMODEL_CUSTOM(.outputs = &output, .output_count = 1, .operation = given->operation,
                                            .attributes = given->attributes));
    assert_int_equal(memmodel_network_status(net), 0);
    assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_total(report, &total), 0);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
    return total.multiply_adds;
}

static void
products_are_counted_by_the_operators_name(void **state)
{
    memmodel_context *context = *state;

    for (size_t i = 0; i < sizeof operator_cases / sizeof operator_cases[0]; i++) {
        int64_t found = multiply_adds_of(context, &operator_cases[i]);

        if (found != operator_cases[i].multiply_adds)
            fail_msg("%s %s: %lld, not %lld", operator_cases[i].operation,
                     operator_cases[i].attributes ? operator_cases[i].attributes : "", (long long)found,
                     (long long)operator_cases[i].multiply_adds);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(products_are_counted_by_the_operators_name)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
