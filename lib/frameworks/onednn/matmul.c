/*
 * The scratchpad of a product of bfloat16 matrices: packed blocks of the operands and float32 sums, of each thread.
 * oneDNN: src/cpu/x64/matmul/brgemm_matmul_utils.cpp (compute_blocking_heuristic_avx512, init_aux_values,
 * init_scratchpad).
 */
#include "frameworks/onednn/matmul.h"

#include "frameworks/onednn/blocks.h"
#include "frameworks/onednn/brgemm.h"
#include "frameworks/onednn/scratchpad.h"

#include <stddef.h>

enum {
    CACHE_LINE = 64 / BFLOAT16_BYTES, /* elements */
    MAX_ROWS = 256,                   /* of a block */
    MIN_ROWS = 32,
    MIN_ROWS_OF_FEW = 16, /* where there are fewer blocks of columns than threads */
    COLUMNS = 64,         /* of a block of the second operand */
    MAX_CHUNK = 16,       /* blocks of columns that are run over one packed block of the first operand */
    SUMMED = 512,         /* elements that one call sums */
    SUMMED_EXTENDED = 1024,
    PACKED_SUMMED = 32,  /* to which they are rounded in a packed block */
    BATCH = 16,          /* descriptions of products that a thread has room for */
    MAX_SHARED_SUMS = 4, /* threads that share out a sum */
    MIN_SHARED_SUM = 2048,
    MANY_ROWS = 1024, /* from which an operand of long rows, a power of two of elements, is packed */
    LONG_ROW = 4096,
};

/* How the product is cut: rows of a block, blocks of columns in a chunk, threads that share out a sum. */
struct blocking {
    int64_t rows, chunk, sharing;
};

/* What is the same for all ways of cutting it. */
struct cut {
    const struct matmul *matmul;
    bool packs_first;
    int64_t columns, summed; /* of a block */
};

static bool
is_power_of_two(int64_t a)
{
    return (a & (a - 1)) == 0;
}

/* A single row is never packed: it lies row after row as well. */
static bool
packs_first(const struct matmul *m)
{
    if (m->column_major && m->rows > 1)
        return true;
    return is_power_of_two(m->summed) && m->summed >= LONG_ROW && m->rows >= MANY_ROWS;
}

/* calculate_spatial_disbalance */
static float
imbalance_of(int64_t work, int64_t block)
{
    int64_t rest = work % block, missing = block - rest;

    return (float)(work < block ? missing : min_i64(missing, rest)) / (float)block;
}

/* Share that is lost to unequal pieces, in oneDNN's order of additions: get_imbalance. */
static float
imbalance(const struct cut *cut, const struct blocking *blocking, float *avoidable)
{
    const struct matmul *m = cut->matmul;
    int64_t threads = m->threads / blocking->sharing, used = threads * blocking->sharing;
    int64_t row_blocks = ceil_divide(m->rows, blocking->rows), column_blocks = ceil_divide(m->columns, cut->columns);
    int64_t chunks = ceil_divide(column_blocks, blocking->chunk);
    float work = imbalance_of(row_blocks * chunks * m->batch, threads);
    float rows = (float)(blocking->rows * row_blocks % m->rows) / (float)m->rows;
    float columns = ((float)chunks * (float)blocking->chunk - (float)column_blocks) / (float)column_blocks;
    float idle = ((float)m->threads - (float)used) / (float)m->threads;
    float summed = imbalance_of(m->summed, blocking->sharing * cut->summed);

    *avoidable = work + rows + columns;
    return (work + rows + columns + idle + summed) / 5;
}

/* Too few blocks for all threads, and not as many for each. */
static bool
leaves_threads_idle(const struct cut *cut, const struct blocking *blocking)
{
    const struct matmul *m = cut->matmul;
    int64_t blocks =
        m->batch * ceil_divide(m->rows, blocking->rows) * ceil_divide(m->columns, cut->columns * blocking->chunk);

    return blocks < m->threads * 3 && blocks % m->threads != 0;
}

struct search {
    struct blocking best;
    float least; /* imbalance */
};

static void
try_blocking(struct search *search, const struct cut *cut, const struct blocking *blocking, float *avoidable)
{
    float found = imbalance(cut, blocking, avoidable);

    if (found >= search->least)
        return;
    search->least = found;
    search->best = *blocking;
}

/* Wide chunks and tall blocks first; nothing after one that loses nothing can be better. */
static void
search_blocks(struct search *search, const struct cut *cut, int64_t min_rows, int64_t sharing, bool may_share)
{
    const struct matmul *m = cut->matmul;
    int64_t max_chunk = min_i64(cut->packs_first ? MAX_CHUNK : 1, ceil_divide(m->columns, cut->columns));
    struct blocking blocking = {.sharing = sharing};
    float least = search->least, avoidable = 1;

    for (blocking.chunk = max_chunk; blocking.chunk >= 1; blocking.chunk--)
        for (blocking.rows = min_i64(MAX_ROWS, m->rows); blocking.rows >= min_rows; blocking.rows--) {
            if (!may_share && leaves_threads_idle(cut, &blocking))
                continue;
            try_blocking(search, cut, &blocking, &avoidable);
            if (avoidable == 0)
                return;
        }
    if (search->least < least)
        return;
    blocking = (struct blocking){min_rows, 1, sharing};
    try_blocking(search, cut, &blocking, &avoidable);
}

/* compute_blocking_heuristic_avx512 */
static struct blocking
choose_blocking(const struct cut *cut)
{
    const struct matmul *m = cut->matmul;
    bool few = m->threads > m->batch * ceil_divide(m->columns, cut->columns);
    bool may_share =
        few && m->batch == 1 && m->column_major && is_power_of_two(m->summed) && m->summed >= MIN_SHARED_SUM;
    int64_t min_rows = min_i64(few ? MIN_ROWS_OF_FEW : MIN_ROWS, m->rows);
    int64_t sharing = may_share ? min_i64(m->threads, MAX_SHARED_SUMS) : 1;
    struct search search = {{min_rows, 1, 1}, 1};

    may_share = sharing > 1;
    for (; sharing >= 1; sharing--)
        search_blocks(&search, cut, min_rows, sharing, may_share);
    return search.best;
}

static void
book(int64_t *scratchpad, const struct matmul *matmul, int64_t bytes_of_thread)
{
    int64_t all = 0, bytes = multiply_saturating(matmul->threads, bytes_of_thread);

    scratchpad_book(&all, min_i64(bytes, INT64_MAX - PAGE));
    *scratchpad = add_saturating(*scratchpad, all);
}

/* Rows of a power of two would meet in the same sets of the cache. */
static int64_t
packed_row(int64_t summed)
{
    int64_t row = round_up(summed, CACHE_LINE);

    return row >= SUMMED && is_power_of_two(row) ? row + CACHE_LINE : row;
}

static int64_t
bytes_of_sums(const struct cut *cut, const struct blocking *blocking)
{
    const struct matmul *m = cut->matmul;
    int64_t chunk = cut->summed >= m->summed ? 1 : blocking->chunk;

    if (blocking->sharing > 1)
        return multiply_saturating(FLOAT_BYTES, multiply_saturating(m->rows, m->columns));
    return FLOAT_BYTES * cut->columns * blocking->rows * chunk;
}

int64_t
matmul_scratchpad(const struct matmul *matmul)
{
    bool extended = matmul->summed > SUMMED_EXTENDED && !matmul->column_major;
    struct cut cut = {
        .matmul = matmul,
        .packs_first = packs_first(matmul),
        .columns = min_i64(COLUMNS, matmul->columns),
        .summed = min_i64(matmul->summed, extended ? SUMMED_EXTENDED : SUMMED),
    };
    struct blocking blocking = choose_blocking(&cut);
    int64_t scratchpad = 0;

    book(&scratchpad, matmul, BATCH * BRGEMM_BATCH_ELEMENT);
    if (cut.packs_first)
        book(&scratchpad, matmul, BFLOAT16_BYTES * blocking.rows * packed_row(cut.summed));
    book(&scratchpad, matmul, BFLOAT16_BYTES * COLUMNS * round_up(cut.summed, PACKED_SUMMED));
    book(&scratchpad, matmul, bytes_of_sums(&cut, &blocking));
    return scratchpad;
}
