/* Memory over time in a file, written as it is read: what a kill leaves is what was read so far. */
#ifndef CLI_TIMELINE_H
#define CLI_TIMELINE_H

#include "command.h"

/* By the end of the file's name; any other is mprof's, of memory_profiler 0.61. */
enum timeline_format { TIMELINE_MPROF, TIMELINE_TRACE /* .json */, TIMELINE_PAGE /* .html */ };

struct timeline {
    const char *path;
    FILE *file; /* NULL: none is wanted */
    enum timeline_format format;
    int64_t point_count;
    double begin, flushed; /* seconds, as readings have them */
};

/* False after a message. `path` may be NULL. */
bool
timeline_file_open(struct timeline *timeline, const char *path, char **command);

/* Times do not fall. */
void
timeline_file_add(struct timeline *timeline, double time, int64_t bytes);

/* False after a message. */
bool
timeline_file_close(struct timeline *timeline);

#endif
