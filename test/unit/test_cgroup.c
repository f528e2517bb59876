/* Control groups, in made directories: where a process has its own, and what is read of it. */
#define _GNU_SOURCE
#include "check.h"

#include "measure/cgroup.h"

#include <ftw.h>
#include <sys/stat.h>

static int
file_with(const char *text)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    fputs(text, file);
    fflush(file);
    return fileno(file);
}

static void
a_control_groups_memory_is_read_where_there_is_one(void **state)
{
    struct cgroup cgroup = CGROUP_NONE, none = CGROUP_NONE;
    struct process_size size;

    (void)state;
    cgroup.current = file_with("1234\n");
    cgroup.peak = file_with("5678\n");
    cgroup_read(&cgroup, &size);
    assert_int_equal(size.rss, 1234);
    assert_int_equal(size.high_water_mark, 5678);
    cgroup_read(&none, &size);
    assert_int_equal(size.rss, -1);
    assert_int_equal(size.high_water_mark, -1);
    assert_int_equal(cgroup_kills(&none), -1);
}

/* Of memory.events as cgroup-v2.rst lists it, and of memory.oom_control before Linux 4.13, which has no count. */
static void
kills_are_counted_where_the_kernel_counts_them(void **state)
{
    struct cgroup cgroup = CGROUP_NONE;

    (void)state;
    cgroup.events = file_with("low 0\nhigh 4\nmax 71\noom 5\noom_kill 3\noom_group_kill 1\n");
    assert_int_equal(cgroup_kills(&cgroup), 3);
    cgroup.events = file_with("oom_kill_disable 0\nunder_oom 0\n");
    assert_int_equal(cgroup_kills(&cgroup), -1);
}

static int
remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void
write_below(const char *directory, const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (char *slash = strchr(path + strlen(directory) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A system as systemd and Docker make it: version 1 mounts beside version 2, and lines of both for the process. */
static void
the_control_group_of_a_process_is_found(void **state)
{
    char root[] = "/tmp/memmodel-proc-XXXXXX", mounts[512];
    struct cgroup cgroup;
    struct process_size size;

    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(mounts, sizeof mounts,
             "30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "31 23 0:27 / %s/unified rw,nosuid - cgroup2 cgroup2 rw\n",
             root);
    write_below(root, "self/mountinfo", mounts);
    write_below(root, "77/cgroup", "4:memory:/old\n0::/user.slice/job\n");
    write_below(root, "78/cgroup", "4:memory:/old\n");
    write_below(root, "unified/user.slice/job/memory.current", "4096\n");
    write_below(root, "unified/user.slice/job/memory.peak", "8192\n");
    write_below(root, "unified/user.slice/job/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 2\n");
    write_below(root, "unified/user.slice/job/memory.max", "max\n");
    write_below(root, "unified/user.slice/memory.max", "1048576\n"); /* what is above limits all below */

    cgroup_open(root, 77, &cgroup);
    cgroup_read(&cgroup, &size);
    assert_int_equal(size.rss, 4096);
    assert_int_equal(size.high_water_mark, 8192);
    assert_int_equal(cgroup_kills(&cgroup), 2);
    assert_int_equal(cgroup.limit, 1048576);
    cgroup_close(&cgroup);
    write_below(root, "unified/user.slice/job/memory.max", "65536\n");
    cgroup_open(root, 77, &cgroup);
    assert_int_equal(cgroup.limit, 65536);
    cgroup_close(&cgroup);
    cgroup_open(root, 78, &cgroup);
    assert_int_equal(cgroup.current, -1);
    assert_int_equal(nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Whatever stood there: a program's descriptor 0 is its own, and not to be closed with a group that was not found. */
static void
without_a_control_group_there_are_no_descriptors(void **state)
{
    struct cgroup cgroup = {.current = 0, .peak = 0, .members = 0, .made = "left over"};

    (void)state;
    cgroup_open("/nowhere", 77, &cgroup);
    assert_int_equal(cgroup.current, -1);
    assert_int_equal(cgroup.peak, -1);
    assert_int_equal(cgroup.members, -1);
    assert_string_equal(cgroup.made, "");
}

/* As a container of Docker sees it: the mount begins at its own group, and the memory is with version 1. */
static void
the_control_group_of_version_1_is_found_in_a_container(void **state)
{
    char root[] = "/tmp/memmodel-proc-XXXXXX", mounts[512];
    struct cgroup cgroup;
    struct process_size size;

    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(mounts, sizeof mounts,
             "30 23 0:26 /nonexistent/a %s/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
             "31 23 0:27 /nonexistent/a %s/memory rw - cgroup cgroup rw,memory\n"
             "32 23 0:28 / %s/unified rw - cgroup2 cgroup2 rw\n",
             root, root, root);
    write_below(root, "self/mountinfo", mounts);
    write_below(root, "77/cgroup", "5:cpu,cpuacct:/nonexistent/a\n4:hugetlb,memory:/nonexistent/a/job\n0::/\n");
    write_below(root, "memory/job/memory.usage_in_bytes", "4096\n");
    write_below(root, "memory/job/memory.max_usage_in_bytes", "8192\n");
    write_below(root, "memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    write_below(root, "memory/job/memory.limit_in_bytes", "9223372036854771712\n"); /* no limit */
    write_below(root, "cpu/job/memory.usage_in_bytes", "1\n");

    cgroup_open(root, 77, &cgroup);
    cgroup_read(&cgroup, &size);
    assert_int_equal(size.rss, 4096);
    assert_int_equal(size.high_water_mark, 8192);
    assert_int_equal(cgroup_kills(&cgroup), 1);
    assert_int_equal(cgroup.limit, -1);
    cgroup_close(&cgroup);
    write_below(root, "memory/memory.limit_in_bytes", "2147483648\n"); /* of the container */
    cgroup_make(root, 77, &cgroup); /* no kernel makes files in it: the one that is there has to do */
    cgroup_read(&cgroup, &size);
    assert_int_equal(size.high_water_mark, 8192);
    assert_string_equal(cgroup.made, "");
    assert_int_equal(cgroup.limit, 2147483648);
    cgroup_close(&cgroup);
    assert_int_equal(nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_control_groups_memory_is_read_where_there_is_one),
        cmocka_unit_test(kills_are_counted_where_the_kernel_counts_them),
        cmocka_unit_test(the_control_group_of_a_process_is_found),
        cmocka_unit_test(without_a_control_group_there_are_no_descriptors),
        cmocka_unit_test(the_control_group_of_version_1_is_found_in_a_container),
    };

    return cmocka_run_group_tests_name("control groups", tests, NULL, NULL);
}
