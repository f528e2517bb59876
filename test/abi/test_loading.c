/*
 * The library as a plugin host sees it: loaded and unloaded by threads that come and go, and loaded twice at once.
 *
 * usage: test_loading LIBRARY
 */
#define _GNU_SOURCE /* dlmopen */

#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *library;

/* One copy of the library, loaded by its path. */
struct copy {
    void *handle;
    int (*context_new)(const struct memmodel_allocator *, memmodel_context **);
    void (*context_unref)(memmodel_context *);
    const struct memmodel_error *(*context_error)(const memmodel_context *);
    int (*samples_parse)(memmodel_context *, const char *, const char *, size_t, memmodel_samples **);
};

/* A function pointer out of an object pointer, as POSIX has it for dlsym(). */
static void
find(const struct copy *copy, const char *name, void *function)
{
    void *symbol = dlsym(copy->handle, name);

    assert_non_null(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

static struct copy
copy_of(void *handle)
{
    struct copy copy = {.handle = handle};

    if (!handle)
        fail_msg("%s", dlerror());
    find(&copy, "memmodel_context_new", &copy.context_new);
    find(&copy, "memmodel_context_unref", &copy.context_unref);
    find(&copy, "memmodel_context_error", &copy.context_error);
    find(&copy, "memmodel_samples_from_csv", &copy.samples_parse);
    return copy;
}

/* A context whose last error is that of a table with a quote that never ends. */
static memmodel_context *
fail_in(const struct copy *copy)
{
    memmodel_samples *samples = NULL;
    memmodel_context *context;

    assert_int_equal(copy->context_new(NULL, &context), 0);
    assert_int_equal(copy->samples_parse(context, "table", "a,b\n1,\"2\n", 9, &samples), MEMMODEL_ERROR_PARSE);
    assert_int_equal(copy->context_error(context)->status, MEMMODEL_ERROR_PARSE);
    assert_null(samples);
    return context;
}

/* What is left for the thread's end would be called after the library is gone. */
static void *
load_fail_and_unload(void *unused)
{
    struct copy copy = copy_of(dlopen(library, RTLD_NOW | RTLD_LOCAL));

    copy.context_unref(fail_in(&copy));
    assert_int_equal(dlclose(copy.handle), 0);
    return unused;
}

static void
a_thread_may_load_the_library_fail_unload_it_and_end(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, load_fail_and_unload, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
}

/* Two copies, each with its own code, one not hearing of the other's errors. */
static void
assert_apart(const struct copy *one, const struct copy *other)
{
    memmodel_context *failed = fail_in(one), *fresh;

    assert_true(one->context_new != other->context_new);
    assert_int_equal(other->context_new(NULL, &fresh), 0);
    assert_int_equal(other->context_error(fresh)->status, 0);
    other->context_unref(fresh);
    other->context_unref(fail_in(other));
    assert_int_equal(one->context_error(failed)->status, MEMMODEL_ERROR_PARSE);
    one->context_unref(failed);
}

static void
two_copies_in_two_namespaces_work_side_by_side(void **state)
{
    struct copy one = copy_of(dlopen(library, RTLD_NOW | RTLD_LOCAL));
    struct copy other = copy_of(dlmopen(LM_ID_NEWLM, library, RTLD_NOW | RTLD_LOCAL));

    (void)state;
    assert_apart(&one, &other);
    assert_apart(&other, &one);
    dlclose(other.handle);
    dlclose(one.handle);
}

static void
copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char block[65536];
    size_t count;

    assert_non_null(in);
    assert_non_null(out);
    while ((count = fread(block, 1, sizeof block, in)) > 0)
        assert_int_equal(fwrite(block, 1, count, out), count);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void
two_copies_from_two_paths_work_side_by_side(void **state)
{
    char folder[] = "memmodel-copy-XXXXXX", path[64];
    struct copy one, other;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "./%s/libmemmodel.so", folder);
    copy_file(library, path);
    one = copy_of(dlopen(library, RTLD_NOW | RTLD_LOCAL));
    other = copy_of(dlopen(path, RTLD_NOW | RTLD_LOCAL));
    assert_apart(&one, &other);
    assert_apart(&other, &one);
    dlclose(other.handle);
    dlclose(one.handle);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int
main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_may_load_the_library_fail_unload_it_and_end),
        cmocka_unit_test(two_copies_in_two_namespaces_work_side_by_side),
        cmocka_unit_test(two_copies_from_two_paths_work_side_by_side),
    };

    if (count != 2)
        return 1;
    library = arguments[1];
    return cmocka_run_group_tests_name("loading", tests, NULL, NULL);
}
