/* A program as a function in C or Python, one statement for each instruction: what it computes is the program's bits. */
#include "expression/prelude.h"
#include "expression/program.h"

#include <math.h>
#include <string.h>

/* An operation: before LEFT between RIGHT after; without `between` it has one operand. */
struct form {
    const char *before, *between, *after;
};

/* What both languages write alike, the functions of the preludes among it. */
static const struct form common_forms[OPCODE_OPERATIONS] = {
    [OPCODE_ADD] = {"", " + ", ""},
    [OPCODE_SUBTRACT] = {"", " - ", ""},
    [OPCODE_MULTIPLY] = {"", " * ", ""},
    [OPCODE_MAX] = {"memmodel_maximum(", ", ", ")"},
    [OPCODE_MIN] = {"memmodel_minimum(", ", ", ")"},
    [OPCODE_AT_LEAST] = {"memmodel_at_least(", ", ", ")"},
    [OPCODE_AT_MOST] = {"memmodel_at_most(", ", ", ")"},
    [OPCODE_POWER] = {"memmodel_power(", ", ", ")"},
    [OPCODE_COPY] = {"", NULL, ""},
    [OPCODE_CUBE_ROOT] = {"memmodel_cube_root(", NULL, ")"},
    [OPCODE_EXP] = {"memmodel_exp(", NULL, ")"},
    [OPCODE_LOG] = {"memmodel_log(", NULL, ")"},
    [OPCODE_SIN] = {"memmodel_sin(", NULL, ")"},
    [OPCODE_COS] = {"memmodel_cos(", NULL, ")"},
    [OPCODE_TANH] = {"memmodel_tanh(", NULL, ")"},
};

static const struct language {
    const char *const *prelude;
    struct form forms[OPCODE_OPERATIONS]; /* those that are its own */
    const char *infinity, *nan, *end;
} languages[] = {
    [EXPRESSION_C] = {prelude_c,
                      {[OPCODE_DIVIDE] = {"", " / ", ""},
                       [OPCODE_NOT_LESS] = {"(double)(", " >= ", ")"},
                       [OPCODE_EQUAL] = {"(double)(", " == ", ")"},
                       [OPCODE_FLOOR] = {"floor(", NULL, ")"},
                       [OPCODE_ROOT] = {"sqrt(", NULL, ")"}},
                      "HUGE_VAL",
                      "(double)NAN",
                      ";"},
    [EXPRESSION_PYTHON] = {prelude_python,
                           {[OPCODE_DIVIDE] = {"memmodel_divide(", ", ", ")"},
                            [OPCODE_NOT_LESS] = {"float(", " >= ", ")"},
                            [OPCODE_EQUAL] = {"float(", " == ", ")"},
                            [OPCODE_FLOOR] = {"memmodel_floor(", NULL, ")"},
                            [OPCODE_ROOT] = {"memmodel_root(", NULL, ")"}},
                           "math.inf",
                           "math.nan",
                           ""},
};

/* `local`: what the names of registers begin with, and no parameter's does. */
struct writer {
    const struct expression_program *program;
    const struct expression_function *function;
    const struct language *language;
    char local[64];
    struct text *out;
};

/* ---- names and numbers ---- */

static bool
begins_a_symbol(const struct writer *writer)
{
    for (size_t i = 0; i < writer->function->symbol_count; i++)
        if (strncmp(writer->function->symbols[i], writer->local, strlen(writer->local)) == 0)
            return true;
    return false;
}

/* "r", "r_", "r__" and so on. No two parameters have one name, so few can be in the way. */
static void
choose_local(struct writer *writer)
{
    size_t length = 1;

    memcpy(writer->local, "r", 2);
    while (length < sizeof writer->local - 1 && begins_a_symbol(writer)) {
        writer->local[length++] = '_';
        writer->local[length] = '\0';
    }
}

static void
print_number(const struct writer *writer, double number)
{
    size_t start = writer->out->length;

    if (isnan(number)) {
        text_append(writer->out, writer->language->nan);
    } else if (isinf(number)) {
        text_printf(writer->out, "%s%s", number < 0 ? "-" : "", writer->language->infinity);
    } else {
        text_append_double(writer->out, number);
        if (!writer->out->failed && !strpbrk(writer->out->bytes + start, ".e"))
            text_append(writer->out, ".0");
    }
}

static void
print_place(const struct writer *writer, operand of)
{
    switch (operand_place(of)) {
    case PLACE_REGISTER:
        text_printf(writer->out, "%s%zu", writer->local, operand_index(of));
        break;
    case PLACE_RESULT:
        text_printf(writer->out, "%s", writer->local);
        break;
    case PLACE_NUMBER:
        print_number(writer, writer->program->numbers[operand_index(of)]);
        break;
    default:
        text_append(writer->out, writer->function->symbols[operand_index(of)]);
        break;
    }
}

/* ---- statements ---- */

static void
print_statement(const struct writer *writer, const struct instruction *instruction)
{
    const struct form *own = &writer->language->forms[instruction->opcode];
    const struct form *form = own->before ? own : &common_forms[instruction->opcode];

    text_append(writer->out, "    ");
    print_place(writer, instruction->target);
    text_printf(writer->out, " = %s", form->before);
    print_place(writer, instruction->left);
    if (form->between) {
        text_append(writer->out, form->between);
        print_place(writer, instruction->right);
    }
    text_printf(writer->out, "%s%s\n", form->after, writer->language->end);
}

static void
print_statements(const struct writer *writer)
{
    for (size_t k = 0; k < writer->program->count && !writer->out->failed; k++)
        print_statement(writer, &writer->program->instructions[k]);
    text_printf(writer->out, "    return %s%s\n", writer->local, writer->language->end);
}

static void
print_parameters(const struct writer *writer, const char *type)
{
    for (size_t i = 0; i < writer->function->symbol_count; i++)
        text_printf(writer->out, "%s%s%s", i ? ", " : "", type, writer->function->symbols[i]);
}

static unsigned
functions_used(const struct expression_program *program)
{
    unsigned used = 0;

    for (size_t k = 0; k < program->count; k++)
        used |= prelude_for(program->instructions[k].opcode);
    return used;
}

/* ---- C ---- */

/* Where processors can multiply and add in one step, compilers would, and round once instead of twice. */
static const char c_begin[] = "#include <math.h>\n"
                              "#include <stdint.h>\n"
                              "#include <string.h>\n\n"
                              "/* Products and sums must be rounded one by one, or the last bits differ. */\n"
                              "#ifndef MEMMODEL_EXACT\n"
                              "#if defined(__clang__)\n"
                              "#define MEMMODEL_EXACT _Pragma(\"STDC FP_CONTRACT OFF\")\n"
                              "#else\n"
                              "#define MEMMODEL_EXACT\n"
                              "#endif\n"
                              "#endif\n"
                              "#if defined(__GNUC__) && !defined(__clang__) && defined(__FP_FAST_FMA)\n"
                              "#pragma GCC push_options\n"
                              "#pragma GCC optimize(\"fp-contract=off\")\n"
                              "#endif\n\n";

static const char c_end[] = "\n#if defined(__GNUC__) && !defined(__clang__) && defined(__FP_FAST_FMA)\n"
                            "#pragma GCC pop_options\n"
                            "#endif\n";

static void
print_locals(const struct writer *writer)
{
    text_append(writer->out, "    double ");
    for (size_t i = 0; i < writer->program->registers; i++)
        text_printf(writer->out, "%s%zu, ", writer->local, i);
    text_printf(writer->out, "%s;\n\n", writer->local);
}

/* Else compilers warn of an input that the formula does without. */
static void
print_unused(const struct writer *writer)
{
    for (size_t i = 0; i < writer->function->symbol_count; i++)
        if (!expression_program_uses(writer->program, i))
            text_printf(writer->out, "    (void)%s;\n", writer->function->symbols[i]);
}

static void
print_c(const struct writer *writer)
{
    text_printf(writer->out, "/*\n * %s\n */\n", writer->function->comment);
    text_append(writer->out, c_begin);
    prelude_print(prelude_c, functions_used(writer->program), writer->out);
    text_printf(writer->out, "static inline double\n%s(", writer->function->name);
    print_parameters(writer, "double ");
    text_append(writer->out, ")\n{\n    MEMMODEL_EXACT\n");
    print_locals(writer);
    print_unused(writer);
    print_statements(writer);
    text_append(writer->out, "}\n");
    text_append(writer->out, c_end);
}

/* ---- Python ---- */

static void
print_python(const struct writer *writer)
{
    text_append(writer->out, "import math\n\n\n");
    prelude_print(prelude_python, functions_used(writer->program), writer->out);
    text_printf(writer->out, "def %s(", writer->function->name);
    print_parameters(writer, "");
    text_printf(writer->out, "):\n    \"\"\"%s\"\"\"\n", writer->function->comment);
    for (size_t i = 0; i < writer->function->symbol_count; i++)
        text_printf(writer->out, "    %s = float(%s)\n", writer->function->symbols[i], writer->function->symbols[i]);
    print_statements(writer);
}

void
expression_program_print(const struct expression_program *program, enum expression_language language,
                         const struct expression_function *function, struct text *out)
{
    struct writer writer = {.program = program, .function = function, .language = &languages[language], .out = out};

    choose_local(&writer);
    if (language == EXPRESSION_C)
        print_c(&writer);
    else
        print_python(&writer);
}
