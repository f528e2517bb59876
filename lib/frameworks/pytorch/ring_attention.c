/*
 * PyTorch: torch/distributed/tensor/experimental/_context_parallel/_attention.py (_templated_ring_attention,
 * _templated_ring_attention_backward, _SDPAMerger, _AllGatherRotater, _AllToAllRotater). What is held there, and the
 * order in which it goes, is so here.
 */
#include "frameworks/pytorch/ring_attention.h"

/* ---- what goes round ---- */

void
ring_exchange(struct rotater *rotater, struct value *buffer)
{
    int64_t parts = rotater->all_to_all ? 1 : rotater->step->parallel.context_ranks;
    struct value *before = rotater->buffer;

    if (before && !rotater->all_to_all)
        return;
    rotater->step->what = "keys and values of other ranks";
    rotater->buffer =
        value_vector(rotater->step, buffer->shape.dtype, multiply_saturating(parts, value_elements(buffer)));
    value_drop(rotater->step, before);
    rotater->sent = value_keep(buffer);
}

struct value *
ring_next_buffer(struct rotater *rotater)
{
    value_drop(rotater->step, rotater->sent);
    rotater->sent = NULL;
    return rotater->buffer;
}

void
ring_end_rotation(struct rotater *rotater)
{
    value_drop(rotater->step, rotater->sent);
    value_drop(rotater->step, rotater->buffer);
}

/* What is not row-major is copied. */
struct value *
ring_flat(struct step *step, const struct value *a, const struct value *b)
{
    struct value *copies[] = {value_is_contiguous(a) ? NULL : value_copy(step, a),
                              value_is_contiguous(b) ? NULL : value_copy(step, b)};
    int64_t elements = value_elements(a) + value_elements(b);
    struct value *result = value_vector(step, a->shape.dtype, elements);

    value_drop(step, copies[1]);
    value_drop(step, copies[0]);
    return result;
}

void
ring_become_part_of(struct step *step, struct value **x, const struct value *buffer)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *before = *x;
    struct shape shape = shape_typed(&before->shape, buffer->shape.dtype);

    shape_strides(&shape, strides);
    *x = value_view(step, buffer, &shape, strides);
    value_drop(step, before);
}

struct value *
ring_contiguous(struct step *step, const struct value *x)
{
    return value_is_contiguous(x) ? value_detach(step, x) : value_copy(step, x);
}

static struct value *
half_of(struct step *step, const struct value *x)
{
    struct shape shape = x->shape;

    shape.dims[LENGTH] /= 2;
    return value_view(step, x, &shape, x->strides);
}

void
ring_update_half(struct step *step, struct value **x)
{
    struct value *before = *x;

    *x = value_copy(step, before);
    value_drop(step, before);
}

enum ring_part
ring_part_of(const struct ring *ring, int64_t turn)
{
    if (turn == 0 || !ring->causal)
        return ALL;
    if (!ring->load_balance)
        return turn <= ring->place ? ALL : NOTHING;
    return turn <= ring->place ? FIRST_KEYS : LAST_QUERIES;
}

struct value *
ring_part_or_all(struct step *step, struct value *x, bool half)
{
    return half ? half_of(step, x) : value_keep(x);
}

/* ---- forward ---- */

struct value *
ring_typed(struct step *step, struct value *x, int dtype)
{
    return x->shape.dtype == dtype ? value_keep(x) : value_like_typed(step, x, dtype);
}

/* lse - logsigmoid(lse - block_lse) */
static struct value *
merge_rows(struct step *step, const struct value *rows)
{
    struct value *difference = value_copy(step, rows), *logarithm = value_copy(step, rows), *result;

    value_drop(step, difference);
    result = value_copy(step, rows);
    value_drop(step, logarithm);
    return result;
}

/* out - sigmoid(block_lse - lse) * (out - block_out) */
static struct value *
merge_results(struct step *step, const struct value *result, const struct value *rows)
{
    struct value *difference = value_copy(step, rows), *share = value_copy(step, rows), *apart, *product, *merged;

    value_drop(step, difference);
    apart = value_like(step, result);
    product = value_like(step, result);
    value_drop(step, share);
    value_drop(step, apart);
    merged = value_like(step, result);
    value_drop(step, product);
    return merged;
}

/* _SDPAMerger.step(): in float32. */
static void
merge(struct ring *ring, struct attention_made *all, const struct attention_made *made, bool partial)
{
    struct step *step = ring->step;
    struct value *result = ring_typed(step, made->result, MEMMODEL_DTYPE_FLOAT32), *merged, *rows;

    if (!all->result) {
        all->result = result;
        all->rows = value_keep(made->rows);
        return;
    }
    merged = merge_results(step, result, made->rows);
    rows = merge_rows(step, made->rows);
    if (partial) {
        ring_update_half(step, &all->rows);
        ring_update_half(step, &all->result);
        value_drop(step, rows);
        value_drop(step, merged);
    } else {
        value_drop(step, all->rows);
        all->rows = rows;
        value_drop(step, all->result);
        all->result = merged;
    }
    value_drop(step, result);
}

static void
drop_made(struct step *step, struct attention_made *made)
{
    struct value *parts[] = {made->result, made->rows, made->offset, made->seed};

    value_drop_all(step, parts, 4);
    *made = (struct attention_made){.wants_rows = true};
}

/* What a turn computes: q, k, v of the loop are held until the next turn has its own. */
static void
forward_turn(struct ring *ring, int64_t turn, struct value *const operands[3], const struct memmodel_attention *options,
             struct value *held[4], struct attention_made *last, struct attention_made *all)
{
    enum ring_part part = ring_part_of(ring, turn);
    struct value *given[4] = {NULL};
    struct attention_made made = {.wants_rows = true};

    if (part == NOTHING)
        return;
    for (int i = 0; i < 3; i++)
        given[i] = ring_part_or_all(ring->step, operands[i], part == (i == 0 ? LAST_QUERIES : FIRST_KEYS));
    value_drop_all(ring->step, held, 3);
    for (int i = 0; i < 3; i++)
        held[i] = given[i];
    ring->kernel->forward(ring->step, given, options, &made);
    if (turn == 0) { /* its generator is the one that is kept */
        all->seed = value_keep(made.seed);
        all->offset = value_keep(made.offset);
    }
    drop_made(ring->step, last);
    *last = made;
    merge(ring, all, last, part == LAST_QUERIES);
}

static void
forward(struct ring *ring, struct value *const operands[3], const struct memmodel_attention *options,
        struct attention_made *all)
{
    struct step *step = ring->step;
    struct rotater rotater = {.step = step, .all_to_all = step->parallel.ring.all_to_all};
    struct value *own[] = {value_detach(step, operands[0]), ring_contiguous(step, operands[1]),
                           ring_contiguous(step, operands[2])};
    struct value *held[4] = {NULL}, *result;
    struct attention_made last = {.wants_rows = true};

    for (int64_t turn = 0; turn < ring->ranks && !step->status; turn++) {
        for (int i = 1; i < 3 && turn > 0; i++)
            ring_become_part_of(step, &own[i], ring_next_buffer(&rotater));
        if (turn + 1 < ring->ranks) {
            struct value *next = ring_flat(step, own[1], own[2]);

            ring_exchange(&rotater, next);
            value_drop(step, next);
        }
        forward_turn(ring, turn, own, options, held, &last, all);
    }
    result = ring_typed(step, all->result, operands[0]->shape.dtype);
    value_drop(step, all->result);
    all->result = result;
    ring_end_rotation(&rotater);
    drop_made(step, &last);
    value_drop_all(step, held, 3);
    value_drop_all(step, own, 3);
}

/* ---- which ---- */

/* From 2.6 on, where sequences are balanced if they can be: _create_default_load_balancer(). */
struct ring
ring_new(struct step *step, const struct attention_kernel *kernel, const struct value *query, bool causal)
{
    const struct parallel *parallel = &step->parallel;

    return (struct ring){
        .step = step,
        .kernel = kernel,
        .ranks = parallel->context_ranks,
        .place = parallel->beside_place,
        .load_balance = parallel->ring.load_balance && query->shape.dims[LENGTH] % 2 == 0,
        .causal = causal,
    };
}

/* What PyTorch stops at. */
static const char *
refusal(const struct ring *ring, struct value *const operands[4])
{
    if (operands[3])
        return "context_parallel() takes no mask; call it with is_causal=True, or without one";
    if (!ring->kernel)
        return "context_parallel() is for flash, cuDNN's and memory-efficient attention, which these heads do not have";
    if (ring->causal && operands[0]->shape.dims[LENGTH] != operands[1]->shape.dims[LENGTH])
        return "causal attention of a part of a sequence needs as many keys as queries";
    if (!ring->causal && ring->load_balance)
        return "context_parallel() balances causal attention alone; give context=\"ring(load_balance=False)\"";
    return NULL;
}

struct value *
ring_attention(struct step *step, const struct attention_kernel *kernel, struct value *const operands[4],
               const struct memmodel_attention *options)
{
    static const struct derivative derivative = {"ring_attention", ring_attention_backward};
    struct ring ring = ring_new(step, kernel, operands[0], options->causal);
    struct attention_made made = {.wants_rows = true};
    const char *wrong = step->status ? NULL : refusal(&ring, operands);

    if (wrong)
        step->status = context_error(step->context, MEMMODEL_ERROR_UNSUPPORTED, step->network->layers[step->layer].name,
                                     "%s", wrong);
    if (step->status)
        return value_like(step, operands[0]);
    forward(&ring, operands, options, &made);
    attention_record(step, &derivative, kernel, operands, &made);
    if (made.result->node)
        made.result->node->number = options->causal;
    return made.result;
}
