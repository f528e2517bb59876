/* Which scopes or layers that follow one another may run in one checkpoint: what a Sequential of them would compute. */
#include "allocations.h"
#include "check.h"
#include "recompute/scopes.h"

#include <stdio.h>

static const struct memmodel_recompute_options no_costs = {.size = sizeof no_costs};

/* ---- networks ---- */

static memmodel_tensor
start(memmodel_context *context, memmodel_network **network)
{
    assert_int_equal(memmodel_network_new(context, network), 0);
    return memmodel_network_input(*network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){8, 16});
}

static memmodel_tensor
linear(memmodel_network *network, memmodel_tensor x)
{
    return memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 16));
}

static memmodel_tensor
gelu(memmodel_network *network, memmodel_tensor x)
{
    return memmodel_network_activation(network, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
}

/* A module with weights. */
static memmodel_tensor
module(memmodel_network *network, const char *name, memmodel_tensor x)
{
    memmodel_network_push_scope(network, name);
    x = linear(network, x);
    memmodel_network_pop_scope(network);
    return x;
}

/* One that reads two tensors. */
static memmodel_tensor
sum(memmodel_network *network, const char *name, memmodel_tensor a, memmodel_tensor b)
{
    memmodel_network_push_scope(network, name);
    a = memmodel_network_binary(network, a, b, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_ADD));
    memmodel_network_pop_scope(network);
    return a;
}

/* ---- their groups ---- */

/* What is found in a network, and the names that a test asks for. */
struct found {
    struct query query;
    struct arena arena, names;
    struct scopes scopes;
    char text[1024];
};

static void
find(memmodel_network *network, struct found *found)
{
    const struct memmodel_job job = {.size = sizeof job};

    found->text[0] = '\0';
    assert_int_equal(query_new(network, &job, NULL, NULL, &found->query), 0);
    found->arena = found->names = ARENA_INIT(found->query.context);
    assert_int_equal(query_bind(&found->query), 0);
    assert_int_equal(scopes_find(&found->query, &no_costs, &found->arena, &found->names, &found->scopes), 0);
}

static void
add_name(struct found *found, size_t candidate)
{
    size_t length = strlen(found->text);

    snprintf(found->text + length, sizeof found->text - length, "%s%s", length ? " " : "",
             found->scopes.items[candidate].name);
}

/* The network goes with it. */
static void
assert_found(memmodel_network *network, struct found *found, const char *expected)
{
    assert_string_equal(found->text, expected);
    arena_release(&found->arena);
    arena_release(&found->names);
    query_end(&found->query, 0);
    memmodel_network_unref(network);
}

/* "a..b" and so on in the order of the forward pass, the longer ones first. */
static void
assert_groups(memmodel_network *network, const char *expected)
{
    struct found found;

    assert_int_equal(memmodel_context_error(network->context)->status, 0);
    find(network, &found);
    for (size_t i = 0; i < found.scopes.count; i++)
        if (found.scopes.items[i].modules)
            add_name(&found, i);
    assert_found(network, &found, expected);
}

static void
modules_in_a_row_are_groups_but_for_all_that_their_scope_holds(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network);

    memmodel_network_push_scope(network, "h");
    for (int i = 0; i < 4; i++)
        x = module(network, (const char *[]){"0", "1", "2", "3"}[i], x);
    memmodel_network_pop_scope(network);
    assert_groups(network, "h.0..2 h.0..1 h.1..3 h.1..2 h.2..3");
}

/* The names of all candidates of the kind of the candidate called so. */
static void
assert_kind(memmodel_network *network, const char *name, const char *expected)
{
    struct found found;
    size_t kind = SIZE_MAX;

    find(network, &found);
    for (size_t i = 0; i < found.scopes.count; i++)
        if (strcmp(found.scopes.items[i].name, name) == 0)
            kind = found.scopes.items[i].kind;
    for (size_t i = 0; i < found.scopes.count; i++)
        if (found.scopes.items[i].kind == kind)
            add_name(&found, i);
    assert_found(network, &found, expected);
}

static void
modules_whose_names_differ_in_a_number_are_of_one_kind(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network);

    for (int i = 0; i < 4; i++)
        x = module(network, (const char *[]){"8", "9", "10", "9b"}[i], x);
    assert_kind(network, "9", "8 9 10");
}

static void
modules_with_something_between_them_are_none(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network);

    x = module(network, "a", x);
    x = gelu(network, x);
    module(network, "b", x);
    assert_groups(network, "");
}

static void
a_later_module_may_read_only_what_the_first_reads(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network), y = gelu(network, x), a, b;

    a = module(network, "a", y);
    b = module(network, "b", a);
    sum(network, "c", b, y);
    assert_groups(network, "a..c a..b");
}

static void
what_a_group_reads_of_the_network_s_inputs_is_there_anyway(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network), y = gelu(network, x), a;

    a = module(network, "a", y);
    sum(network, "b", a, x);
    assert_groups(network, "a..b");
}

static void
only_the_last_makes_what_is_read_behind_the_group(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network), y = gelu(network, x), a, b;

    a = module(network, "a", y);
    b = module(network, "b", a);
    sum(network, "c", b, a);
    assert_groups(network, "a..c b..c");
}

static void
what_has_a_name_or_is_returned_is_made_by_the_last(void **state)
{
    for (int returned = 0; returned < 2; returned++) {
        memmodel_network *network;
        memmodel_tensor x = start(*state, &network), a, b;

        a = module(network, "a", x);
        b = module(network, "b", a);
        x = gelu(network, b);
        if (returned) {
            memmodel_network_mark_output(network, a);
            memmodel_network_mark_output(network, x);
        } else {
            memmodel_network_end_lifetime(network, a);
        }
        assert_groups(network, "");
    }
}

static void
nothing_in_a_group_is_handed_in_by_the_caller(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network), y = gelu(network, x), other;

    y = module(network, "a", y);
    memmodel_network_push_scope(network, "b");
    other = memmodel_network_input(network, "other", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){8, 16});
    y = memmodel_network_binary(network, y, other, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_ADD));
    memmodel_network_pop_scope(network);
    module(network, "c", y);
    assert_groups(network, "");
}

static void
layers_are_modules_where_several_have_weights(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network);

    memmodel_network_push_scope(network, "one");
    x = gelu(network, gelu(network, linear(network, x)));
    memmodel_network_pop_scope(network);
    memmodel_network_push_scope(network, "two");
    x = gelu(network, gelu(network, linear(network, x)));
    linear(network, x);
    memmodel_network_pop_scope(network);
    assert_groups(network, "one..two two.linear_2..activation_4 two.linear_2..activation_3 two.activation_3..linear_3 "
                           "two.activation_4..linear_3");
}

static void
a_module_called_twice_begins_no_group(void **state)
{
    memmodel_network *network;
    memmodel_tensor x = start(*state, &network);

    x = module(network, "a", gelu(network, x));
    x = module(network, "a", x);
    module(network, "b", x);
    assert_groups(network, "");
}

/* ---- main ---- */

/* So many modules that what is noted of each array of them is an allocation of its own. */
static int
find_among_many(memmodel_context *context)
{
    const struct memmodel_job job = {.size = sizeof job};
    struct arena arena, names;
    memmodel_network *network;
    struct scopes scopes;
    struct query query;
    memmodel_tensor x;
    char name[16];
    int status = memmodel_network_new(context, &network);

    if (status)
        return status;
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){8, 16});
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "m%d", i);
        x = module(network, name, x);
    }
    status = query_new(network, &job, NULL, NULL, &query);
    if (!status) {
        arena = names = ARENA_INIT(query.context);
        status = query_bind(&query);
        if (!status)
            status = scopes_find(&query, &no_costs, &arena, &names, &scopes);
        arena_release(&arena);
        arena_release(&names);
        query_end(&query, 0);
    }
    memmodel_network_unref(network);
    return status;
}

static void
groups_are_not_looked_for_without_memory(void **state)
{
    (void)state;
    assert_survives_failing_allocations(find_among_many);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(modules_in_a_row_are_groups_but_for_all_that_their_scope_holds),
        WITH_CONTEXT(modules_whose_names_differ_in_a_number_are_of_one_kind),
        WITH_CONTEXT(modules_with_something_between_them_are_none),
        WITH_CONTEXT(a_later_module_may_read_only_what_the_first_reads),
        WITH_CONTEXT(what_a_group_reads_of_the_network_s_inputs_is_there_anyway),
        WITH_CONTEXT(only_the_last_makes_what_is_read_behind_the_group),
        WITH_CONTEXT(what_has_a_name_or_is_returned_is_made_by_the_last),
        WITH_CONTEXT(nothing_in_a_group_is_handed_in_by_the_caller),
        WITH_CONTEXT(layers_are_modules_where_several_have_weights),
        WITH_CONTEXT(a_module_called_twice_begins_no_group),
        cmocka_unit_test(groups_are_not_looked_for_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
