/* Sizes as people write them. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    double bytes;
} units[] = {
    {"", 1},         {"B", 1},        {"K", 0x1p10},   {"M", 0x1p20}, {"G", 0x1p30}, {"T", 0x1p40}, {"KiB", 0x1p10},
    {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3},   {"MB", 1e6},   {"GB", 1e9},   {"TB", 1e12},
};

bool
parse_bytes(const char *text, int64_t *bytes)
{
    size_t digits = strspn(text, "0123456789.");
    char *end;
    double number;

    if (digits == 0)
        return false;
    number = strtod(text, &end);
    if (end != text + digits)
        return false;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcasecmp(end, units[i].name) != 0)
            continue;
        number *= units[i].bytes;
        if (number >= 0x1p63)
            return false;
        *bytes = (int64_t)floor(number);
        return true;
    }
    return false;
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
    if (verdict == MEMMODEL_VERDICT_FITS)
        printf("takes %s of %s, fits with %s left\n", takes, budget, headroom);
    else if (verdict == MEMMODEL_VERDICT_EXCEEDS)
        printf("takes %s of %s, does not fit, %s over\n", takes, budget, headroom);
    else
        printf("whether it fits %s is unknown%s%s\n", budget, reason ? ": " : "", reason ? reason : "");
}
