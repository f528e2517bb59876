/* Meshes of devices: what their text may be. */
#include "check.h"

#include "base/mesh.h"

static const char *const axes[] = {"dp", "tp", "pp", NULL};

static void
a_mesh_has_its_axes_in_the_order_of_its_text(void **state)
{
    struct mesh mesh;

    assert_int_equal(mesh_parse(*state, "dp=8,tp=4", axes, &mesh), 0);
    assert_int_equal(mesh.count, 2);
    assert_string_equal(mesh.axes[0].name, "dp");
    assert_int_equal(mesh.axes[1].size, 4);
    assert_int_equal(mesh.ranks, 32);
    assert_int_equal(mesh_size(&mesh, "tp"), 4);
    assert_int_equal(mesh_size(&mesh, "pp"), 1);
}

/* Row-major: rank = (pp * 4 + dp) * 2 + tp, so 13 = (1 * 4 + 2) * 2 + 1. */
static void
the_innermost_axis_changes_from_rank_to_rank(void **state)
{
    struct mesh mesh;

    assert_int_equal(mesh_parse(*state, "pp=2,dp=4,tp=2", axes, &mesh), 0);
    assert_int_equal(mesh_place(&mesh, 13, "pp"), 1);
    assert_int_equal(mesh_place(&mesh, 13, "dp"), 2);
    assert_int_equal(mesh_place(&mesh, 13, "tp"), 1);
    assert_int_equal(mesh_place(&mesh, 13, "ep"), 0);
}

static void
no_text_is_one_device(void **state)
{
    struct mesh mesh;

    assert_int_equal(mesh_parse(*state, NULL, axes, &mesh), 0);
    assert_int_equal(mesh.ranks, 1);
    assert_int_equal(mesh_parse(*state, "", axes, &mesh), 0);
    assert_int_equal(mesh.count, 0);
}

static void
what_is_no_mesh_is_refused_with_what_would_do(void **state)
{
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"tp", "write NAME=SIZE"},    {"tp=", "write NAME=SIZE"},          {"=4", "write NAME=SIZE"},
        {"tp 4", "write NAME=SIZE"},  {"tp=4,,pp=2", "write NAME=SIZE"},   {"tp=-4", "write NAME=SIZE"},
        {"tp=0", "it is at least 1"}, {"tp=2,tp=2", "there twice"},        {"xp=2", "there are dp, tp, pp"},
        {"tp=4x", "write NAME=SIZE"}, {"dp=65536,tp=65536", "2147483647"}, {"tp=99999999999999999999999", "write NAME"},
    };
    struct mesh mesh = {.ranks = 77};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_error(*state, mesh_parse(*state, wrong[i].text, axes, &mesh), MEMMODEL_ERROR_INVALID_ARGUMENT,
                     wrong[i].part);
    assert_int_equal(mesh.ranks, 77);
}

/* torch.chunk(): 10 rows over 4 ranks are 3, 3, 3 and 1, 5 are 2, 2, 1 and none. */
static void
the_last_places_have_less(void **state)
{
    static const int64_t ten[] = {3, 3, 3, 1}, five[] = {2, 2, 1, 0};

    (void)state;
    for (int64_t place = 0; place < 4; place++) {
        assert_int_equal(mesh_part(10, 4, place), ten[place]);
        assert_int_equal(mesh_part(5, 4, place), five[place]);
    }
    assert_int_equal(mesh_part(INT64_MAX, 3, 2), INT64_MAX / 3 - 1); /* 3 k + 1 are k + 1, k + 1 and k - 1 */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_mesh_has_its_axes_in_the_order_of_its_text),
        WITH_CONTEXT(the_innermost_axis_changes_from_rank_to_rank),
        WITH_CONTEXT(no_text_is_one_device),
        cmocka_unit_test(the_last_places_have_less),
        WITH_CONTEXT(what_is_no_mesh_is_refused_with_what_would_do),
    };

    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
