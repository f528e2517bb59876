/*
 * Everyday spellings. Precisions: torch.dtype's names and str() of them; Lightning's Trainer(precision=); Accelerate's
 * mixed_precision=. What has its parameters in another type, such as Lightning's "bf16-true", is another network, and
 * none of these.
 */
#include "frameworks/spelling.h"

#include <string.h>
#include <strings.h>

struct spelling {
    const char *written, *meant;
};

static const char *
meaning(const struct spelling *spellings, size_t count, const char *word, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(spellings[i].written, word) == 0)
            return spellings[i].meant;
    return text;
}

const char *
spelling_framework(const char *text)
{
    static const struct spelling spellings[] = {
        {"pytorch", "pytorch"},          {"torch", "pytorch"},
        {"tensorflow", "tensorflow"},    {"tf", "tensorflow"},
        {"keras", "tensorflow"},         {"onnxruntime", "onnxruntime"},
        {"onnx", "onnxruntime"},         {"ort", "onnxruntime"},
        {"textbook", "textbook"},        {"onnx-runtime", "onnxruntime"},
        {"onnx runtime", "onnxruntime"},
    };

    return meaning(spellings, sizeof spellings / sizeof spellings[0], text, text);
}

const char *
spelling_device(const char *text)
{
    static const struct spelling spellings[] = {{"cpu", "cpu"}, {"cuda", "cuda"}, {"gpu", "cuda"}};
    size_t length = strcspn(text, ":");
    char word[8];

    if (length >= sizeof word || (text[length] && !text[length + 1]) ||
        (text[length] && text[length + 1 + strspn(text + length + 1, "0123456789")]))
        return text;
    memcpy(word, text, length);
    word[length] = '\0';
    return meaning(spellings, sizeof spellings / sizeof spellings[0], word, text);
}

const char *
spelling_precision(const char *text)
{
    static const struct spelling spellings[] = {
        {"float32", "float32"},     {"fp32", "float32"},     {"float", "float32"},      {"32", "float32"},
        {"32-true", "float32"},     {"no", "float32"},       {"bfloat16", "bfloat16"},  {"bf16", "bfloat16"},
        {"bf16-mixed", "bfloat16"}, {"float16", "float16"},  {"fp16", "float16"},       {"half", "float16"},
        {"16", "float16"},          {"16-mixed", "float16"}, {"fp16-mixed", "float16"},
    };
    const char *word = strncasecmp(text, "torch.", strlen("torch.")) == 0 ? text + strlen("torch.") : text;

    return meaning(spellings, sizeof spellings / sizeof spellings[0], word, text);
}
