/*
 * The table of GPUs. Compute capability and processors: CUDA C++ Programming Guide and NVIDIA's data sheets. Memory: as the
 * driver reports it, from outputs of deviceQuery, nvidia-smi and torch that were published. Contexts, and kernels loaded
 * later; where they come from:
 *
 * - 621 MiB and 146 MiB, H200: measured, torch 2.11.0+cu130, 156 runs of test/data/pytorch_cuda; kernels were 130 to 150 MiB,
 *   and 18 MiB without cuBLAS. Of the H100 29 programs of test/data/pytorch_h100 took 641 to 863 MiB together, 767 in the
 *   median; with their driver, 580, CUDA had 85,017,493,504 bytes
 * - 60 MiB of kernels, all others: about what device-level peaks of trainings on two GPUs lie above what the allocator
 *   reserves, github.com/Stone-ResearchLife/xMem, PyTorch 2.6
 *
 * - 256 MiB, RTX 3090: torch 2.7.1+cu128, nvidia-smi, github.com/invoke-ai/InvokeAI issue 9413
 * - 426 MiB, RTX 6000 Ada: torch 2.10+cu130, nvidia-smi, github.com/unslothai/unsloth-zoo pull 1053
 * - 287,047,680 bytes: torch 1.13, lazy loading, GPU not named, github.com/pytorch/pytorch pull 86509
 * - 400 MB: "around 400MB", CUDA >= 11.7, GPU not named, github.com/pytorch/pytorch issue 109888
 * - 500 MiB: a guess for GPUs that no public source names, with more processors than those above
 */
#include "frameworks/cuda/gpu.h"

#include "base/checked.h"
#include "base/text.h"
#include "frameworks/framework.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MIB (INT64_C(1) << 20)

#define RTX_3090_CONTEXT (256 * MIB)
#define RTX_ADA_CONTEXT (426 * MIB)
#define LAZY_CONTEXT INT64_C(287047680)
#define USUAL_CONTEXT INT64_C(400000000)
#define LARGE_CONTEXT (500 * MIB)
#define HOPPER_CONTEXT (621 * MIB)

#define USUAL_MODULES (60 * MIB)
#define HOPPER_MODULES (146 * MIB)

static const struct gpu gpus[] = {
    {"t4", 75, 40, INT64_C(15655829504), LAZY_CONTEXT, USUAL_MODULES, false},
    {"v100", 70, 80, INT64_C(16935682048), LAZY_CONTEXT, USUAL_MODULES, false},
    {"v100-32gb", 70, 80, INT64_C(34089730048), LAZY_CONTEXT, USUAL_MODULES, false},
    {"rtx2080ti", 75, 68, INT64_C(11545608192), LAZY_CONTEXT, USUAL_MODULES, false},
    {"a100", 80, 108, INT64_C(42297786368), USUAL_CONTEXT, USUAL_MODULES, false},
    {"a100-40gb", 80, 108, INT64_C(42297786368), USUAL_CONTEXT, USUAL_MODULES,
     false}, /* the same, for who says which */
    {"a100-80gb", 80, 108, INT64_C(85097971712), USUAL_CONTEXT, USUAL_MODULES, false},
    {"a10", 86, 72, INT64_C(23609475072), RTX_3090_CONTEXT, USUAL_MODULES, false},
    {"a40", 86, 84, INT64_C(47608692736), RTX_3090_CONTEXT, USUAL_MODULES, false},
    {"rtx3060", 86, 28, INT64_C(12622168064), RTX_3090_CONTEXT, USUAL_MODULES, false},
    {"rtx3090", 86, 82, INT64_C(25438126080), RTX_3090_CONTEXT, USUAL_MODULES, false},
    {"a6000", 86, 84, INT64_C(51041271808), RTX_3090_CONTEXT, USUAL_MODULES, false},
    {"l4", 89, 58, INT64_C(23663869952), RTX_ADA_CONTEXT, USUAL_MODULES, false},
    {"l40s", 89, 142, INT64_C(47810936832), RTX_ADA_CONTEXT, USUAL_MODULES, false},
    {"rtx4060", 89, 24, INT64_C(8318222336), RTX_ADA_CONTEXT, USUAL_MODULES, false},
    {"rtx4090", 89, 128, INT64_C(25250627584), RTX_ADA_CONTEXT, USUAL_MODULES, false},
    {"h100", 90, 132, INT64_C(85045936128), HOPPER_CONTEXT, HOPPER_MODULES, false},
    {"h200", 90, 132, INT64_C(150109880320), HOPPER_CONTEXT, HOPPER_MODULES, true},
    {"b200", 100, 148, 182642 * MIB, LARGE_CONTEXT, USUAL_MODULES, false},
    {"rtx5090", 120, 170, 32113 * MIB, LARGE_CONTEXT, USUAL_MODULES, false},
};

enum { GPU_COUNT = sizeof gpus / sizeof gpus[0] };

static int
unknown(memmodel_context *context, const char *name)
{
    struct text names = TEXT_INIT(context);
    int status;

    for (size_t i = 0; i < GPU_COUNT; i++)
        text_printf(&names, "%s%s", i ? ", " : "", gpus[i].name);
    if (*name)
        status = context_error(context, MEMMODEL_ERROR_UNSUPPORTED, name, "no profile of this GPU; there are %s",
                               names.failed ? "others" : names.bytes);
    else
        status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "gpu",
                               "which GPU is it? There are profiles of %s", names.failed ? "many" : names.bytes);
    text_release(&names);
    return status;
}

/* ---- names as nvidia-smi, torch.cuda.get_device_name() and shops have them ---- */

enum { WORD_BYTES = 24 };

/* Parts of a name: which GPU, "rtx4090", and how many GB, 0 where it does not say. */
struct product_name {
    char model[WORD_BYTES];
    int64_t gigabytes;
};

/* What names have besides, which makes no other GPU: makers, families, sockets, kinds of memory. */
static bool
says_nothing(const char *word)
{
    static const char *const words[] = {"nvidia", "geforce", "tesla", "gpu",  "sxm",   "sxm2", "sxm3", "sxm4",
                                        "sxm5",   "sxm6",    "pcie",  "hbm2", "hbm2e", "hbm3", "hbm3e"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(words[i], word) == 0)
            return true;
    return false;
}

static bool
reads_gigabytes(const char *word, int64_t *gigabytes)
{
    size_t digits = strspn(word, "0123456789");

    if (digits == 0 || digits > 4 || strcasecmp(word + digits, "gb") != 0)
        return false;
    *gigabytes = strtol(word, NULL, 10);
    return true;
}

/* "rtx" belongs to the number behind it, and to nothing in "RTX A6000"; "Ti" to the one before. False for a word too many. */
static bool
take_word(struct product_name *name, const char *word)
{
    bool rtx = strcasecmp(name->model, "rtx") == 0;

    if (says_nothing(word) || reads_gigabytes(word, &name->gigabytes))
        return true;
    if (name->model[0] && !rtx && strcasecmp(word, "ti") != 0)
        return false;
    if (rtx && !isdigit((unsigned char)word[0]))
        name->model[0] = '\0';
    if (strlen(name->model) + strlen(word) >= sizeof name->model)
        return false;
    strcat(name->model, word);
    return true;
}

static bool
read_product(const char *text, struct product_name *name)
{
    static const char between[] = " -_/";
    char word[WORD_BYTES];

    *name = (struct product_name){.gigabytes = 0};
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        size_t length = strcspn(text, between);

        if (length >= sizeof word)
            return false;
        memcpy(word, text, length);
        word[length] = '\0';
        if (!take_word(name, word))
            return false;
        text += length;
    }
    return name->model[0] != '\0';
}

/* What is sold as 80 GB has 75 to 86 * 10^9 bytes, as the driver reports it: some is kept for error correction. */
static bool
has_gigabytes(const struct gpu *gpu, int64_t gigabytes)
{
    double sold = (double)gpu->memory / (double)gigabytes;

    return gigabytes == 0 || (sold > 0.94e9 && sold < 0x1p30);
}

static const struct gpu *
gpu_of_product(const char *text)
{
    struct product_name name;

    if (!read_product(text, &name))
        return NULL;
    for (size_t i = 0; i < GPU_COUNT; i++) {
        size_t length = strcspn(gpus[i].name, "-");

        if (strlen(name.model) == length && strncasecmp(gpus[i].name, name.model, length) == 0 &&
            has_gigabytes(&gpus[i], name.gigabytes))
            return &gpus[i];
    }
    return NULL;
}

const struct gpu *
gpu_of_name(const char *name)
{
    for (size_t i = 0; i < GPU_COUNT; i++)
        if (strcasecmp(gpus[i].name, name) == 0)
            return &gpus[i];
    return gpu_of_product(name);
}

const struct gpu *
gpu_at(size_t index)
{
    return index < GPU_COUNT ? &gpus[index] : NULL;
}

size_t
gpu_count(void)
{
    return GPU_COUNT;
}

int
gpu_find(memmodel_context *context, const char *name, const struct gpu **gpu)
{
    const struct gpu *found = gpu_of_name(name);

    if (!found)
        return unknown(context, name);
    *gpu = found;
    return 0;
}
