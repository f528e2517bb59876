/*
 * mprof's lines; events of Chrome's tracing (Trace Event Format, counters "C"), which ui.perfetto.dev opens, in an array
 * that needs no end; a page that draws them (timeline.html).
 */
#include "timeline.h"

#include "json.h"

#include <errno.h>
#include <string.h>

static const double FLUSH_SECONDS = 0.5;

extern const char timeline_before[], timeline_after[];

/* As mprof does it: arguments with blanks in quotes. Control characters would break the line and become blanks. */
static void
write_command_line(FILE *file, char **arguments)
{
    fputs("CMDLINE", file);
    for (; *arguments; arguments++) {
        const char *quote = strchr(*arguments, ' ') ? "'" : "";

        fprintf(file, " %s", quote);
        for (const char *c = *arguments; *c; c++)
            fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
        fputs(quote, file);
    }
    fputc('\n', file);
}

static void
write_arguments(FILE *file, char **arguments)
{
    fputc('[', file);
    for (size_t i = 0; arguments[i]; i++) {
        fputs(i ? ", " : "", file);
        write_json_text(file, arguments[i]);
    }
    fputc(']', file);
}

static void
write_beginning(const struct timeline *timeline, char **arguments)
{
    switch (timeline->format) {
    case TIMELINE_MPROF:
        write_command_line(timeline->file, arguments);
        break;
    case TIMELINE_TRACE:
        fputs("[\n{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": ", timeline->file);
        write_json_text(timeline->file, arguments[0]);
        fputs(", \"command\": ", timeline->file);
        write_arguments(timeline->file, arguments);
        fputs("}}", timeline->file);
        break;
    case TIMELINE_PAGE:
        fprintf(timeline->file, "%s{\"command\": ", timeline_before);
        write_arguments(timeline->file, arguments);
        fputs(", \"points\": [", timeline->file);
        break;
    }
}

static enum timeline_format
format_of(const char *path)
{
    const char *ending = strrchr(path, '.');

    if (ending && strcmp(ending, ".json") == 0)
        return TIMELINE_TRACE;
    return ending && strcmp(ending, ".html") == 0 ? TIMELINE_PAGE : TIMELINE_MPROF;
}

static bool
say_why(const struct timeline *timeline)
{
    fprintf(stderr, "memmodel run: %s: cannot write: %s\n", timeline->path, strerror(errno));
    return false;
}

bool
timeline_file_open(struct timeline *timeline, const char *path, char **command)
{
    *timeline = (struct timeline){.path = path};
    if (!path)
        return true;
    timeline->file = fopen(path, "we");
    if (!timeline->file)
        return say_why(timeline);
    timeline->format = format_of(path);
    write_beginning(timeline, command);
    fflush(timeline->file);
    return true;
}

void
timeline_file_add(struct timeline *timeline, double time, int64_t bytes)
{
    if (timeline->point_count++ == 0)
        timeline->begin = time;
    switch (timeline->format) {
    case TIMELINE_MPROF:
        fprintf(timeline->file, "MEM %.6f %.4f\n", (double)bytes / 0x1p20, time);
        break;
    case TIMELINE_TRACE:
        fprintf(timeline->file,
                ",\n{\"name\": \"memory\", \"ph\": \"C\", \"pid\": 1, \"ts\": %.0f, \"args\": {\"bytes\": %lld}}",
                (time - timeline->begin) * 1e6, (long long)bytes);
        break;
    case TIMELINE_PAGE:
        fprintf(timeline->file, "%s\n[%.4f, %lld]", timeline->point_count > 1 ? "," : "", time - timeline->begin,
                (long long)bytes);
        break;
    }
    if (time - timeline->flushed < FLUSH_SECONDS)
        return;
    fflush(timeline->file);
    timeline->flushed = time;
}

bool
timeline_file_close(struct timeline *timeline)
{
    bool failed;

    if (!timeline->file)
        return true;
    if (timeline->format == TIMELINE_TRACE)
        fputs("\n]\n", timeline->file);
    if (timeline->format == TIMELINE_PAGE)
        fprintf(timeline->file, "\n]}%s", timeline_after);
    failed = ferror(timeline->file) != 0;
    return fclose(timeline->file) == 0 && !failed ? true : say_why(timeline);
}
