/*
 * Direct convolution with 16 channels a block (8 or 4 if groups ask for it), forward and data passes. The width of the
 * register tile matters only where it makes the kernel refuse. Follows the heuristics of oneDNN 3.12 (Apache-2.0):
 * src/cpu/x64/jit_avx512_common_conv_kernel.cpp.
 */
#include "frameworks/onednn/kernel.h"
#include "frameworks/onednn/scratchpad.h"

enum {
    REGISTERS = 28,           /* vector registers for the points of a tile */
    ALL_REGISTERS = 31,       /* less one for each block of weights */
    FORWARD_BLOCKS = 5,       /* most blocks of output channels a tile */
    DATA_BLOCKS = 4,          /* most blocks of input channels a tile */
    LOOP_CODE = 24 * 1024,    /* bytes of code for the unrolled loop */
    KERNEL_CODE = 256 * 1024, /* bytes of code for a kernel */
    INSTRUCTION = 15,         /* bytes of an instruction at most */
};

static const double instruction_average = 9.0; /* bytes */

/* Channels-last data needs no whole blocks. */
int64_t
group_block(const struct problem *problem)
{
    static const int64_t blocks[] = {16, 8, 4};
    bool few = problem->in < SIMD_AVX512 && problem->out < SIMD_AVX512;

    if (problem->groups == 1 || (problem->channels_last && !few))
        return SIMD_AVX512;
    for (int i = 0; i < 3; i++)
        if (problem->out % blocks[i] == 0 && problem->in % blocks[i] == 0)
            return blocks[i];
    return problem->channels_last ? SIMD_AVX512 : 0;
}

static int64_t
weight_elements(const struct problem *problem, int64_t in_block, int64_t out_block)
{
    return problem->groups * round_up(problem->out, out_block) * round_up(problem->in, in_block) *
           product(problem->kernel);
}

/* A convolution, its blocking, and what the choice of a tile goes by. */
struct tiling {
    const struct problem *problem;
    bool first; /* too few input channels to block them: the source stays plain */
    int64_t in_block, out_block;
    int64_t in_blocks, out_blocks;
    int64_t right_padding; /* of the tile that was first considered */
    int64_t blocks;        /* of output channels a tile */
    int64_t tile;          /* target points */
};

/* First guess, narrower if padded rows would unroll into too much code. */
static void
first_forward_tile(struct tiling *tiling)
{
    const struct problem *problem = tiling->problem;
    int64_t width = problem->target[WIDTH], padding = problem->padding[WIDTH], tile = min_i64(width, REGISTERS);
    int64_t inner = width / tile, variants;
    double operations = (double)(6 + tiling->in_block * problem->kernel[WIDTH]);
    bool padded;

    tiling->right_padding = width_end_padding(problem, tile * inner);
    padded = padding > 0 && tiling->right_padding > 0;
    variants = 1 + (padding > 0) + (tiling->right_padding > 0);
    tiling->tile = tile;
    if (tile == width || !padded || inner - 1 <= 1)
        return;
    for (; tile > REGISTERS / 2; tile--)
        if ((double)(tile * variants) * operations * instruction_average < LOOP_CODE) {
            tiling->tile = tile;
            return;
        }
}

/* Share of the threads' time that is useful when rows are cut into pieces of `piece` points. */
static float
thread_efficiency(const struct tiling *tiling, int64_t blocks, int64_t piece)
{
    const struct problem *problem = tiling->problem;
    int64_t width = problem->target[WIDTH];
    int64_t work =
        problem->batch * problem->target[HEIGHT] * ceil_divide(tiling->out_blocks, blocks) * ceil_divide(width, piece);
    float useful = (float)width / (float)round_up(width, piece);

    return useful * (float)work / (float)round_up(work, problem->machine->threads);
}

/* Pieces that keep source, weights and target in 7/8 of the second cache. */
static int64_t
cached_piece(const struct tiling *tiling, int64_t blocks, int64_t tile)
{
    const struct problem *problem = tiling->problem;
    int64_t rows = problem->kernel[HEIGHT], cache = problem->machine->l2 * 7 / 8 / FLOAT_BYTES;
    int64_t source = tiling->in_block * tile * rows, target = tiling->out_block * blocks * tile;
    int64_t weights = tiling->out_block * blocks * tiling->in_block * problem->kernel[WIDTH] * rows;

    return tile * max_i64(2, (cache - 2 * weights) / (2 * target + 2 * source));
}

static int64_t
row_piece(const struct tiling *tiling, int64_t blocks, int64_t tile)
{
    const float good = 0.9f, best = 0.98f;
    int64_t width = tiling->problem->target[WIDTH], piece, max;
    float efficiency;

    if (tiling->first || tiling->problem->dims != 2)
        return width;
    piece = cached_piece(tiling, blocks, tile);
    efficiency = thread_efficiency(tiling, blocks, piece);
    max = ceil_divide(width, 2 * tile);
    for (int64_t pieces = ceil_divide(width, piece); pieces <= max; pieces++) {
        int64_t next = min_i64(round_up(ceil_divide(width, pieces), tile), width);

        if (next < blocks * tiling->out_block && efficiency > good)
            break;
        if (ceil_divide(width, next) != pieces)
            continue;
        if (next >= 2 * tile && thread_efficiency(tiling, blocks, next) > efficiency) {
            piece = next;
            efficiency = thread_efficiency(tiling, blocks, next);
        }
        if (efficiency > best)
            break;
    }
    return min_i64(width, max_i64(2 * tile, piece));
}

/* A tall, one point wide convolution that takes the whole width at once. */
static bool
is_column(const struct tiling *tiling)
{
    const struct problem *problem = tiling->problem;
    const int64_t *source = problem->source, *target = problem->target, *kernel = problem->kernel;
    bool single = problem->groups == 1 && problem->batch == 1 && target[WIDTH] == 1 && source[DEPTH] == 1 &&
                  target[DEPTH] == 1 && kernel[DEPTH] == 1 && all_equal(problem->stride, 1);
    bool unpadded = problem->padding[WIDTH] == 0 && problem->end_padding[WIDTH] == 0 && problem->padding[DEPTH] == 0 &&
                    problem->end_padding[DEPTH] == 0;
    bool dense = problem->dilation[WIDTH] == 0 && problem->dilation[DEPTH] == 0;

    return single && unpadded && dense && source[WIDTH] == kernel[WIDTH] && tiling->out_blocks > 1 &&
           target[HEIGHT] >= 60 && kernel[HEIGHT] >= 3;
}

/* Bytes that one row of targets touches. */
static int64_t
working_set(const struct tiling *tiling)
{
    const struct problem *problem = tiling->problem;
    const int64_t *kernel = problem->kernel;
    int64_t source =
        ceil_divide(problem->source[WIDTH], problem->stride[WIDTH]) * tiling->in_block * kernel[HEIGHT] * kernel[DEPTH];
    int64_t target = problem->target[WIDTH] * tiling->out_block * 2;
    int64_t weights = product(kernel) * tiling->in_block * tiling->out_block * 2;

    return FLOAT_BYTES * (source + target + weights);
}

static bool
is_small_3_wide(const struct tiling *tiling)
{
    const struct problem *problem = tiling->problem;
    int64_t width = problem->target[WIDTH], in = tiling->in_blocks * tiling->in_block;

    return problem->kernel[WIDTH] == 3 && width <= 28 && working_set(tiling) < problem->machine->l1 &&
           !(width == 13 && in >= 192) && !(width == 28 && in >= 512);
}

/* Whether the kernel reads the source from memory inside its multiply-adds. */
static bool
is_embedded(const struct tiling *tiling)
{
    const struct problem *problem = tiling->problem;
    int64_t width = problem->target[WIDTH], out = tiling->out_blocks * tiling->out_block;
    bool unit = problem->stride[WIDTH] == 1 && problem->stride[HEIGHT] == 1;

    if (is_column(tiling))
        return false;
    if (problem->kernel[WIDTH] > 3)
        return true;
    if (is_small_3_wide(tiling) && (unit || (problem->batch <= 16 && (out <= 192 || problem->target[HEIGHT] <= 10))))
        return true;
    return problem->batch == 1 && (tiling->tile >= width || tiling->first || (width <= 147 && out <= 96));
}

static void
embedded_tile(struct tiling *tiling)
{
    const struct problem *problem = tiling->problem;
    int64_t width = problem->target[WIDTH], before = min_i64(width, REGISTERS);
    bool pairs = working_set(tiling) < problem->machine->l1 && width <= 8 && problem->kernel[HEIGHT] <= 3 &&
                 problem->kernel[WIDTH] <= 3 && tiling->out_blocks % 2 == 0;

    tiling->tile = before;
    if (!pairs || (tiling->first && problem->batch != 1) || (problem->batch == 1 && before >= width))
        return;
    tiling->blocks = 2;
    tiling->tile = min_i64(width, ALL_REGISTERS / 3);
}

/* Blocks of output channels a tile that keep the threads busiest. */
static int64_t
busiest_blocks(const struct tiling *tiling)
{
    const float margin = 1.05f;
    int64_t best_blocks = 1;
    float best = 0;

    for (int64_t blocks = min_i64(tiling->out_blocks, FORWARD_BLOCKS); blocks > 0; blocks--) {
        int64_t tile = min_i64(tiling->problem->target[WIDTH], ALL_REGISTERS / (blocks + 1));
        float efficiency;

        if (tiling->out_blocks % blocks != 0)
            continue;
        if (is_column(tiling))
            return blocks;
        efficiency = thread_efficiency(tiling, blocks, row_piece(tiling, blocks, tile));
        if (efficiency > margin * best) {
            best = efficiency;
            best_blocks = blocks;
        }
    }
    return best_blocks;
}

static void
explicit_tile(struct tiling *tiling)
{
    if (!tiling->first || tiling->problem->batch > 1 || is_column(tiling))
        tiling->blocks = busiest_blocks(tiling);
    tiling->tile = min_i64(tiling->problem->target[WIDTH], ALL_REGISTERS / (tiling->blocks + 1));
}

static bool
forward_tile_fits(const struct tiling *tiling)
{
    const struct problem *problem = tiling->problem;
    int64_t width = problem->target[WIDTH], padding = problem->padding[WIDTH], tile = tiling->tile;
    int64_t variants = 1 + (padding > 0) + (tiling->right_padding > 0);

    return padding <= tile && width_end_padding(problem, width - width % tile) <= tile &&
           variants * problem->kernel[WIDTH] * tiling->in_block * tiling->blocks * tile * INSTRUCTION <= KERNEL_CODE;
}

static bool
choose_forward_tile(struct tiling *tiling)
{
    tiling->blocks = 1;
    first_forward_tile(tiling);
    if (is_embedded(tiling))
        embedded_tile(tiling);
    else
        explicit_tile(tiling);
    return forward_tile_fits(tiling);
}

bool
direct_avx512_forward(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    bool first = problem->groups == 1 && problem->in < simd;
    int64_t block = group_block(problem), scratchpad = 0;
    struct tiling tiling;

    if (block == 0 || kernel_misses_source(problem))
        return false;
    tiling = (struct tiling){.problem = problem, .first = first, .out_block = block};
    tiling.in_block = first ? problem->in : block;
    tiling.in_blocks = ceil_divide(problem->in, tiling.in_block);
    tiling.out_blocks = ceil_divide(problem->out, block);
    if (!choose_forward_tile(&tiling))
        return false;
    if (problem->bias && problem->out % block != 0 && !problem->channels_last)
        scratchpad_book(&scratchpad, round_up(problem->out, block) * FLOAT_BYTES);
    *primitive =
        (struct primitive){data_layout(problem, first ? plain() : blocked(block)), data_layout(problem, blocked(block)),
                           weight_elements(problem, tiling.in_block, block), scratchpad, false};
    return true;
}

/* Points beyond the edge that the kernel touches, in whole strides; `inside` is padding that it does not. */
static int64_t
overlap(const struct problem *problem, int64_t inside)
{
    return max_i64(0, (problem->extent[WIDTH] - 1 - inside) / problem->stride[WIDTH]);
}

static int64_t
right_overlap(const struct problem *problem, int64_t tile)
{
    return overlap(problem, max_i64(0, problem->end_padding[WIDTH] + problem->source[WIDTH] % tile));
}

/* A kernel as wide as the source that leaves one point. */
static bool
is_large_kernel(const struct problem *problem, int64_t block)
{
    int64_t width = problem->kernel[WIDTH];

    return width >= 14 && width < 20 && problem->target[WIDTH] == 1 && ceil_divide(problem->in, block) > 1 &&
           width == problem->source[WIDTH] && problem->stride[WIDTH] == 1 && all_equal(problem->dilation, 0);
}

static int64_t
data_working_set(const struct problem *problem, int64_t block)
{
    int64_t rows = problem->kernel[HEIGHT], source = problem->source[WIDTH] * block * 2 * rows;
    int64_t target = problem->target[WIDTH] * block;

    return FLOAT_BYTES * (source + target + rows * problem->kernel[WIDTH] * block * block * 2);
}

static bool
is_data_explicit(const struct problem *problem, int64_t block)
{
    int64_t kernel = problem->kernel[WIDTH], width = problem->source[WIDTH];

    if (problem->stride[HEIGHT] > 1 || problem->stride[DEPTH] > 1)
        return true;
    if (kernel == 1 || (kernel == 5 && width < 8))
        return false;
    return kernel >= 5 ||
           !(width <= 5 || (width > 8 && width <= 13) || data_working_set(problem, block) > problem->machine->l1);
}

/* Blocks of input channels a tile. */
static int64_t
data_blocks(const struct problem *problem, int64_t block)
{
    int64_t blocks = ceil_divide(problem->in, block), max;
    int64_t kernel = problem->kernel[WIDTH];
    bool wide = kernel > 3 ||
                (kernel == 3 && data_working_set(problem, block) < problem->machine->l1 && problem->target[WIDTH] > 8);

    if (is_data_explicit(problem, block) && !is_large_kernel(problem, block)) {
        bool unit = problem->stride[HEIGHT] == 1 && problem->stride[DEPTH] == 1;

        return !wide && unit && blocks % 2 == 0 ? 2 : 1;
    }
    max = min_i64(blocks, is_large_kernel(problem, block) ? 2 : DATA_BLOCKS);
    while (blocks % max != 0)
        max--;
    return max;
}

static int64_t
data_tile(const struct problem *problem, int64_t block, int64_t blocks)
{
    bool embedded = is_data_explicit(problem, block) && !is_large_kernel(problem, block) && blocks == 1;

    return min_i64(problem->source[WIDTH], embedded ? REGISTERS : ALL_REGISTERS / (blocks + 1));
}

static bool
data_tile_fits(const struct problem *problem, int64_t block)
{
    int64_t blocks = data_blocks(problem, block), tile = data_tile(problem, block, blocks);
    int64_t stride = problem->stride[WIDTH], left = overlap(problem, problem->padding[WIDTH]);
    int64_t right = right_overlap(problem, tile), width = problem->source[WIDTH];
    int64_t variants = 1 + (left > 0) + (right > 0);
    bool large = is_large_kernel(problem, block);

    if (left * stride > tile && !large)
        return false;
    if (right * stride > tile ||
        (width > tile && (tile % stride != 0 || problem->end_padding[WIDTH] + width % tile < 0)))
        return false;
    return large || variants * problem->kernel[WIDTH] * block * blocks * tile * INSTRUCTION <= KERNEL_CODE;
}

bool
direct_avx512_data(const struct problem *problem, int64_t simd, struct primitive *primitive)
{
    int64_t block = group_block(problem);
    struct layout data;

    (void)simd;
    if (block == 0 || is_dilated_and_strided(problem) || kernel_misses_source(problem))
        return false;
    if (!data_tile_fits(problem, block))
        return false;
    data = data_layout(problem, blocked(block));
    *primitive = (struct primitive){data, data, weight_elements(problem, block, block), 0, false};
    return true;
}
