/*
 * Out of memory in every public call that takes a network, or what came of one, with a network of each layer family: each
 * allocation of the call fails once, alone and with all after it. What existed before the call serves the next one.
 *
 * A call that is refused for want of a rule is refused the same way whenever no allocation had to fail.
 */
#define FAMILY_FILE "test_allocation_failure_families.file"

#include "allocations.h"
#include "family_uses.h"

/* ---- the sweep ---- */

static void
make_subject(struct subject *subject, struct allocations *allocations, const struct family *family)
{
    struct memmodel_allocator allocator = {sizeof allocator, allocations_allocate, allocations_reallocate,
                                           allocations_release, allocations};

    subject->family = family;
    assert_int_equal(memmodel_context_new(&allocator, &subject->context), 0);
    assert_int_equal(memmodel_network_new(subject->context, &subject->net), 0);
    family->build(subject->net);
    if (memmodel_estimate(subject->net, JOB(.steps = 1), NULL, &subject->report))
        fail_msg("%s: %s", family->name, memmodel_context_error(subject->context)->message);
}

static void
release_subject(struct subject *subject)
{
    memmodel_report_unref(subject->report);
    memmodel_network_unref(subject->net);
    memmodel_context_unref(subject->context);
}

/* With `good` allocations before one fails; `usual`: what the call returns when none has to. True when none had to. */
static bool
serves_after(struct allocations *allocations, int64_t good, const struct use *use, const struct subject *subject,
             int usual)
{
    const struct memmodel_error *error = memmodel_context_error(subject->context);
    int64_t alive = allocations->alive;
    int status;

    allocations->until_failure = good;
    allocations->failures = 0;
    status = use->use(subject);
    allocations->until_failure = -1;
    if (status != (allocations->failures ? MEMMODEL_ERROR_NO_MEMORY : usual))
        fail_msg("%s: status %d after %d allocations", subject->family->name, status, (int)good);
    if (status && (error->status != status || !error->message[0]))
        fail_msg("%s: the context does not tell of status %d", subject->family->name, status);
    if (allocations->alive != alive)
        fail_msg("%s: %d blocks stay after %d allocations", subject->family->name, (int)(allocations->alive - alive),
                 (int)good);
    return allocations->failures == 0;
}

static void
sweep(const struct family *family, const struct use *use)
{
    struct allocations allocations = {.until_failure = -1};
    struct subject subject;
    int usual;

    make_subject(&subject, &allocations, family);
    usual = use->use(&subject);
    if (usual && usual != MEMMODEL_ERROR_UNSUPPORTED)
        fail_msg("%s: %s", family->name, memmodel_context_error(subject.context)->message);
    for (int once = 0; once <= 1; once++) {
        int64_t good = 0;

        allocations.once = once;
        while (!serves_after(&allocations, good, use, &subject, usual))
            good++;
        assert_true(usual || good > 0);
    }
    release_subject(&subject);
    assert_int_equal(allocations.alive, 0);
}

static void
survives_failing_allocations_in_each_family(void **state)
{
    for (size_t i = 0; i < FAMILIES; i++)
        sweep(&families[i], *state);
}

/* usage: test_allocation_failure_families [TEST], such as "its trace*" */
int
main(void)
{
    struct CMUnitTest tests[USES];

    for (size_t i = 0; i < USES; i++)
        tests[i] = (struct CMUnitTest){uses[i].name, LONG(survives_failing_allocations_in_each_family), NULL, NULL,
                                       (void *)(uintptr_t)&uses[i]};
    return cmocka_run_group_tests_name("allocation failure in each layer family", tests, NULL, NULL);
}
