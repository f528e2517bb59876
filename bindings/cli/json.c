/* Pieces of JSON. */
#include "json.h"

#include <math.h>

void
print_json_number(double number)
{
    if (isfinite(number))
        printf("%.17g", number);
    else
        fputs("null", stdout);
}

void
write_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text < 0x20 || *text == '<')
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

void
print_json_text(const char *text)
{
    write_json_text(stdout, text);
}
