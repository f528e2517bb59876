/* Files that do not end, do not begin, or are none: every reader says so, in bounded time and memory. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- the readers ---- */

static int
read_network(memmodel_context *context, const char *path)
{
    memmodel_network *network = NULL;

    return memmodel_network_load(context, path, &network);
}

static int
read_onnx(memmodel_context *context, const char *path)
{
    memmodel_network *network = NULL;

    return memmodel_network_load_onnx(context, path, NULL, &network);
}

static int
read_samples(memmodel_context *context, const char *path)
{
    memmodel_samples *samples = NULL;

    return memmodel_samples_load(context, path, &samples);
}

static int
append_sample(memmodel_context *context, const char *path)
{
    return memmodel_samples_append_to_file(context, path, (const char *const[]){"batch"}, (const char *const[]){"1"},
                                           1);
}

static int
read_model(memmodel_context *context, const char *path)
{
    memmodel_model *model = NULL;

    return memmodel_model_load(context, path, &model);
}

static int
read_trace(memmodel_context *context, const char *path)
{
    memmodel_trace *trace = NULL;

    return memmodel_trace_load(context, path, &trace);
}

static int
read_plan(memmodel_context *context, const char *path)
{
    memmodel_plan *plan = NULL;

    return memmodel_plan_load(context, path, &plan);
}

/* `whole`: into memory. ONNX is stepped through. */
static const struct {
    int (*read)(memmodel_context *context, const char *path);
    int whole;
} readers[] = {
    {read_network, 1}, {read_onnx, 0}, {read_samples, 1}, {read_model, 1}, {read_trace, 1}, {read_plan, 1},
};

enum { READERS = sizeof readers / sizeof readers[0] };

/* ---- the files ---- */

struct place {
    char folder[64], path[128];
};

static struct place
new_place(void)
{
    struct place place = {.folder = "/tmp/memmodel-hostile-XXXXXX"};

    assert_non_null(mkdtemp(place.folder));
    snprintf(place.path, sizeof place.path, "%s/file", place.folder);
    return place;
}

static void
remove_place(const struct place *place)
{
    unlink(place->path);
    assert_int_equal(rmdir(place->folder), 0);
}

static int64_t
peak_memory(const memmodel_context *context)
{
    int64_t peak;

    memmodel_context_memory(context, NULL, &peak);
    return peak;
}

static void
limit(memmodel_context *context, int64_t input_bytes, double seconds)
{
    const struct memmodel_limits limits = {.size = sizeof limits, .input_bytes = input_bytes, .seconds = seconds};

    assert_int_equal(memmodel_context_set_limits(context, &limits), 0);
}

/* ---- tests ---- */

static void
a_device_that_does_not_end_is_read_up_to_the_limit(void **state)
{
    limit(*state, 1 << 20, 0);
    for (size_t i = 0; i < READERS; i++) {
        if (readers[i].whole)
            assert_error(*state, readers[i].read(*state, "/dev/zero"), MEMMODEL_ERROR_LIMIT, "input_bytes");
        else
            assert_error(*state, readers[i].read(*state, "/dev/zero"), MEMMODEL_ERROR_IO, "no regular file");
    }
    assert_in_range(peak_memory(*state), 1, 8 << 20);
}

static void
ten_gigabytes_are_refused_without_being_read(void **state)
{
    struct place place = new_place();
    int file = open(place.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)10000000000), 0);
    close(file);
    for (size_t i = 0; i < READERS; i++)
        if (readers[i].whole)
            assert_error(*state, readers[i].read(*state, place.path), MEMMODEL_ERROR_LIMIT,
                         "10000000000 bytes are more than the context's limit, 268435456 of input_bytes");
        else
            assert_error(*state, readers[i].read(*state, place.path), MEMMODEL_ERROR_PARSE, "byte 0");
    assert_error(*state, append_sample(*state, place.path), MEMMODEL_ERROR_LIMIT, "input_bytes");
    assert_in_range(peak_memory(*state), 0, 8 << 20);
    remove_place(&place);
}

static void
texts_in_memory_are_read_up_to_the_limit(void **state)
{
    memmodel_samples *samples;
    memmodel_network *network;
    memmodel_model *model;
    memmodel_plan *plan;
    char text[2000];

    memset(text, ' ', sizeof text);
    limit(*state, 1000, 0);
    assert_error(*state, memmodel_samples_from_csv(*state, "text", text, sizeof text, &samples), MEMMODEL_ERROR_LIMIT,
                 "2000 bytes are more than the context's limit, 1000 of input_bytes");
    assert_error(*state, memmodel_plan_from_csv(*state, "text", text, sizeof text, &plan), MEMMODEL_ERROR_LIMIT,
                 "input_bytes");
    assert_error(*state, memmodel_network_from_json(*state, "text", text, sizeof text, &network), MEMMODEL_ERROR_LIMIT,
                 "input_bytes");
    assert_error(*state, memmodel_model_from_json(*state, "text", text, sizeof text, &model), MEMMODEL_ERROR_LIMIT,
                 "input_bytes");
}

static void
limit_work(memmodel_context *context, int64_t nodes)
{
    const struct memmodel_limits limits = {.size = sizeof limits, .nodes = nodes};

    assert_int_equal(memmodel_context_set_limits(context, &limits), 0);
}

/* A million characters, which are read a thousand at a time: 1,000 looks, each of some nodes. */
static void
a_long_text_of_json_is_work(void **state)
{
    enum { LENGTH = 1000000 };
    memmodel_network *network;
    char *text = malloc(LENGTH);

    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = i == 0 ? '[' : i == LENGTH - 1 ? ']' : i % 2 ? '0' : ',';
    limit_work(*state, 500);
    assert_error(*state, memmodel_network_from_json(*state, "text", text, LENGTH - 1, &network), MEMMODEL_ERROR_LIMIT,
                 "nodes");
    limit_work(*state, 0);
    assert_error(*state, memmodel_network_from_json(*state, "text", text, LENGTH - 1, &network), MEMMODEL_ERROR_PARSE,
                 "");
    free(text);
}

/* Some 60 characters each, so that the text is little work beside them. */
static void
each_layer_that_is_read_is_work(void **state)
{
    enum { LAYERS = 1000, LONGEST = 100 };
    char *text = malloc((LAYERS + 2) * LONGEST), *at = text;
    memmodel_network *network;

    assert_non_null(text);
    at += sprintf(at, "{\"format\":\"memmodel-network\",\"version\":1,\"layout\":\"channels_first\",\"symbols\":[],");
    at += sprintf(at, "\"layers\":[{\"op\":\"input\",\"name\":\"x\",\"dims\":[4],\"dtype\":\"float32\"}");
    for (int i = 0; i < LAYERS; i++)
        at += sprintf(at, ",{\"op\":\"softmax\",\"name\":\"%d\",\"inputs\":[\"x\"],\"axis\":0}", i);
    at += sprintf(at, "]}");
    limit_work(*state, LAYERS);
    assert_error(*state, memmodel_network_from_json(*state, "text", text, (size_t)(at - text), &network),
                 MEMMODEL_ERROR_LIMIT, "nodes");
    limit_work(*state, 0);
    assert_int_equal(memmodel_network_from_json(*state, "text", text, (size_t)(at - text), &network), 0);
    memmodel_network_unref(network);
    free(text);
}

static void
a_folder_is_no_file(void **state)
{
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(readers[i].read(*state, "/tmp"), MEMMODEL_ERROR_IO);
    assert_int_equal(append_sample(*state, "/tmp"), MEMMODEL_ERROR_IO);
}

static void
a_pipe_that_nobody_writes_is_waited_for_as_long_as_the_limit(void **state)
{
    struct place place = new_place();

    assert_int_equal(mkfifo(place.path, 0600), 0);
    limit(*state, 0, 0.01);
    for (size_t i = 0; i < READERS; i++)
        if (readers[i].whole)
            assert_error(*state, readers[i].read(*state, place.path), MEMMODEL_ERROR_LIMIT, "seconds");
        else
            assert_error(*state, readers[i].read(*state, place.path), MEMMODEL_ERROR_IO, "no regular file");
    remove_place(&place);
}

static void
do_nothing(int number)
{
    (void)number;
}

/* Each millisecond comes a signal, which ends system calls that wait. */
static void
a_signal_does_not_end_the_wait_for_a_pipe(void **state)
{
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct sigaction nothing = {.sa_handler = do_nothing}, before;
    struct place place = new_place();
    memmodel_samples *samples;

    assert_int_equal(mkfifo(place.path, 0600), 0);
    assert_int_equal(sigaction(SIGALRM, &nothing, &before), 0);
    limit(*state, 0, 0.05);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    assert_error(*state, memmodel_samples_load(*state, place.path, &samples), MEMMODEL_ERROR_LIMIT, "seconds");
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    remove_place(&place);
}

struct writer {
    const char *path;
    int ends;
};

/* A table into the pipe, slowly; then nothing, or the same row for ever. */
static void *
write_pipe(void *argument)
{
    static const char table[] = "batch,bytes\n1,10\n", row[] = "2,20\n";
    const struct writer *writer = argument;
    int file = open(writer->path, O_WRONLY | O_CLOEXEC);

    for (size_t i = 0; i + 1 < sizeof table; i++) {
        if (write(file, table + i, 1) != 1)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    while (!writer->ends && write(file, row, sizeof row - 1) > 0)
        ;
    close(file);
    return NULL;
}

static int
read_pipe(memmodel_context *context, int ends, memmodel_samples **samples)
{
    struct place place = new_place();
    struct writer writer = {place.path, ends};
    pthread_t thread;
    int status;

    assert_int_equal(mkfifo(place.path, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_pipe, &writer), 0);
    status = memmodel_samples_load(context, place.path, samples);
    pthread_join(thread, NULL);
    remove_place(&place);
    return status;
}

static void
a_pipe_is_read_to_its_end_or_to_the_limit(void **state)
{
    memmodel_samples *samples = NULL;

    assert_int_equal(read_pipe(*state, 1, &samples), 0);
    assert_int_equal(memmodel_samples_row_count(samples), 1);
    memmodel_samples_unref(samples);
    limit(*state, 1 << 20, 0);
    assert_error(*state, read_pipe(*state, 0, &samples), MEMMODEL_ERROR_LIMIT, "input_bytes");
}

/* ---- texts in memory ---- */

/* The byte after the text is in a page that must not be touched. */
static void
parse_before_a_guard(memmodel_context *context, char *end, const char *text)
{
    size_t length = strlen(text);
    char *begin = memcpy(end - length, text, length);
    memmodel_network *network = NULL;
    memmodel_model *model = NULL;
    memmodel_samples *samples = NULL;
    memmodel_plan *plan = NULL;

    assert_int_not_equal(memmodel_network_from_json(context, "text", begin, length, &network), 0);
    assert_int_not_equal(memmodel_model_from_json(context, "text", begin, length, &model), 0);
    assert_int_not_equal(memmodel_plan_from_csv(context, "text", begin, length, &plan), 0);
    if (memmodel_samples_from_csv(context, "text", begin, length, &samples) == 0)
        memmodel_samples_unref(samples); /* a header */
}

static void
a_text_is_not_read_behind_its_end(void **state)
{
    static const char *const texts[] = {"",   "\"", "\"\\", "\"a\\", "{\"a", "{\"a\\",  "[\"",
                                        "[1", "{",  "1e",   "-",     "tru",  "\xef\xbb"};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        parse_before_a_guard(*state, pages + page, texts[i]);
    munmap(pages, 2 * page);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_device_that_does_not_end_is_read_up_to_the_limit),
        WITH_CONTEXT(ten_gigabytes_are_refused_without_being_read),
        WITH_CONTEXT(texts_in_memory_are_read_up_to_the_limit),
        WITH_CONTEXT(a_long_text_of_json_is_work),
        WITH_CONTEXT(each_layer_that_is_read_is_work),
        WITH_CONTEXT(a_folder_is_no_file),
        WITH_CONTEXT(a_pipe_that_nobody_writes_is_waited_for_as_long_as_the_limit),
        WITH_CONTEXT(a_signal_does_not_end_the_wait_for_a_pipe),
        WITH_CONTEXT(a_pipe_is_read_to_its_end_or_to_the_limit),
        WITH_CONTEXT(a_text_is_not_read_behind_its_end),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("hostile files", tests, NULL, NULL);
}
