/* What cuDNN's batch norm works in: recorded on an H100 with cuDNN 9.19, test/data/pytorch_h100, "batch_norms" of calls. */
#include "check.h"

#include "frameworks/cuda/batch_norm.h"

static void
channels_last_batch_norm_works_in_what_was_recorded(void **state)
{
    static const struct {
        int64_t channels, count, element_bytes, forward, backward;
    } recorded[] = {
        {3, 24, 4, 1112, 1092},
        {3, 1056, 4, 1256, 1156},
        {3, 131072, 2, 8456, 12004},
        {8, 8, 4, 1592, 1572},
        {64, 192, 4, 2624, 2084},
        {64, 12992, 4, 105824, 70692},
        {16, 12992, 2, 43388, 70692},
        {512, 448, 2, 13488, 21568},
        {1000, 1680, 4, 224048, 148576},
        {2048, 24, 2, 17712, 17568},
        {2048, 51072, 4, 13177776, 8717472},
        {512, 25536, 2, 661584, 1090624},
    };

    (void)state;
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
        struct batch_norm_call call = {recorded[i].channels, recorded[i].count, recorded[i].element_bytes, false};

        assert_int_equal(batch_norm_workspace_bytes(&call), recorded[i].forward);
        call.backward = true;
        assert_int_equal(batch_norm_workspace_bytes(&call), recorded[i].backward);
    }
}

static void
batch_norm_beyond_63_bits_is_the_largest_number(void **state)
{
    struct batch_norm_call call = {INT64_MAX, INT64_MAX, 4, false};

    (void)state;
    assert_int_equal(batch_norm_workspace_bytes(&call), INT64_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_last_batch_norm_works_in_what_was_recorded),
        cmocka_unit_test(batch_norm_beyond_63_bits_is_the_largest_number),
    };

    return cmocka_run_group_tests_name("cuda_batch_norm", tests, NULL, NULL);
}
