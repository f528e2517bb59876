/* Rows appended to a file of samples: by many at once, by some that are killed, to files of any past. */
#define _DEFAULT_SOURCE /* flock(), usleep() */

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a file to append to ---- */

struct fixture {
    memmodel_context *context;
    char path[64];
};

static int
setup(void **state)
{
    struct fixture *fixture = test_calloc(1, sizeof *fixture);

    strcpy(fixture->path, "/tmp/memmodel-append-XXXXXX");
    close(mkstemp(fixture->path));
    remove(fixture->path);
    *state = fixture;
    return memmodel_context_new(NULL, &fixture->context);
}

static int
teardown(void **state)
{
    struct fixture *fixture = *state;

    remove(fixture->path);
    memmodel_context_unref(fixture->context);
    test_free(fixture);
    return 0;
}

static void
write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void
write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

static void
assert_file(const char *path, const char *expected)
{
    char text[1024];
    FILE *file = fopen(path, "rb");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

static const char *const columns[] = {"dim", "batch", "status"};

static int
append(const struct fixture *fixture, const char *dim, const char *batch, const char *status)
{
    return memmodel_samples_append_to_file(fixture->context, fixture->path, columns,
                                           (const char *[]){dim, batch, status}, 3);
}

/* ---- rows ---- */

static void
the_first_row_makes_the_file(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(append(fixture, "64", "4", "ok"), 0);
    assert_file(fixture->path, "dim,batch,status\n64,4,\"ok\"\n");
    assert_int_equal(append(fixture, "80", "8", "exit 1"), 0);
    assert_file(fixture->path, "dim,batch,status\n64,4,\"ok\"\n80,8,\"exit 1\"\n");
}

static void
an_empty_file_and_one_of_comments_get_a_header(void **state)
{
    struct fixture *fixture = *state;

    write_text(fixture->path, "");
    assert_int_equal(append(fixture, "64", "4", "ok"), 0);
    assert_file(fixture->path, "dim,batch,status\n64,4,\"ok\"\n");
    write_text(fixture->path, "# measured at night");
    assert_int_equal(append(fixture, "64", "4", "ok"), 0);
    assert_file(fixture->path, "# measured at night\ndim,batch,status\n64,4,\"ok\"\n");
}

static void
columns_are_found_by_name(void **state)
{
    struct fixture *fixture = *state;

    write_text(fixture->path, "\xEF\xBB\xBF# of two machines\r\n status , \"dim\",batch\r\nok,1,2\r\n");
    assert_int_equal(append(fixture, "64", "4", "ok"), 0);
    assert_file(fixture->path, "\xEF\xBB\xBF# of two machines\r\n status , \"dim\",batch\r\nok,1,2\r\nok,64,\"4\"\n");
}

static void
texts_and_missing_values_read_back(void **state)
{
    struct fixture *fixture = *state;
    memmodel_samples *samples, *found;

    assert_int_equal(append(fixture, "64", "", "a, \"quoted\" one"), 0);
    assert_int_equal(append(fixture, " 1.5e3 ", NULL, NULL), 0);
    assert_int_equal(append(fixture, "#3", "5", "ok"), 0);
    assert_int_equal(memmodel_samples_load(fixture->context, fixture->path, &samples), 0);
    assert_int_equal(memmodel_samples_row_count(samples), 3);
    assert_true(memmodel_samples_column(samples, "batch")[2] == 5);
    assert_int_equal(memmodel_samples_filter(samples, "status", "a, \"quoted\" one", NULL, &found), 0);
    assert_int_equal(memmodel_samples_row_count(found), 1);
    assert_null(memmodel_samples_column(samples, "dim"));
    memmodel_samples_unref(found);
    memmodel_samples_unref(samples);
}

static void
a_missing_value_alone_on_its_line_is_a_row(void **state)
{
    struct fixture *fixture = *state;
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_append_to_file(fixture->context, fixture->path, columns, (const char *[]){""}, 1),
                     0);
    assert_int_equal(memmodel_samples_load(fixture->context, fixture->path, &samples), 0);
    assert_int_equal(memmodel_samples_row_count(samples), 1);
    memmodel_samples_unref(samples);
}

static void
without_values_the_file_is_made_or_checked(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(memmodel_samples_append_to_file(fixture->context, fixture->path, columns, NULL, 3), 0);
    assert_file(fixture->path, "dim,batch,status\n");
    assert_int_equal(memmodel_samples_append_to_file(fixture->context, fixture->path, columns, NULL, 3), 0);
    assert_file(fixture->path, "dim,batch,status\n");
    assert_error(fixture->context, memmodel_samples_append_to_file(fixture->context, fixture->path, columns, NULL, 2),
                 MEMMODEL_ERROR_DATA, "status");
}

/* ---- refusals ---- */

static void
a_row_that_does_not_belong_there_is_refused_and_the_file_left_alone(void **state)
{
    static const struct {
        const char *text;
        int status;
        const char *part;
    } files[] = {
        {"dim,batch\n64,4\n", MEMMODEL_ERROR_NOT_FOUND, "status"},
        {"dim,batch,status,peak\n", MEMMODEL_ERROR_DATA, "peak"},
        {"dim,batch,status,dim\n", MEMMODEL_ERROR_PARSE, "same name"},
        {"\"dim,batch,status\n", MEMMODEL_ERROR_PARSE, "never closed"},
        {"dim,batch,status\n\"1\n2", MEMMODEL_ERROR_PARSE, "never closed"},
        {"dim,batch,status\n1,2\n3,4,5", MEMMODEL_ERROR_PARSE, "not one of 3 columns"},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_text(fixture->path, files[i].text);
        assert_error(fixture->context, append(fixture, "1", "2", "ok"), files[i].status, files[i].part);
        assert_file(fixture->path, files[i].text);
    }
}

static void
names_and_lines_are_checked_before_the_file_is_touched(void **state)
{
    struct fixture *fixture = *state;
    static const char *const twice[] = {"dim", "dim"}, *const broken[] = {"a\nb"};

    assert_error(fixture->context, append(fixture, "1", "2", "two\nlines"), MEMMODEL_ERROR_INVALID_ARGUMENT, "status");
    assert_error(fixture->context, memmodel_samples_append_to_file(fixture->context, fixture->path, twice, twice, 2),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "same name");
    assert_error(fixture->context, memmodel_samples_append_to_file(fixture->context, fixture->path, broken, columns, 1),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "line break");
    assert_error(fixture->context,
                 memmodel_samples_append_to_file(fixture->context, fixture->path, columns, columns, 0),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "1 to 4096");
    assert_int_equal(access(fixture->path, F_OK), -1);
}

static void
what_cannot_be_written_is_named(void **state)
{
    struct fixture *fixture = *state;

    assert_error(fixture->context,
                 memmodel_samples_append_to_file(fixture->context, "/nowhere/s.csv", columns, columns, 3),
                 MEMMODEL_ERROR_IO, "/nowhere/s.csv");
    assert_error(fixture->context, memmodel_samples_append_to_file(fixture->context, "/tmp", columns, columns, 3),
                 MEMMODEL_ERROR_IO, "/tmp");
    assert_error(fixture->context, memmodel_samples_append_to_file(fixture->context, "/dev/full", columns, columns, 3),
                 MEMMODEL_ERROR_IO, "/dev/full");
}

/* ---- what a program may be like ---- */

static void
a_program_without_standard_input_appends(void **state)
{
    struct fixture *fixture = *state;
    int input = dup(STDIN_FILENO), first, status;

    close(STDIN_FILENO);
    first = open("/dev/null", O_RDONLY); /* the least number that is free, as POSIX has it: the file's, too */
    close(first);
    status = append(fixture, "64", "4", "ok");
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    close(input);
    assert_int_equal(first, STDIN_FILENO);
    assert_int_equal(status, 0);
    assert_file(fixture->path, "dim,batch,status\n64,4,\"ok\"\n");
}

static int locked;
static volatile sig_atomic_t interruptions;

/* A few are only interruptions: the lock is free after them. */
static void
unlock_at_last(int number)
{
    (void)number;
    if (++interruptions == 3)
        flock(locked, LOCK_UN);
}

static void
a_signal_while_another_writes_is_waited_out(void **state)
{
    const struct itimerval soon = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = unlock_at_last}; /* no SA_RESTART: flock() says EINTR */
    struct fixture *fixture = *state;
    struct sigaction before;
    int status;

    write_text(fixture->path, "dim,batch,status\n");
    locked = open(fixture->path, O_RDWR);
    assert_int_equal(flock(locked, LOCK_EX), 0);
    interruptions = 0;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    status = append(fixture, "64", "4", "ok");
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    close(locked);
    assert_int_equal(status, 0);
    assert_true(interruptions >= 3);
    assert_file(fixture->path, "dim,batch,status\n64,4,\"ok\"\n");
}

/* ---- lines that were never finished ---- */

/* Rows that are whole in the first `length` characters of a text: their line ends there, or would end next. */
static size_t
whole_rows(const char *text, size_t length)
{
    size_t lines = 0;

    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n' || (i + 1 == length && text[i + 1] == '\n');
    return lines > 0 ? lines - 1 : 0; /* less the header */
}

static void
wherever_a_writer_is_killed_the_rows_before_and_after_are_whole(void **state)
{
    static const char text[] = "dim,batch,status\n64,4,\"ok\"\n80,\"a \"\"b\"\", c\",\"exit 1\"\n96,,\"\"\n";
    struct fixture *fixture = *state;

    for (size_t length = 0; length < sizeof text; length++) {
        memmodel_samples *samples, *mine;

        write_bytes(fixture->path, text, length);
        assert_int_equal(append(fixture, "112", "16", "mine"), 0);
        assert_int_equal(memmodel_samples_load(fixture->context, fixture->path, &samples), 0);
        assert_int_equal(memmodel_samples_row_count(samples), whole_rows(text, length) + 1);
        assert_int_equal(memmodel_samples_filter(samples, "status", "mine", NULL, &mine), 0);
        assert_int_equal(memmodel_samples_row_count(mine), 1);
        for (size_t i = 0; i < memmodel_samples_row_count(samples); i++) /* no number was cut off */
            assert_int_equal((int)memmodel_samples_column(samples, "dim")[i] % 16, 0);
        memmodel_samples_unref(mine);
        memmodel_samples_unref(samples);
    }
}

static void
a_last_line_without_its_end_is_kept_if_it_is_a_row_or_a_comment(void **state)
{
    struct fixture *fixture = *state;

    write_text(fixture->path, "dim,batch,status\n64,4,ok");
    assert_int_equal(append(fixture, "80", "8", "ok"), 0);
    assert_file(fixture->path, "dim,batch,status\n64,4,ok\n80,8,\"ok\"\n");
    write_text(fixture->path, "dim,batch,status\n64,4,ok\n# so far");
    assert_int_equal(append(fixture, "80", "8", "ok"), 0);
    assert_file(fixture->path, "dim,batch,status\n64,4,ok\n# so far\n80,8,\"ok\"\n");
}

static void
a_line_that_is_left_out_is_in_the_log(void **state)
{
    struct fixture *fixture = *state;
    char note[NOTE_BYTES] = "";

    memmodel_context_set_log(fixture->context, keep_note, note);
    write_text(fixture->path, "dim,batch,status\n# note\n64,4\n80,");
    assert_error(fixture->context, append(fixture, "1", "2", "ok"), MEMMODEL_ERROR_PARSE, "not one of 3");
    assert_string_equal(note, "");
    write_text(fixture->path, "dim,batch,status\n# note\n64,4,ok\n80,");
    assert_int_equal(append(fixture, "96", "8", "ok"), 0);
    assert_file(fixture->path, "dim,batch,status\n# note\n64,4,ok\n96,8,\"ok\"\n");
    assert_non_null(strstr(note, "line 4 was never finished"));
}

static void
no_past_of_a_file_makes_it_crash(void **state)
{
    static const char text[] = "# c\ndim,batch,status\r\n64,\"4\",\"x\ny\"\n , 2.5e3,z";
    static const char nasty[] = {'"', ',', '\n', '\r', '#', '\0', ' ', (char)0xFF, '9'};
    struct fixture *fixture = *state;
    char damaged[sizeof text];

    for (size_t at = 0; at < sizeof text; at++)
        for (size_t with = 0; with < sizeof nasty; with++) {
            memmodel_samples *samples = NULL;
            int before, status;

            memcpy(damaged, text, sizeof text);
            damaged[at] = nasty[with];
            before = memmodel_samples_from_csv(fixture->context, "t", damaged, sizeof text - 1, &samples);
            if (!before)
                memmodel_samples_unref(samples);
            write_bytes(fixture->path, damaged, sizeof text - 1);
            status = append(fixture, "1", "2", "ok");
            if (before || status)
                continue;
            assert_int_equal(memmodel_samples_load(fixture->context, fixture->path, &samples), 0);
            memmodel_samples_unref(samples);
        }
}

/* ---- many writers ---- */

enum { WRITERS = 50, ROWS = 20, KILLED = 5, CUT_OFF = 5, LAST = WRITERS + KILLED, COUNTED };

/* A file, without a name any more, in which each writer counts the rows that it has appended. */
static int
open_counts(void)
{
    char path[] = "/tmp/memmodel-counts-XXXXXX";
    int file = mkstemp(path);

    remove(path);
    assert_int_equal(ftruncate(file, COUNTED * (off_t)sizeof(int)), 0);
    return file;
}

static bool
count_rows(int counts, int writer, int rows)
{
    return pwrite(counts, &rows, sizeof rows, writer * (off_t)sizeof rows) == sizeof rows;
}

static int
counted_rows(int counts, int writer)
{
    int rows = -1;

    assert_int_equal(pread(counts, &rows, sizeof rows, writer * (off_t)sizeof rows), sizeof rows);
    return rows;
}

/* `dim` and `batch` are the writer and its row; the text makes rows of many lengths. */
static bool
append_one(memmodel_context *context, const char *path, int writer, int row)
{
    char dim[16], batch[16], text[300] = "";

    snprintf(dim, sizeof dim, "%d", writer);
    snprintf(batch, sizeof batch, "%d", row);
    memset(text, 'a' + writer % 26, (size_t)(writer * 7 + row * 13) % (sizeof text - 1));
    return memmodel_samples_append_to_file(context, path, columns, (const char *[]){dim, batch, text}, 3) == 0;
}

static bool
write_rows(const char *path, int writer, int counts)
{
    memmodel_context *context;
    bool good = memmodel_context_new(NULL, &context) == 0;

    for (int row = 0; good && row < ROWS; row++)
        good = append_one(context, path, writer, row) && count_rows(counts, writer, row + 1);
    memmodel_context_unref(context);
    return good;
}

/*
 * Dies with the lock in its hands in the middle of a row; not of the first one, which is the header's, nor behind
 * another's half row, which it would have cut off.
 */
static bool
write_half_a_row(const char *path)
{
    struct stat about;
    char last = 0;
    int file;

    while (stat(path, &about) != 0 || about.st_size == 0)
        usleep(100);
    file = open(path, O_RDWR | O_APPEND);
    if (file < 0 || flock(file, LOCK_EX) != 0 || fstat(file, &about) != 0)
        return false;
    if (pread(file, &last, 1, about.st_size - 1) == 1 && (last != '\n' || write(file, "999,99", 6) == 6))
        raise(SIGKILL);
    return false;
}

static pid_t
fork_writer(const char *path, int writer, int counts)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit((writer < LAST ? write_rows(path, writer, counts) : write_half_a_row(path)) ? 0 : 1);
    return pid;
}

/* All that was counted is there once; a writer that was killed may have appended one row more than it counted. */
static void
assert_rows_counted(const int seen[COUNTED][ROWS], int counts)
{
    for (int writer = 0; writer < COUNTED; writer++) {
        int rows = counted_rows(counts, writer);

        for (int row = 0; row < ROWS; row++)
            assert_true(row < rows ? seen[writer][row] == 1 : seen[writer][row] <= (row == rows));
        if (writer < WRITERS)
            assert_int_equal(rows, ROWS);
    }
}

static void
assert_every_row_once(const struct fixture *fixture, int counts)
{
    int seen[COUNTED][ROWS] = {{0}};
    memmodel_samples *samples;
    const double *dim, *batch;

    assert_int_equal(memmodel_samples_load(fixture->context, fixture->path, &samples), 0);
    dim = memmodel_samples_column(samples, "dim");
    batch = memmodel_samples_column(samples, "batch");
    assert_true(dim && batch);
    for (size_t i = 0; i < memmodel_samples_row_count(samples); i++) {
        assert_true(dim[i] < COUNTED && batch[i] < ROWS);
        seen[(int)dim[i]][(int)batch[i]]++;
    }
    assert_rows_counted((const int(*)[ROWS])seen, counts);
    memmodel_samples_unref(samples);
}

static void
fifty_writers_lose_and_tear_no_row_though_others_are_killed(void **state)
{
    struct fixture *fixture = *state;
    pid_t pids[LAST + CUT_OFF];
    int counts = open_counts();

    for (int i = 0; i < LAST + CUT_OFF; i++)
        pids[i] = fork_writer(fixture->path, i, counts);
    for (int i = WRITERS; i < LAST; i++) {
        usleep(2000);
        kill(pids[i], SIGKILL);
    }
    for (int i = 0; i < LAST + CUT_OFF; i++) {
        int status;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        if (i < WRITERS)
            assert_int_equal(status, 0);
        if (i >= LAST)
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    /* the last of all may have died in the middle of its row */
    assert_true(append_one(fixture->context, fixture->path, LAST, 0) && count_rows(counts, LAST, 1));
    assert_every_row_once(fixture, counts);
    close(counts);
}

struct append_call {
    const struct fixture *fixture;
    int status;
};

static void *
append_in_thread(void *user)
{
    struct append_call *call = user;
    memmodel_context *context;

    call->status = memmodel_context_new(NULL, &context);
    if (!call->status)
        call->status = append_one(context, call->fixture->path, 1, 2) ? 0 : memmodel_context_error(context)->status;
    memmodel_context_unref(context);
    return NULL;
}

/* As memmodel_samples_save() does while others append. */
static void
a_file_replaced_while_a_writer_waits_gets_its_row(void **state)
{
    struct fixture *fixture = *state;
    struct append_call call = {.fixture = fixture, .status = 1};
    char beside[80];
    pthread_t thread;
    int held;

    write_text(fixture->path, "dim,batch,status\n64,4,old\n");
    held = open(fixture->path, O_RDONLY);
    assert_int_equal(flock(held, LOCK_EX), 0);
    assert_int_equal(pthread_create(&thread, NULL, append_in_thread, &call), 0);
    usleep(50000);
    snprintf(beside, sizeof beside, "%s.new", fixture->path);
    write_text(beside, "dim,batch,status\n64,4,new\n");
    assert_int_equal(rename(beside, fixture->path), 0);
    close(held);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(call.status, 0);
    assert_file(fixture->path, "dim,batch,status\n64,4,new\n1,2,\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"\n");
}

#define ON_A_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_FILE(the_first_row_makes_the_file),
        ON_A_FILE(an_empty_file_and_one_of_comments_get_a_header),
        ON_A_FILE(columns_are_found_by_name),
        ON_A_FILE(texts_and_missing_values_read_back),
        ON_A_FILE(a_missing_value_alone_on_its_line_is_a_row),
        ON_A_FILE(without_values_the_file_is_made_or_checked),
        ON_A_FILE(a_row_that_does_not_belong_there_is_refused_and_the_file_left_alone),
        ON_A_FILE(names_and_lines_are_checked_before_the_file_is_touched),
        ON_A_FILE(what_cannot_be_written_is_named),
        ON_A_FILE(a_program_without_standard_input_appends),
        ON_A_FILE(a_signal_while_another_writes_is_waited_out),
        ON_A_FILE(wherever_a_writer_is_killed_the_rows_before_and_after_are_whole),
        ON_A_FILE(a_last_line_without_its_end_is_kept_if_it_is_a_row_or_a_comment),
        ON_A_FILE(a_line_that_is_left_out_is_in_the_log),
        ON_A_FILE(no_past_of_a_file_makes_it_crash),
        ON_A_FILE(fifty_writers_lose_and_tear_no_row_though_others_are_killed),
        ON_A_FILE(a_file_replaced_while_a_writer_waits_gets_its_row),
    };

    return cmocka_run_group_tests_name("samples append", tests, NULL, NULL);
}
