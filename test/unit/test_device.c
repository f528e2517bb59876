/* Simulated GPUs, as far as no program runs on them: what a device holds of this process, and names in CUDA's header. */
#define _GNU_SOURCE
#include "allocations.h"

#include "device/header_names.h"
#include "device/ledger.h"
#include "device/stand_in.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mappings of this process whose line in /proc/self/maps has the word. */
static int
mapping_count(const char *word)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    int count = 0;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        count += strstr(line, word) != NULL;
    fclose(maps);
    return count;
}

static void
a_device_leaves_no_memory_mapped(void **state)
{
    struct memmodel_device_options options = {.size = sizeof options, .gpu = "h100"};
    memmodel_device *device;

    assert_int_equal(mapping_count("memmodel-ledger"), 0);
    assert_int_equal(memmodel_device_new(*state, &options, &device), 0);
    assert_int_equal(mapping_count("memmodel-ledger"), 1);
    memmodel_device_unref(device);
    assert_int_equal(mapping_count("memmodel-ledger"), 0);
}

/* Lines as cuda.h has them. */
static void
names_of_functions_are_read_from_a_header(void **state)
{
    static const char header[] = "/* cuNotThis() is a comment */\n"
                                 "CUresult CUDAAPI cuInit(unsigned int Flags);\n"
                                 "typedef CUresult (*PFN)(int);\n"
                                 "#define cuMemAlloc cuMemAlloc_v2\n"
                                 "    #define cuMemcpyHtoD __CUDA_API_PTDS(cuMemcpyHtoD_v2)\n"
                                 "    #define cuMemsetD8Async __CUDA_API_PTSZ(cuMemsetD8Async)\n"
                                 "#define cuMemAlloc cuMemAlloc_v2\n"
                                 "cuGreenCtxCreate(CUgreenCtx *phCtx);\n";
    static const char *const expected[] = {
        "cuInit",          "cuMemAlloc",           "cuMemAlloc_v2",
        "cuMemcpyHtoD",    "cuMemcpyHtoD_v2",      "cuMemcpyHtoD_v2_ptds",
        "cuMemsetD8Async", "cuMemsetD8Async_ptsz", "cuGreenCtxCreate",
    };
    char path[] = "/tmp/memmodel-header-XXXXXX";
    struct elf_names names = ELF_NAMES_INIT(*state);
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, header, strlen(header)), (ssize_t)strlen(header));
    close(file);
    assert_int_equal(header_names_read(&names, path), 0);
    remove(path);
    assert_int_equal(names.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < names.count; i++)
        assert_string_equal(names.names[i], expected[i]);
    elf_names_release(&names);
}

static void
a_header_that_is_not_there_has_no_names(void **state)
{
    struct elf_names names = ELF_NAMES_INIT(*state);

    assert_int_equal(header_names_read(&names, "/nowhere/at/all.h"), 0);
    assert_int_equal(names.count, 0);
    elf_names_release(&names);
}

static void
write_library(memmodel_context *context, const char *folder, const char *file, const char *soname)
{
    static const struct elf_names none = {0};
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    assert_int_equal(stand_in_write(context, &(struct stand_in){path, soname, "libc.so.6"}, &none, &none), 0);
}

static int
remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static int32_t
added_count(memmodel_device *device, const char *folder)
{
    int32_t count = -1;

    assert_int_equal(memmodel_device_add_libraries(device, folder, &count), 0);
    return count;
}

/* Of two files of one name inside, and one of a library that is not replaced. */
static void
libraries_of_one_name_get_one_stand_in(void **state)
{
    struct memmodel_device_options options = {.size = sizeof options, .gpu = "h100"};
    char folder[] = "/tmp/memmodel-libraries-XXXXXX";
    memmodel_device *device;

#ifndef __x86_64__
    skip(); /* stand-ins are of x86-64 only */
#endif
    assert_non_null(mkdtemp(folder));
    write_library(*state, folder, "libmemmodel-cuda.so", "libmemmodel-cuda.so");
    write_library(*state, folder, "libmemmodel-cuda-dnn.so", "libmemmodel-cuda-dnn.so");
    write_library(*state, folder, "libcurand.so.10", "libcurand.so.10");
    write_library(*state, folder, "libcurand.so.10.4.0", "libcurand.so.10");
    write_library(*state, folder, "libnvrtc.so.12", "libnvrtc.so.12");
    assert_int_equal(setenv("MEMMODEL_CUDA_HOME", folder, 1), 0);
    assert_int_equal(memmodel_device_new(*state, &options, &device), 0);
    assert_int_equal(added_count(device, folder), 1);
    assert_int_equal(added_count(device, folder), 0);
    assert_int_equal(added_count(device, "/nowhere/at/all"), 0);
    memmodel_device_unref(device);
    unsetenv("MEMMODEL_CUDA_HOME");
    assert_int_equal(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void
notes_of_two_kinds_are_two_whatever_they_say(void **state)
{
    static const struct ledger_gpu gpu = {.name = "none", .memory = 1 << 20};
    struct ledger_note note;
    struct ledger *ledger;
    int descriptor;

    (void)state;
    ledger = ledger_new(&gpu, 1, gpu.memory, false, &descriptor);
    assert_non_null(ledger);
    ledger_note(ledger, LEDGER_MADE_UP, 1, "cudaMemcpy");
    ledger_note(ledger, LEDGER_ASSUMED, 1, "cudaMemcpy");
    ledger_note(ledger, LEDGER_ASSUMED, 1, "cudaMemcpy");
    assert_true(ledger_note_at(ledger, 0, &note));
    assert_int_equal(note.kind, LEDGER_MADE_UP);
    assert_int_equal(note.count, 1);
    assert_true(ledger_note_at(ledger, 1, &note));
    assert_int_equal(note.kind, LEDGER_ASSUMED);
    assert_int_equal(note.count, 2);
    assert_false(ledger_note_at(ledger, 2, &note));
    ledger_close(ledger);
    close(descriptor);
}

static void
a_gpu_is_named_alone_or_with_a_number(void **state)
{
    static const char *const wrong[] = {"h100:",   "h100:0",   "h100:17",  "h100:2x",
                                        "h100:-1", "h100:1.5", "h100:2:2", ":2"};
    struct memmodel_device_properties found = {.size = sizeof found};

    assert_int_equal(memmodel_device_get_properties(*state, "h100", &found), 0);
    assert_string_equal(found.kind, "h100");
    assert_int_equal(found.count, 1);
    assert_int_equal(memmodel_device_get_properties(*state, "NVIDIA H100 80GB HBM3:16", &found), 0);
    assert_string_equal(found.kind, "h100");
    assert_int_equal(found.count, 16);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_error(*state, memmodel_device_get_properties(*state, wrong[i], &found), MEMMODEL_ERROR_INVALID_ARGUMENT,
                     "gpu");
    assert_error(*state, memmodel_device_get_properties(*state, "h1000:2", &found), MEMMODEL_ERROR_UNSUPPORTED,
                 "h1000");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_device_leaves_no_memory_mapped),
        WITH_CONTEXT(a_gpu_is_named_alone_or_with_a_number),
        WITH_CONTEXT(names_of_functions_are_read_from_a_header),
        WITH_CONTEXT(a_header_that_is_not_there_has_no_names),
        WITH_CONTEXT(libraries_of_one_name_get_one_stand_in),
        WITH_CONTEXT(notes_of_two_kinds_are_two_whatever_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
