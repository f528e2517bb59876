/* Between the kernels of oneDNN's convolutions and the table that they stand in. */
#ifndef ONEDNN_KERNEL_H
#define ONEDNN_KERNEL_H

#include "frameworks/onednn/blocks.h"
#include "frameworks/onednn/primitive.h"

/*
 * Whether the kernel with vectors of `simd` floats takes the problem; if so *primitive says what it needs. *primitive
 * is written only then.
 */
typedef bool (*kernel_rule)(const struct problem *problem, int64_t simd, struct primitive *primitive);

bool
brgemm_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
brgemm_data(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
brdgmm_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
depthwise_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
depthwise_data(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
depthwise_weights(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
pointwise_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
pointwise_data(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
pointwise_weights(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_avx512_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_avx512_data(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_avx512_weights(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_avx2_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_avx2_data(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_avx2_weights(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
strided_data(const struct problem *problem, int64_t simd, struct primitive *primitive);

/* Of bfloat16, with AVX-512. */
bool
pointwise_bfloat16_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
pointwise_bfloat16_data(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
pointwise_bfloat16_weights(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_bfloat16_forward(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_bfloat16_data(const struct problem *problem, int64_t simd, struct primitive *primitive);
bool
direct_bfloat16_weights(const struct problem *problem, int64_t simd, struct primitive *primitive);

/* Of bfloat16, with AMX. */
bool
tiles_weights(const struct problem *problem, struct primitive *primitive);

/* Image columns and matrix products; any problem, unless its buffers pass a limit. */
bool
gemm_convolution(const struct problem *problem, enum pass pass, struct primitive *primitive);
bool
gemm_channels_last(const struct problem *problem, enum pass pass, struct primitive *primitive);

static inline int64_t
clamp(int64_t low, int64_t high, int64_t a)
{
    return max_i64(low, min_i64(high, a));
}

/* The next narrower of the widths that `all` is cut into in equal pieces; 0 after 1. */
static inline int64_t
next_narrower(int64_t all, int64_t width)
{
    return width == 1 ? 0 : ceil_divide(all, ceil_divide(all, width - 1));
}

static inline int64_t
product(const int64_t values[AXES])
{
    return values[DEPTH] * values[HEIGHT] * values[WIDTH];
}

static inline bool
all_equal(const int64_t values[AXES], int64_t value)
{
    return values[DEPTH] == value && values[HEIGHT] == value && values[WIDTH] == value;
}

static inline int64_t
element_bytes(const struct problem *problem)
{
    return problem->half ? BFLOAT16_BYTES : FLOAT_BYTES;
}

static inline struct layout
blocked(int64_t block)
{
    return (struct layout){FORMAT_BLOCKED, block};
}

static inline struct layout
plain(void)
{
    return (struct layout){FORMAT_PLAIN, 1};
}

static inline struct layout
channels_last(void)
{
    return (struct layout){FORMAT_CHANNELS_LAST, 1};
}

/* Data that lies channels-last is taken so. */
static inline struct layout
data_layout(const struct problem *problem, struct layout preferred)
{
    return problem->channels_last ? channels_last() : preferred;
}

/* Channels as a kernel with blocks sees them: padded to whole blocks unless that would move the data of others. */
static inline int64_t
padded_channels(const struct problem *problem, int64_t channels, int64_t block)
{
    return problem->groups == 1 && !problem->channels_last ? round_up(channels, block) : channels;
}

/* Whether a group has input and output channels in fours. */
static inline bool
has_whole_quads(const struct problem *problem)
{
    return problem->in % 4 == 0 && problem->out % 4 == 0;
}

static inline bool
is_depthwise(const struct problem *problem)
{
    return problem->groups > 1 && problem->in == 1 && problem->out == 1;
}

/* Channels that are blocked together, 16 or what groups allow; 0 if the groups' channels allow none. */
int64_t
group_block(const struct problem *problem);

/* A convolution of one point, after the reduction of a strided one to the points that it reads. */
struct pointwise {
    const struct problem *problem;
    int64_t in, out; /* blocks of channels */
    int64_t points;  /* spatial points of an image */
    int64_t row;     /* along the width */
    int64_t threads; /* that run the weights pass */
    int64_t batch_threads;
    bool reduced;
};

/* False if it is none. */
bool
pointwise_init(const struct problem *problem, int64_t simd, struct pointwise *point);

struct primitive
pointwise_primitive(const struct pointwise *point, int64_t simd, int64_t scratchpad);

/* The bias, where its channels fill no whole blocks. */
void
pointwise_book_padded_bias(int64_t *scratchpad, const struct problem *problem, int64_t simd);

/*
 * Shares the weights pass of AVX-512 among threads, the way in which each moves fewest elements. `block`: points of a
 * reduction block; `weights_cost`: how many elements one of the weights counts.
 */
void
pointwise_share_threads(struct pointwise *point, int64_t block, int64_t weights_cost);

/* The divisor from `low` to `high`, in steps, that wastes least of `value`; the larger or the smaller one of equals. */
int64_t
best_divisor(int64_t value, int64_t low, int64_t high, int64_t step, bool larger);

/* Padding after the last source point that the first `count` target points along the width reach. */
int64_t
width_end_padding(const struct problem *problem, int64_t count);

/* Whether the padding of some axis is at least as wide as the kernel. */
bool
kernel_misses_source(const struct problem *problem);

/* Whether a dilated axis is also strided. */
bool
is_dilated_and_strided(const struct problem *problem);

#endif
