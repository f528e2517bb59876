/* Pieces of JSON, on stdout where no file is given. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

/* null where JSON has no such number */
void
print_json_number(double number);

void
print_json_text(const char *text);

/* "<" is written \u003c, so that no HTML around it can end in it. */
void
write_json_text(FILE *file, const char *text);

#endif
