/*
 * The options of PyTorch's CUDA allocator. PyTorch 2.13: c10/core/AllocatorConfig.h, c10/cuda/CUDAAllocatorConfig.h
 * and their .cpp; limits and defaults as measured by calling them.
 *
 * Where PyTorch's own reader guesses (it takes "64abc" for 64 and any character for a comma) this one refuses.
 */
#include "allocators/cuda_caching/settings.h"
#include "base/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define LARGE_SEGMENT (20 * MEBIBYTE)
#define MIN_LARGE_ALLOCATION_MB 10 /* kMinLargeAlloc: a large segment must hold more */
#define MAX_MEBIBYTES (INT64_C(1) << 40)

struct reader {
    memmodel_context *context;
    const char *text, *next; /* next: first character that is not read yet */
    const char *token;       /* start of the last token */
    char value[64];          /* the last token */
    struct cuda_settings *settings;
};

struct option {
    const char *name;
    int (*read)(struct reader *reader, const struct option *option);
    size_t field; /* offset of what it sets */
};

/* ---- tokens ---- */

static int
refuse(const struct reader *reader, int status, const char *why)
{
    return context_error_at(reader->context, status, "allocator settings", 1, (int)(reader->token - reader->text) + 1,
                            "%s", why);
}

static bool
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void
skip_blanks(struct reader *reader)
{
    while (is_blank(*reader->next))
        reader->next++;
}

/* The next word into reader->value: what stands before a mark or a blank. */
static int
read_word(struct reader *reader, const char *wanted)
{
    size_t length;

    skip_blanks(reader);
    reader->token = reader->next;
    length = strcspn(reader->next, ",:[] \t\n\v\f\r");
    if (length == 0)
        return context_error_at(reader->context, MEMMODEL_ERROR_PARSE, "allocator settings", 1,
                                (int)(reader->token - reader->text) + 1, "%s is missing", wanted);
    if (length >= sizeof reader->value)
        return refuse(reader, MEMMODEL_ERROR_PARSE, "a word is too long");
    memcpy(reader->value, reader->next, length);
    reader->value[length] = '\0';
    reader->next += length;
    skip_blanks(reader);
    return 0;
}

static bool
accept(struct reader *reader, char mark)
{
    skip_blanks(reader);
    reader->token = reader->next;
    if (*reader->next != mark)
        return false;
    reader->next++;
    return true;
}

static int
read_count(struct reader *reader, int64_t *count)
{
    int status = read_word(reader, "a number");

    if (!status && (!parse_int64(reader->value, count) || *count < 0))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "not a whole number from 0");
    return status;
}

static void *
field_of(const struct reader *reader, const struct option *option)
{
    return (char *)reader->settings + option->field;
}

static bool
is_power_of_two(int64_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

/* ---- values ---- */

static int
read_mebibytes(struct reader *reader, const struct option *option)
{
    int64_t count;
    int status = read_count(reader, &count);

    if (!status)
        *(int64_t *)field_of(reader, option) = (count < MAX_MEBIBYTES ? count : MAX_MEBIBYTES) * MEBIBYTE;
    return status;
}

static int
read_flag(struct reader *reader, const struct option *option)
{
    int status = read_word(reader, "True or False");

    if (!status && strcmp(reader->value, "True") != 0 && strcmp(reader->value, "False") != 0)
        return refuse(reader, MEMMODEL_ERROR_PARSE, "neither True nor False");
    if (!status)
        *(bool *)field_of(reader, option) = reader->value[0] == 'T';
    return status;
}

static int
read_number(struct reader *reader, double *number)
{
    int status = read_word(reader, "a number");

    if (!status && !parse_double(reader->value, number))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "not a number");
    return status;
}

static int
read_threshold(struct reader *reader, const struct option *option)
{
    double number;
    int status = read_number(reader, &number);

    if (!status && !(number > 0 && number < 1))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "garbage_collection_threshold lies between 0 and 1, without them");
    if (!status)
        *(double *)field_of(reader, option) = number;
    return status;
}

static int
read_fraction(struct reader *reader, const struct option *option)
{
    double number;
    int status = read_number(reader, &number);

    if (!status && !(number >= 0 && number <= 1))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "per_process_memory_fraction lies between 0 and 1");
    if (!status)
        *(double *)field_of(reader, option) = number;
    return status;
}

static int
read_backend(struct reader *reader, const struct option *option)
{
    int status = read_word(reader, "a backend");

    (void)option;
    if (!status && strcmp(reader->value, "cudaMallocAsync") == 0)
        return refuse(reader, MEMMODEL_ERROR_UNSUPPORTED, "only PyTorch's native allocator is modelled");
    if (!status && strcmp(reader->value, "native") != 0)
        return refuse(reader, MEMMODEL_ERROR_PARSE, "a backend is native or cudaMallocAsync");
    return status;
}

/* Of the host's memory, of locks, or of when an error is raised that is raised anyway: read past. */
static int
read_nothing(struct reader *reader, const struct option *option)
{
    (void)option;
    return read_word(reader, "a value");
}

/* ---- roundup_power2_divisions ---- */

static int
interval_of(int64_t mebibytes)
{
    int interval = 0;

    while (interval < ROUNDUP_INTERVALS - 1 && mebibytes >> (interval + 1))
        interval++;
    return interval;
}

static void
fill_divisions(struct reader *reader, int from, int to, int64_t divisions)
{
    for (int i = from; i < to; i++)
        reader->settings->divisions[i] = divisions;
}

/* After the interval's name: ":DIVISIONS". */
static int
read_divisions_of_interval(struct reader *reader, int64_t *divisions)
{
    int status;

    if (!accept(reader, ':'))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "an interval is MEBIBYTES:DIVISIONS");
    status = read_count(reader, divisions);
    if (!status && *divisions != 0 && !is_power_of_two(*divisions))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "divisions are a power of two, or 0");
    return status;
}

/* One "MEBIBYTES:DIVISIONS" or ">:DIVISIONS". The first fills all below it, ">" all above the last one. */
static int
read_interval(struct reader *reader, int *last, bool *first)
{
    int64_t mebibytes = 0, divisions;
    bool rest;
    int status = read_word(reader, "an interval");

    if (status)
        return status;
    rest = strcmp(reader->value, ">") == 0;
    if (!rest && (!parse_int64(reader->value, &mebibytes) || !is_power_of_two(mebibytes)))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "an interval starts at a power of two of mebibytes, or is >");
    status = read_divisions_of_interval(reader, &divisions);
    if (status)
        return status;
    if (rest) {
        fill_divisions(reader, *last + 1, ROUNDUP_INTERVALS, divisions);
        return 0;
    }
    *last = interval_of(mebibytes);
    fill_divisions(reader, *first ? 0 : *last, *last + 1, divisions);
    *first = false;
    return 0;
}

static int
read_intervals(struct reader *reader)
{
    bool first = true;
    int last = -1;

    if (accept(reader, ']'))
        return 0;
    do {
        int status = read_interval(reader, &last, &first);

        if (status)
            return status;
    } while (accept(reader, ','));
    return accept(reader, ']') ? 0 : refuse(reader, MEMMODEL_ERROR_PARSE, "the list ends with ]");
}

static int
read_divisions(struct reader *reader, const struct option *option)
{
    int64_t divisions;
    int status;

    (void)option;
    if (accept(reader, '['))
        return read_intervals(reader);
    status = read_count(reader, &divisions);
    if (!status && !is_power_of_two(divisions))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "divisions are a power of two");
    if (!status)
        fill_divisions(reader, 0, ROUNDUP_INTERVALS, divisions);
    return status;
}

/* ---- options ---- */

#define SETTING(field) offsetof(struct cuda_settings, field)

static const struct option options[] = {
    {"backend", read_backend, 0},
    {"expandable_segments", read_flag, SETTING(expandable_segments)},
    {"garbage_collection_threshold", read_threshold, SETTING(garbage_collection_threshold)},
    {"graph_capture_record_stream_reuse", read_nothing, 0},
    {"large_segment_size_mb", read_mebibytes, SETTING(large_segment_size)},
    {"max_non_split_rounding_mb", read_mebibytes, SETTING(max_non_split_rounding)},
    {"max_split_size_mb", read_mebibytes, SETTING(max_split_size)},
    {"per_process_memory_fraction", read_fraction, SETTING(memory_fraction)},
    {"pinned_free_catch_all", read_nothing, 0},
    {"pinned_max_cached_size_mb", read_nothing, 0},
    {"pinned_max_round_threshold_mb", read_nothing, 0},
    {"pinned_num_register_threads", read_nothing, 0},
    {"pinned_reserve_segment_size_mb", read_nothing, 0},
    {"pinned_use_background_threads", read_nothing, 0},
    {"pinned_use_cuda_host_register", read_nothing, 0},
    {"pinned_use_hip_host_register", read_nothing, 0},
    {"release_lock_on_cudamalloc", read_nothing, 0},
    {"release_lock_on_hipmalloc", read_nothing, 0},
    {"roundup_power2_divisions", read_divisions, 0},
    {"throw_on_cudamalloc_oom", read_nothing, 0},
};

static const struct option *
find_option(const char *name)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    return NULL;
}

static int
read_option(struct reader *reader)
{
    const struct option *option;
    int status = read_word(reader, "the name of an option");

    if (status)
        return status;
    option = find_option(reader->value);
    if (!option)
        return context_error_at(reader->context, MEMMODEL_ERROR_PARSE, "allocator settings", 1,
                                (int)(reader->token - reader->text) + 1, "%s is no option of PyTorch's allocator",
                                reader->value);
    if (!accept(reader, ':'))
        return refuse(reader, MEMMODEL_ERROR_PARSE, "an option is NAME:VALUE");
    return option->read(reader, option);
}

/* What holds between options, once all are read. */
static int
check(const struct reader *reader)
{
    struct cuda_settings *settings = reader->settings;
    int64_t large = settings->large_segment_size;

    if (large <= MIN_LARGE_ALLOCATION_MB * MEBIBYTE)
        return context_error(reader->context, MEMMODEL_ERROR_PARSE, "allocator settings",
                             "large_segment_size_mb must be above %d", MIN_LARGE_ALLOCATION_MB);
    if (settings->max_non_split_rounding == 0)
        settings->max_non_split_rounding = large;
    if (settings->max_split_size >= large && settings->max_non_split_rounding >= large)
        return 0;
    return context_error(reader->context, MEMMODEL_ERROR_PARSE, "allocator settings",
                         "%s must be at least the large segment size, %" PRId64 " MiB",
                         settings->max_split_size < large ? "max_split_size_mb" : "max_non_split_rounding_mb",
                         large / MEBIBYTE);
}

static int
read_options(struct reader *reader)
{
    int status = 0;

    skip_blanks(reader);
    while (!status && *reader->next) {
        status = read_option(reader);
        skip_blanks(reader);
        if (!status && *reader->next && !accept(reader, ','))
            return refuse(reader, MEMMODEL_ERROR_PARSE, "options are separated by commas");
        skip_blanks(reader);
    }
    return status ? status : check(reader);
}

int
cuda_settings_parse(memmodel_context *context, const char *text, struct cuda_settings *settings)
{
    struct cuda_settings own = {
        .large_segment_size = LARGE_SEGMENT,
        .max_split_size = INT64_MAX,
        .memory_fraction = 1,
    };
    struct reader reader = {.context = context, .settings = &own};
    int status;

    reader.text = reader.next = reader.token = text ? text : "";
    status = read_options(&reader);
    if (!status)
        *settings = own;
    return status;
}
