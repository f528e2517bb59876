/* Pieces of JSON on stdout. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

/* null where JSON has no such number */
void
print_json_number(double number);

void
print_json_text(const char *text);

#endif
