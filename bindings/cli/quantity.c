/* Sizes as people write them. */
#include "command.h"

#include <math.h>

bool
parse_bytes(const char *text, int64_t *bytes, char message[MESSAGE_BYTES])
{
    memmodel_context *context = NULL;
    int status = memmodel_context_new(NULL, &context);

    if (!status)
        status = memmodel_context_parse_bytes(context, text, bytes);
    if (status)
        snprintf(message, MESSAGE_BYTES, "%s", context ? memmodel_context_error(context)->message : "out of memory");
    memmodel_context_unref(context);
    return status == 0;
}

const char *
format_bytes(int64_t bytes, char text[QUANTITY_BYTES])
{
    static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    size_t unit = 0;

    while (fabs(number) >= 1024 && unit < sizeof names / sizeof names[0] - 1) {
        number /= 1024;
        unit++;
    }
    snprintf(text, QUANTITY_BYTES, "%.*f %s", unit ? 2 : 0, number, names[unit]);
    return text;
}

void
print_verdict(int32_t verdict, const char *takes, const char *budget, const char *headroom, const char *reason)
{
    const char *word = memmodel_verdict_name(verdict);

    if (verdict == MEMMODEL_VERDICT_FITS)
        printf("takes %s of %s, %s with %s left\n", takes, budget, word, headroom);
    else if (verdict == MEMMODEL_VERDICT_EXCEEDS)
        printf("takes %s of %s, %s, %s over\n", takes, budget, word, headroom);
    else if (verdict == MEMMODEL_VERDICT_UNCERTAIN)
        printf("takes %s of %s, %s\n", takes, budget, word);
    else
        printf("whether it fits %s is unknown%s%s\n", budget, reason ? ": " : "", reason ? reason : "");
}
