/* One line on a terminal that is written over again and again. */
#include "progress.h"
#include "limits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* What takes less shows nothing. */
#define QUIET_SECONDS 0.5

enum { TIME_BYTES = 32, BEST_BYTES = 64 };

static bool is_shown;

/* By the work that is done, and by the time that the call has at most; NaN where neither is known. */
static double
seconds_left(const struct memmodel_progress *progress)
{
    double limit = limits_seconds(), left = NAN;

    if (isfinite(limit))
        left = fmax(limit - progress->seconds, 0);
    if (progress->total > 0 && progress->done > 0)
        left = fmin(left, progress->seconds / (double)progress->done * (double)(progress->total - progress->done));
    return left;
}

static void
format_time(double seconds, char text[TIME_BYTES])
{
    if (seconds < 90)
        snprintf(text, TIME_BYTES, "%.0f s", seconds);
    else if (seconds < 5400)
        snprintf(text, TIME_BYTES, "%.0f min", seconds / 60);
    else
        snprintf(text, TIME_BYTES, "%.0f h", seconds / 3600);
}

/* Bytes, but for the errors of formulas. */
static void
format_best(const struct memmodel_progress *progress, char text[BEST_BYTES])
{
    char bytes[QUANTITY_BYTES];

    text[0] = '\0';
    if (isnan(progress->best))
        return;
    if (strcmp(progress->stage, "formulas") == 0)
        snprintf(text, BEST_BYTES, ", best error %.4g", progress->best);
    else
        snprintf(text, BEST_BYTES, ", best so far %s", format_bytes((int64_t)progress->best, bytes));
}

static int
show(void *user, const struct memmodel_progress *progress)
{
    char time[TIME_BYTES], best[BEST_BYTES];
    double left = seconds_left(progress);

    (void)user;
    if (progress->seconds < QUIET_SECONDS)
        return 0;
    is_shown = true;
    format_best(progress, best);
    fprintf(stderr, "\r%" PRId64, progress->done);
    if (progress->total > 0)
        fprintf(stderr, " of %" PRId64, progress->total);
    fprintf(stderr, " %s%s", progress->stage, best);
    if (!isnan(left)) {
        format_time(left, time);
        fprintf(stderr, ", at most %s left", time);
    }
    fputs("\x1b[K", stderr);
    return 0;
}

void
progress_show(memmodel_context *context)
{
    if (isatty(STDERR_FILENO))
        memmodel_context_set_progress(context, show, NULL);
}

int
progress_clear(memmodel_context *context, int status)
{
    memmodel_context_set_progress(context, NULL, NULL);
    if (is_shown)
        fputs("\r\x1b[K", stderr);
    is_shown = false;
    return status;
}
