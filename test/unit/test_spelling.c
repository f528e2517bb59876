/* Words and sizes as people write them: in scripts, shells and tables of other tools. */
#include "check.h"
#include "gpu_job.h"

#include <string.h>

struct written {
    const char *text, *meant;
};

static void
assert_meant(const char *field, const struct written *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *word = memmodel_estimate_word(field, words[i].text);

        if (!words[i].meant)
            assert_null(word);
        else if (!word || strcmp(word, words[i].meant) != 0)
            fail_msg("%s %s is %s, not %s", field, words[i].text, word ? word : "nothing", words[i].meant);
    }
}

#define ASSERT_MEANT(field, words) assert_meant(field, words, sizeof(words) / sizeof *(words))

/* nvidia-smi --query-gpu=name, torch.cuda.get_device_name(), shops. What has other memory or processors is another GPU. */
static void
gpus_are_known_by_the_names_of_their_driver(void **state)
{
    static const struct written words[] = {
        {"NVIDIA H100 80GB HBM3", "h100"},
        {"NVIDIA H100 PCIe", "h100"},
        {"NVIDIA H100 NVL", NULL},
        {"NVIDIA H100 96GB HBM3", NULL},
        {"NVIDIA H200", "h200"},
        {"NVIDIA A100-SXM4-40GB", "a100"},
        {"NVIDIA A100-SXM4-80GB", "a100-80gb"},
        {"NVIDIA A100 80GB PCIe", "a100-80gb"},
        {"A100-PCIE-40GB", "a100"},
        {"a100_80gb", "a100-80gb"},
        {"Tesla V100-SXM2-16GB", "v100"},
        {"Tesla V100-SXM2-32GB", "v100-32gb"},
        {"Tesla T4", "t4"},
        {"NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"},
        {"NVIDIA GeForce RTX 3060", "rtx3060"},
        {"NVIDIA GeForce RTX 3060 Ti", NULL},
        {"NVIDIA GeForce RTX 4090", "rtx4090"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL},
        {"rtx 4090", "rtx4090"},
        {"NVIDIA RTX A6000", "a6000"},
        {"NVIDIA RTX 6000 Ada Generation", NULL},
        {"NVIDIA L40S", "l40s"},
        {"NVIDIA L40", NULL},
        {"NVIDIA A10G", NULL},
        {"H100", "h100"},
        {"NVIDIA", NULL},
        {"", NULL},
        {"NVIDIA GeForce RTX 4090 with a name that goes on and on", NULL},
    };

    (void)state;
    ASSERT_MEANT("gpu", words);
}

static void
frameworks_devices_and_precisions_are_known_as_their_users_write_them(void **state)
{
    static const struct written frameworks[] = {{"PyTorch", "pytorch"},         {"torch", "pytorch"},
                                                {"Keras", "tensorflow"},        {"TF", "tensorflow"},
                                                {"ONNXRuntime", "onnxruntime"}, {"jax", NULL}};
    static const struct written devices[] = {{"cuda:0", "cuda"}, {"CUDA", "cuda"}, {"cuda:12", "cuda"},
                                             {"cpu:0", "cpu"},   {"cuda:", NULL},  {"cuda:x", NULL},
                                             {"mps", NULL},      {"", NULL}};
    static const struct written precisions[] = {
        {"bf16", "bfloat16"},    {"torch.bfloat16", "bfloat16"}, {"bf16-mixed", "bfloat16"}, {"fp16", "float16"},
        {"16-mixed", "float16"}, {"torch.half", "float16"},      {"no", "float32"},          {"bf16-true", NULL},
        {"fp8", NULL},
    };

    (void)state;
    ASSERT_MEANT("framework", frameworks);
    ASSERT_MEANT("device", devices);
    ASSERT_MEANT("precision", precisions);
    assert_null(memmodel_estimate_word("colour", "red"));
}

static void
optimizers_are_known_by_their_classes(void **state)
{
    static const struct written words[] = {
        {"AdamW", "adamw"},
        {"torch.optim.AdamW", "adamw"},
        {"torch.optim.sgd.SGD", "sgd"},
        {"Momentum", "momentum"},
        {"adamw_torch", "adamw"},
        {"keras.optimizers.RMSprop", "rmsprop"},
        {"Lion", NULL},
        {"", NULL},
    };

    (void)state;
    ASSERT_MEANT("optimizer", words);
}

static int64_t
live_peak_with(memmodel_context *context, const char *optimizer)
{
    struct memmodel_job job = {.size = sizeof job, .optimizer = optimizer, .framework = "PyTorch", .device = "CPU"};
    memmodel_report *report;
    struct memmodel_report_result result;
    memmodel_network *net = empty_network(context);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){8, 16});

    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 256));
    memmodel_network_loss(net, x, memmodel_network_input(net, "y", MEMMODEL_DTYPE_INT64, 1, (int64_t[]){8}), NULL);
    report = estimated(net, &job);
    result = result_of(report);
    memmodel_report_unref(report);
    return result.live;
}

/* As they are pasted from a script; what changes numbers alone changes no memory. */
static void
a_call_of_an_optimizer_is_read_as_it_stands_in_a_script(void **state)
{
    int64_t adam = live_peak_with(*state, "adam"), momentum = live_peak_with(*state, "momentum");

    assert_true(adam > momentum);
    assert_int_equal(live_peak_with(*state, "torch.optim.Adam(lr=1e-3, betas=(0.9, 0.999), eps=1e-8)"), adam);
    assert_int_equal(live_peak_with(*state, "SGD(lr=0.1, momentum=0.9)"), momentum);
    assert_int_equal(live_peak_with(*state, "SGD(lr=0.1)"), live_peak_with(*state, "sgd"));
}

static void
a_job_on_a_gpu_is_the_same_by_any_of_its_names(void **state)
{
    struct memmodel_job job = gpu_job("NVIDIA H100 80GB HBM3", "AdamW"), plain = gpu_job("h100", "adamw");
    memmodel_report *report, *other;
    char *text, *same;

    job.device = "cuda:0";
    job.precision = "bf16-mixed";
    plain.precision = "bfloat16";
    report = estimated(one_linear_layer(*state), &job);
    other = estimated(one_linear_layer(*state), &plain);
    assert_int_equal(memmodel_report_to_json(report, *state, &text), 0);
    assert_int_equal(memmodel_report_to_json(other, *state, &same), 0);
    assert_string_equal(text, same);
    memmodel_free(text);
    memmodel_free(same);
    memmodel_report_unref(report);
    memmodel_report_unref(other);
}

static void
sizes_have_the_units_of_people_and_of_kubernetes(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {
        {"16GiB", INT64_C(16) << 30},
        {"16Gi", INT64_C(16) << 30},
        {"16G", INT64_C(16) << 30},
        {"16 GB", 16000000000},
        {" 1.5 gb ", 1500000000},
        {"512M", 512 << 20},
        {"1000000", 1000000},
        {"16B", 16},
        {"16 bytes", 16},
        {"0", 0},
        {"1,048,576", 1 << 20},
        {"2 TiB", INT64_C(2) << 40},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t bytes = -1;

        assert_int_equal(memmodel_context_parse_bytes(*state, sizes[i].text, &bytes), 0);
        assert_int_equal(bytes, sizes[i].bytes);
    }
}

static void
a_size_without_a_unit_proposes_one(void **state)
{
    int64_t bytes = 7;

    assert_int_equal(memmodel_context_parse_bytes(*state, " 16 ", &bytes), MEMMODEL_ERROR_PARSE);
    assert_string_equal(memmodel_context_error(*state)->message, "'16' has no unit; write 16GiB, or 16B for bytes");
    assert_int_equal(memmodel_context_parse_bytes(*state, "1023.9", &bytes), MEMMODEL_ERROR_PARSE);
    assert_int_equal(bytes, 7);
    assert_int_equal(memmodel_context_parse_bytes(*state, "1024", &bytes), 0);
}

static void
what_is_no_size_is_refused(void **state)
{
    static const char *const texts[] = {"",    "GiB", "16 Gigs",     "-1",     "-1GiB",
                                        "1e3", "nan", "16GiB of it", "1.2.3K", "0x10"};
    int64_t bytes = 7;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(memmodel_context_parse_bytes(*state, texts[i], &bytes), MEMMODEL_ERROR_PARSE);
    assert_int_equal(memmodel_context_parse_bytes(*state, "9999999999TiB", &bytes), MEMMODEL_ERROR_OVERFLOW);
    assert_int_equal(bytes, 7);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_are_known_by_the_names_of_their_driver),
        cmocka_unit_test(frameworks_devices_and_precisions_are_known_as_their_users_write_them),
        cmocka_unit_test(optimizers_are_known_by_their_classes),
        WITH_CONTEXT(a_call_of_an_optimizer_is_read_as_it_stands_in_a_script),
        WITH_CONTEXT(a_job_on_a_gpu_is_the_same_by_any_of_its_names),
        WITH_CONTEXT(sizes_have_the_units_of_people_and_of_kubernetes),
        WITH_CONTEXT(a_size_without_a_unit_proposes_one),
        WITH_CONTEXT(what_is_no_size_is_refused),
    };

    return cmocka_run_group_tests_name("spelling", tests, NULL, NULL);
}
