/* Runs the schedule of a chain step by step and counts. It shares nothing with the search that found it. */
#include "base/checked.h"
#include "recompute/chain.h"

/* What is held of each block, and of the chain. */
struct run {
    const memmodel_chain *chain;
    unsigned char *held; /* HAS_INPUT, HAS_SAVED */
    size_t fresh;        /* the block whose input was just made and is kept by nobody; SIZE_MAX: none */
    size_t gradient;     /* of the input of this block, or of the output */
    int64_t bytes;
};

enum { HAS_INPUT = 1, HAS_SAVED = 2 };

static int
missing(const struct run *run, size_t block, const char *what)
{
    return context_error(run->chain->context, MEMMODEL_ERROR_INVALID_ARGUMENT, run->chain->blocks[block].name,
                         "the schedule runs it without %s", what);
}

/* An input that no one took goes. */
static void
drop_fresh(struct run *run)
{
    if (run->fresh != SIZE_MAX)
        run->bytes -= chain_input(run->chain, run->fresh);
    run->fresh = SIZE_MAX;
}

/* Saved tensors hold the output, so the next block's input takes no memory of its own. */
static bool
is_within_saved(const struct run *run, size_t block)
{
    return block > 0 && run->held[block - 1] & HAS_SAVED;
}

static void
save(struct run *run, size_t block)
{
    run->held[block] |= HAS_SAVED;
    run->bytes += run->chain->blocks[block].saved;
    if (block + 1 < run->chain->count)
        run->held[block + 1] |= HAS_INPUT;
}

/* Forward; the peak is reached when both input and output are there. */
static int
run_forward(struct run *run, const struct chain_step *step, int64_t *peak)
{
    size_t block = (size_t)step->block;
    const struct chain_block *is = &run->chain->blocks[block];
    bool fresh = run->fresh == block;

    if (!fresh)
        drop_fresh(run);
    if (!fresh && !(run->held[block] & HAS_INPUT))
        return missing(run, block, "its input");
    if (step->operation != MEMMODEL_CHAIN_OPERATION_FORWARD) {
        run->held[block] |= HAS_INPUT;
        run->fresh = SIZE_MAX;
    } else if (!fresh) {
        return missing(run, block, "an input that may go");
    }
    if (step->operation == MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL) {
        if (run->held[block] & HAS_SAVED)
            return missing(run, block, "need: it is saved already");
        save(run, block);
        *peak = run->bytes + is->forward_bytes;
        return 0;
    }
    *peak = run->bytes + chain_input(run->chain, block + 1) + is->forward_bytes;
    drop_fresh(run);
    run->fresh = block + 1;
    run->bytes += chain_input(run->chain, block + 1);
    return 0;
}

static int
run_backward(struct run *run, size_t block, int64_t *peak)
{
    const struct chain_block *is = &run->chain->blocks[block];

    drop_fresh(run);
    if (run->gradient != block + 1)
        return missing(run, block, "the gradient of its output");
    if (!(run->held[block] & HAS_SAVED) || !(run->held[block] & HAS_INPUT))
        return missing(run, block, "what it has to save for its backward pass");
    *peak = run->bytes + is->input + is->backward_bytes;
    run->bytes += is->input - chain_input(run->chain, block + 1) - is->saved;
    if (!is_within_saved(run, block))
        run->bytes -= is->input;
    run->held[block] = 0;
    if (block + 1 < run->chain->count)
        run->held[block + 1] = 0;
    run->gradient = block;
    return 0;
}

static int
run_all(struct run *run, struct chain_schedule *schedule, int64_t *peak, double *cost)
{
    int status = 0;

    for (size_t i = 0; i < schedule->count && !status; i++) {
        struct chain_step *step = &schedule->steps[i];
        const struct chain_block *block = &run->chain->blocks[step->block];
        bool backward = step->operation == MEMMODEL_CHAIN_OPERATION_BACKWARD;

        status = backward ? run_backward(run, (size_t)step->block, &step->peak) : run_forward(run, step, &step->peak);
        step->held = run->bytes;
        *peak = max_i64(*peak, step->peak);
        *cost += backward ? block->backward_cost : block->forward_cost;
    }
    if (!status && run->gradient != 0)
        status = missing(run, run->gradient - 1, "its backward pass");
    return status;
}

int
chain_verify(const memmodel_chain *chain, struct chain_schedule *schedule, int64_t *peak, double *cost)
{
    struct run run = {.chain = chain, .fresh = SIZE_MAX, .gradient = chain->count};
    int status;

    run.held = memory_allocate_zeroed(chain->context, chain->count, sizeof *run.held);
    if (!run.held)
        return MEMMODEL_ERROR_NO_MEMORY;
    run.held[0] = HAS_INPUT;
    run.bytes = chain->blocks[0].input + chain->output;
    *peak = run.bytes;
    *cost = 0;
    status = run_all(&run, schedule, peak, cost);
    memory_release(chain->context, run.held);
    return status;
}
