/* Names of columns as symbols of formulas. */
#include "regression/basis/symbols.h"

#include <string.h>

/* Keywords of C11 and Python 3 and the functions of formulas. */
static const char *const reserved[] = {
    "False",  "None",   "True",   "and",    "as",       "assert",   "async",   "auto",     "await",    "break",
    "case",   "ceil",   "char",   "class",  "const",    "continue", "def",     "default",  "del",      "do",
    "double", "elif",   "else",   "enum",   "except",   "extern",   "finally", "float",    "floor",    "fmax",
    "fmin",   "for",    "from",   "global", "goto",     "if",       "import",  "in",       "inline",   "int",
    "is",     "lambda", "log",    "long",   "main",     "math",     "max",     "min",      "nonlocal", "not",
    "or",     "pass",   "pow",    "raise",  "register", "restrict", "return",  "short",    "signed",   "sizeof",
    "sqrt",   "static", "struct", "switch", "try",      "typedef",  "union",   "unsigned", "void",     "volatile",
    "while",  "with",   "yield",
};

/* Macros, with which a parameter of that name would be something else in C. */
static const char *const macros[] = {"HUGE_VAL", "INFINITY", "M_E", "M_PI", "NAN", "NULL", "linux", "unix"};

/* Functions of exported files. */
static const char *const exported[] = {
    "memmodel_cube_root", "memmodel_divide",  "memmodel_exp",   "memmodel_floor", "memmodel_log_callback",
    "memmodel_maximum",   "memmodel_minimum", "memmodel_power", "memmodel_root",
};

static bool
is_in(const char *const *list, size_t count, const char *symbol)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], symbol) == 0)
            return true;
    return false;
}

static bool
is_taken(const struct expression_pool *pool, const char *symbol)
{
    return is_in(reserved, sizeof reserved / sizeof reserved[0], symbol) ||
           is_in(macros, sizeof macros / sizeof macros[0], symbol) ||
           is_in(exported, sizeof exported / sizeof exported[0], symbol) || expression_find_symbol(pool, symbol) >= 0;
}

static void
append_symbol(struct text *text, const char *name)
{
    if (!is_letter(name[0]))
        text_append(text, "_");
    for (; *name; name++)
        text_append_bytes(text, is_letter(*name) || is_digit(*name) ? name : "_", 1);
}

/* The name as an identifier, with a number from 2 on; NULL without memory. */
static char *
make_symbol(memmodel_context *context, const char *name, int number)
{
    struct text text = TEXT_INIT(context);

    append_symbol(&text, name);
    if (number > 1)
        text_printf(&text, "_%d", number);
    return text_finish(&text);
}

static int
define(struct expression_pool *pool, memmodel_context *context, const char *name)
{
    int number = 1;
    char *symbol = make_symbol(context, name, number);
    expression made;

    while (symbol && is_taken(pool, symbol)) {
        memory_release(context, symbol);
        symbol = make_symbol(context, name, ++number);
    }
    if (!symbol)
        return MEMMODEL_ERROR_NO_MEMORY;
    made = expression_symbol(pool, symbol);
    memory_release(context, symbol);
    return made < 0 ? made : 0;
}

int
symbols_define(struct expression_pool *pool, memmodel_context *context, const char *const *names, size_t count)
{
    int status = 0;

    for (size_t i = 0; !status && i < count; i++)
        status = define(pool, context, names[i]);
    return status;
}
