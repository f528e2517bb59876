#include "base/call.h"

#include "base/text.h"

#include <string.h>

static struct text_part
trimmed(const char *text, size_t length)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return (struct text_part){text, length};
}

/* Letters up to the first of `ends` that stands outside of parentheses. */
static size_t
span_outside(const struct text_part *part, const char *ends)
{
    size_t depth = 0;

    for (size_t i = 0; i < part->length; i++) {
        char letter = part->text[i];

        if (depth == 0 && strchr(ends, letter))
            return i;
        depth += letter == '(';
        depth -= letter == ')' && depth > 0;
    }
    return part->length;
}

/* Each parenthesis closes, and none before it opens. */
static bool
is_balanced(const struct text_part *part)
{
    size_t depth = 0;

    for (size_t i = 0; i < part->length; i++) {
        if (part->text[i] == ')' && depth-- == 0)
            return false;
        depth += part->text[i] == '(';
    }
    return depth == 0;
}

bool
call_read(const char *text, struct call_text *call)
{
    struct text_part all = trimmed(text, strlen(text));
    size_t open = 0;

    while (open < all.length && all.text[open] != '(')
        open++;
    call->name = trimmed(all.text, open);
    call->rest = (struct text_part){all.text + open, 0};
    if (open < all.length) {
        if (all.text[all.length - 1] != ')')
            return false;
        call->rest = trimmed(all.text + open + 1, all.length - open - 2);
    }
    return call->name.length > 0 && !memchr(call->name.text, ')', call->name.length) && is_balanced(&call->rest);
}

bool
text_part_next(struct text_part *rest, const char *separators, struct text_part *next)
{
    size_t length = span_outside(rest, separators);

    if (rest->length == 0)
        return false;
    *next = trimmed(rest->text, length);
    length += length < rest->length;
    *rest = (struct text_part){rest->text + length, rest->length - length};
    return true;
}

bool
call_next(struct call_text *call, struct call_argument *argument)
{
    struct text_part whole;
    size_t equals;

    if (!text_part_next(&call->rest, ",", &whole))
        return false;
    equals = span_outside(&whole, "=");
    argument->key = (struct text_part){whole.text, 0};
    argument->value = whole;
    if (equals < whole.length) {
        argument->key = trimmed(whole.text, equals);
        argument->value = trimmed(whole.text + equals + 1, whole.length - equals - 1);
    }
    return true;
}

bool
text_part_is(const struct text_part *part, const char *word)
{
    return strlen(word) == part->length && memcmp(part->text, word, part->length) == 0;
}

bool
text_part_flag(const struct text_part *part, bool *on)
{
    if (!text_part_is(part, "True") && !text_part_is(part, "False"))
        return false;
    *on = text_part_is(part, "True");
    return true;
}

bool
text_part_number(const struct text_part *part, double *number)
{
    char digits[41];

    if (part->length >= sizeof digits)
        return false;
    memcpy(digits, part->text, part->length);
    digits[part->length] = '\0';
    return parse_double(digits, number);
}
