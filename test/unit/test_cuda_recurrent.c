/*
 * What cuDNN's recurrent layers work in and keep: recorded on an H100 with cuDNN 9.19, test/data/pytorch_h100, "recurrent_layers" of
 * calls.
 */
#include "check.h"

#include "frameworks/cuda/recurrent.h"

enum { PLAIN = RECURRENT_PLAIN_GATES, GRU = RECURRENT_GRU_GATES, LSTM = RECURRENT_LSTM_GATES };
enum { TRAINS = 1, DROPS = 2, PACKED = 4, SMALL = 8 };

struct recorded {
    int gates, layers, directions, length, batch, input, hidden, element_bytes, flags;
    int64_t bytes;
};

static struct recurrent_call
call_of(const struct recorded *r)
{
    int64_t of_states = (int64_t)r->directions * r->gates * r->hidden * r->element_bytes;
    int64_t first = r->input, inner = (int64_t)r->hidden * r->directions;
    int64_t widths = first + (r->layers - 1) * inner + (int64_t)r->layers * r->hidden;

    return (struct recurrent_call){
        .gates = r->gates,
        .layers = r->layers,
        .directions = r->directions,
        .length = r->length,
        .batch = r->batch,
        .input = r->input,
        .hidden = r->hidden,
        .element_bytes = r->element_bytes,
        .matrix_bytes = of_states * widths,
        .parameter_bytes = of_states * (widths + (int64_t)2 * r->layers),
        .drops = r->flags & DROPS,
        .trains = r->flags & TRAINS,
        .packed = r->flags & PACKED,
        .small_cells = r->flags & SMALL,
    };
}

static void
hold_against(const struct recorded *recorded, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct recurrent_call call = call_of(&recorded[i]);

        assert_int_equal(recurrent_workspace_bytes(&call), recorded[i].bytes);
    }
}

static void
one_recurrent_layer_works_in_what_was_recorded(void **state)
{
    static const struct recorded recorded[] = {
        {LSTM, 1, 1, 100, 8, 512, 1024, 2, 0, 30146880},
        {LSTM, 1, 1, 1, 8, 100, 256, 2, TRAINS, 9182656},
        {LSTM, 1, 1, 100, 128, 256, 256, 2, TRAINS, 49480960},
        {LSTM, 1, 1, 100, 8, 64, 32, 2, TRAINS, 8879936},
        {LSTM, 1, 1, 2, 1, 32, 256, 4, 0, 9589280},
        {GRU, 1, 1, 56, 2, 64, 1024, 2, 0, 16025888},
        {GRU, 1, 1, 4, 128, 32, 100, 2, TRAINS, 9072224},
        {GRU, 1, 1, 56, 8, 512, 256, 2, TRAINS, 11653440},
        {PLAIN, 1, 1, 200, 128, 512, 1024, 2, 0, 143394048},
        {PLAIN, 1, 1, 200, 8, 512, 8, 2, TRAINS, 13389888},
    };

    (void)state;
    hold_against(recorded, sizeof recorded / sizeof recorded[0]);
}

static void
kernels_for_small_cells_work_in_what_was_recorded(void **state)
{
    static const struct recorded recorded[] = {
        {LSTM, 1, 1, 100, 16, 512, 32, 4, TRAINS | SMALL, 21594496},
        {LSTM, 1, 1, 16, 32, 8, 100, 4, TRAINS | SMALL, 12981504},
        {LSTM, 1, 1, 7, 33, 64, 100, 4, TRAINS | SMALL, 10756768},
        {GRU, 1, 1, 16, 32, 512, 32, 4, TRAINS | SMALL, 12882432},
        {GRU, 1, 1, 16, 8, 256, 64, 4, SMALL, 9298240},
        {GRU, 1, 1, 7, 3, 100, 100, 4, SMALL, 8776576},
        {PLAIN, 1, 1, 100, 1, 512, 100, 4, SMALL, 9080128},
        {PLAIN, 1, 1, 200, 3, 64, 32, 4, TRAINS | SMALL, 9785888},
        {PLAIN, 1, 1, 100, 2, 256, 256, 4, SMALL, 10354976},
    };

    (void)state;
    hold_against(recorded, sizeof recorded / sizeof recorded[0]);
}

static void
layers_and_directions_work_in_what_was_recorded(void **state)
{
    static const struct recorded recorded[] = {
        {GRU, 1, 2, 56, 16, 64, 512, 4, TRAINS, 46563712},
        {LSTM, 1, 2, 1, 3, 256, 100, 2, TRAINS, 17375712},
        {GRU, 1, 2, 200, 3, 64, 100, 2, TRAINS | SMALL, 20016384},
        {PLAIN, 2, 2, 4, 33, 256, 100, 4, TRAINS | DROPS | SMALL, 36157984},
        {LSTM, 2, 2, 56, 32, 100, 8, 4, TRAINS | SMALL, 39089664},
        {LSTM, 3, 2, 16, 33, 32, 100, 2, TRAINS, 53490848},
        {LSTM, 2, 1, 16, 16, 64, 64, 2, TRAINS | DROPS | SMALL, 17695104},
        {GRU, 2, 1, 56, 8, 8, 512, 4, TRAINS | DROPS, 31029568},
        {GRU, 3, 1, 7, 64, 64, 8, 4, TRAINS | SMALL, 25815552},
    };

    (void)state;
    hold_against(recorded, sizeof recorded / sizeof recorded[0]);
}

static void
packed_sequences_work_in_what_was_recorded(void **state)
{
    static const struct recorded recorded[] = {
        {GRU, 1, 1, 100, 2, 256, 8, 4, TRAINS | PACKED, 8625472},
        {PLAIN, 1, 2, 200, 33, 512, 1024, 4, PACKED, 192372992},
        {PLAIN, 1, 2, 16, 2, 100, 32, 2, TRAINS | PACKED, 16824832},
    };

    (void)state;
    hold_against(recorded, sizeof recorded / sizeof recorded[0]);
}

static void
recurrent_layers_reserve_what_was_recorded(void **state)
{
    static const struct recorded recorded[] = {
        {LSTM, 2, 1, 7, 32, 8, 100, 2, TRAINS, 493056},
        {LSTM, 3, 2, 16, 33, 32, 100, 2, TRAINS, 3590656},
        {LSTM, 1, 2, 1, 3, 256, 100, 2, TRAINS, 6272},
        {LSTM, 1, 2, 2, 3, 32, 100, 2, TRAINS, 12256},
        {PLAIN, 2, 2, 4, 33, 256, 100, 4, TRAINS | DROPS, 323712},
        {GRU, 3, 1, 16, 128, 256, 512, 2, TRAINS, 41943296},
        {PLAIN, 2, 1, 1, 64, 64, 512, 4, TRAINS | DROPS, 397568},
        {GRU, 2, 2, 56, 128, 64, 100, 2, TRAINS, 37273856},
    };

    (void)state;
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
        struct recurrent_call call = call_of(&recorded[i]);

        assert_int_equal(recurrent_reserve_bytes(&call), recorded[i].bytes);
    }
}

static void
a_recurrent_workspace_beyond_63_bits_is_the_largest_number(void **state)
{
    struct recurrent_call call = {.gates = LSTM, .layers = INT64_MAX, .directions = 2, .length = INT64_MAX};

    (void)state;
    call.batch = call.input = call.hidden = call.element_bytes = call.parameter_bytes = call.matrix_bytes = INT64_MAX;
    call.trains = call.drops = true;
    assert_int_equal(recurrent_workspace_bytes(&call), INT64_MAX);
    call.small_cells = true;
    assert_int_equal(recurrent_workspace_bytes(&call), INT64_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_recurrent_layer_works_in_what_was_recorded),
        cmocka_unit_test(kernels_for_small_cells_work_in_what_was_recorded),
        cmocka_unit_test(layers_and_directions_work_in_what_was_recorded),
        cmocka_unit_test(packed_sequences_work_in_what_was_recorded),
        cmocka_unit_test(recurrent_layers_reserve_what_was_recorded),
        cmocka_unit_test(a_recurrent_workspace_beyond_63_bits_is_the_largest_number),
    };

    return cmocka_run_group_tests_name("cuda_recurrent", tests, NULL, NULL);
}
