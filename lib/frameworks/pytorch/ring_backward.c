/* PyTorch: _templated_ring_attention_backward(), as in ring_attention.c. */
#include "frameworks/pytorch/ring_attention.h"

/* What the loop has names for. */
struct loop {
    struct ring ring;
    struct value *query, *result, *rows, *incoming;
    struct value *key, *value;       /* of the rank whose turn it is */
    struct value *sums[3];           /* of gradients, in float32; of the keys and values those of that rank */
    struct value *own[3];            /* gradients of the last call */
    struct value *held[SAVED_COUNT]; /* its operands */
    struct value *held_incoming;
    struct value *next, *next_gradients; /* what was sent */
    struct rotater keys, gradients;
};

static void
become(struct step *step, struct value **x, struct value *now)
{
    struct value *before = *x;

    *x = now;
    value_drop(step, before);
}

/* Rows of a half are made contiguous. */
static struct value *
rows_of(struct loop *loop, bool half)
{
    struct value *part;
    struct shape shape = loop->rows->shape;

    if (!half)
        return value_keep(loop->rows);
    shape.dims[LENGTH] /= 2;
    part = value_empty(loop->ring.step, &shape);
    return part;
}

static void
call_kernel(struct loop *loop, enum ring_part part)
{
    struct step *step = loop->ring.step;
    bool half = part == LAST_QUERIES;
    struct value *given[SAVED_COUNT] = {
        [SAVED_QUERY] = ring_part_or_all(step, loop->query, half),
        [SAVED_KEY] = ring_part_or_all(step, loop->key, part == FIRST_KEYS),
        [SAVED_VALUE] = ring_part_or_all(step, loop->value, part == FIRST_KEYS),
        [SAVED_RESULT] = ring_part_or_all(step, loop->result, half),
        [SAVED_ROWS] = rows_of(loop, half),
    };
    struct value *incoming = ring_part_or_all(step, loop->incoming, half), *made[SAVED_MASK + 1] = {NULL};

    for (int i = 0; i < SAVED_COUNT; i++)
        become(step, &loop->held[i], given[i]);
    become(step, &loop->held_incoming, incoming);
    loop->ring.kernel->backward(step, loop->held, incoming, made, false);
    for (int i = 0; i < 3; i++)
        become(step, &loop->own[i], made[i]);
}

/* Where the mask hides all, the gradients are zeros. */
static void
compute(struct loop *loop, enum ring_part part)
{
    struct step *step = loop->ring.step;
    struct value *const zeros[] = {loop->query, loop->key, loop->value};

    if (part != NOTHING)
        call_kernel(loop, part);
    for (int i = 0; i < 3 && part == NOTHING; i++)
        become(step, &loop->own[i], value_like_typed(step, zeros[i], MEMMODEL_DTYPE_FLOAT32));
}

/* The keys and values of the rank before; all but the last turn send them on. */
static void
rotate(struct loop *loop, int64_t turn)
{
    struct step *step = loop->ring.step;
    struct value *buffer;

    if (turn > 0) {
        buffer = ring_next_buffer(&loop->keys);
        ring_become_part_of(step, &loop->key, buffer);
        ring_become_part_of(step, &loop->value, buffer);
    }
    if (turn + 1 == loop->ring.ranks)
        return;
    become(step, &loop->next, ring_flat(step, loop->key, loop->value));
    ring_exchange(&loop->keys, loop->next);
}

/* Gradients of keys and values so far come from the rank before, and go on with this rank's. */
static void
add_up(struct loop *loop, int64_t turn, enum ring_part part)
{
    struct step *step = loop->ring.step;

    for (int i = 1; i < 3 && turn > 0; i++) {
        if (i == 1)
            become(step, &loop->next_gradients, value_keep(ring_next_buffer(&loop->gradients)));
        ring_become_part_of(step, &loop->sums[i], loop->next_gradients);
    }
    for (int i = 1; i < 3 && part == FIRST_KEYS; i++)
        ring_update_half(step, &loop->sums[i]);
    become(step, &loop->next_gradients, ring_flat(step, loop->sums[1], loop->sums[2]));
    ring_exchange(&loop->gradients, loop->next_gradients);
    if (part == LAST_QUERIES)
        ring_update_half(step, &loop->sums[0]);
}

/* In the types of the operands; key and value share a buffer. */
static void
finish(struct loop *loop, struct value **gradients)
{
    struct step *step = loop->ring.step;

    become(step, &loop->sums[0], ring_typed(step, loop->sums[0], loop->query->shape.dtype));
    become(step, &loop->next_gradients, ring_typed(step, ring_next_buffer(&loop->gradients), loop->key->shape.dtype));
    for (int i = 1; i < 3; i++)
        ring_become_part_of(step, &loop->sums[i], loop->next_gradients);
    for (int i = 0; i < 3; i++)
        gradients[i] = loop->sums[i];
}

static void
end_loop(struct loop *loop)
{
    struct step *step = loop->ring.step;

    value_drop(step, loop->next);
    value_drop(step, loop->next_gradients);
    value_drop_all(step, loop->own, 3);
    value_drop_all(step, loop->held, SAVED_COUNT);
    value_drop(step, loop->held_incoming);
    ring_end_rotation(&loop->gradients);
    ring_end_rotation(&loop->keys);
    value_drop(step, loop->key);
    value_drop(step, loop->value);
}

void
ring_attention_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value **saved = node->saved;
    struct loop loop = {
        .ring = ring_new(step, node->options, saved[SAVED_QUERY], node->number != 0),
        .query = saved[SAVED_QUERY],
        .result = saved[SAVED_RESULT],
        .rows = saved[SAVED_ROWS],
        .incoming = incoming[0],
        .keys = {.step = step, .all_to_all = step->parallel.ring.all_to_all},
        .gradients = {.step = step, .all_to_all = true},
    };

    for (int i = 0; i < 3; i++)
        loop.sums[i] = value_like_typed(step, saved[SAVED_QUERY + i], MEMMODEL_DTYPE_FLOAT32);
    loop.key = ring_contiguous(step, saved[SAVED_KEY]);
    loop.value = ring_contiguous(step, saved[SAVED_VALUE]);
    for (int64_t turn = 0; turn < loop.ring.ranks && !step->status; turn++) {
        enum ring_part part = ring_part_of(&loop.ring, turn);

        rotate(&loop, turn);
        compute(&loop, part);
        add_up(&loop, turn, part);
    }
    finish(&loop, gradients);
    end_loop(&loop);
}
