/*
 * cuSOLVER: what its work areas are. The library publishes no sizes; those here are its answers on an H100 with CUDA 13.0
 * (test/data/pytorch_h100), found in half of the recorded calls and compared with the other half. Single and double
 * precision were recorded; other types are taken to be alike.
 */
#include "solver.h"

enum {
    ROUNDED = 32, /* values, or bytes of what is no value */
    BYTES_ROUNDED = 512,
    PANEL = 128, /* rows and columns of a block of reflectors */
    FEW_COLUMNS = 64,
};

/* Sizes beyond are no matrix of a GPU's: so that sums and products of these stay far from overflow. */
static bool
is_no_matrix(int64_t m, int64_t n)
{
    enum { GREATEST = 1 << 28 };

    return m <= 0 || n <= 0 || m > GREATEST || n > GREATEST;
}

static int64_t
round_up(int64_t value, int64_t to)
{
    return (value + to - 1) / to * to;
}

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Bytes. Flags of tiles of 32 x 32, which are worked on at the same time. */
int64_t
solver_cholesky(int64_t n)
{
    enum { FIXED = 128, FLAG = 4 };
    int64_t tiles = round_up(n, ROUNDED) / ROUNDED;

    return is_no_matrix(n, n) ? 0 : FIXED + round_up(FLAG * tiles * tiles, ROUNDED);
}

/* Bytes, whatever the type. Of each row a pivot, and where they are searched for. Of more than 1,024 rows one call was
 * recorded. */
int64_t
solver_lu(int64_t n)
{
    enum { FIXED = 256, PIVOT = 8, MAX_SEARCHED = 512, MANY = 1024, OF_MANY = 1 << 16 };
    int64_t searched = ROUNDED;

    if (is_no_matrix(n, n))
        return 0;
    while (searched < n && searched < MAX_SEARCHED)
        searched *= 2;
    return FIXED + PIVOT * (round_up(n, ROUNDED) + searched) + (n > MANY ? OF_MANY : 0);
}

/* Values of a QR factorisation, without the few bytes that are no values. */
static int64_t
qr_values(int64_t columns)
{
    enum { FIXED = 1 << 19, OF_COLUMN = 1024, MIN_COLUMNS = 256 };

    return FIXED + OF_COLUMN * larger(columns, MIN_COLUMNS);
}

int64_t
solver_qr(int64_t columns, int64_t value_bytes)
{
    enum { FIXED = 128 };

    return is_no_matrix(columns, columns) ? 0 : FIXED + qr_values(columns) * value_bytes;
}

int64_t
solver_reflectors(int64_t m, int64_t n)
{
    enum { FIXED = 256, FACTORS = 3, PANELS_OF_FEW = 2 };

    if (is_no_matrix(m, n))
        return 0;
    if (n <= FEW_COLUMNS)
        return PANELS_OF_FEW * PANEL * PANEL + FIXED + round_up(m * n, ROUNDED);
    return PANEL * PANEL + FIXED + round_up(FACTORS * smaller(n, PANEL) * n, ROUNDED);
}

/* Bytes. Hessenberg's form and its reflectors, or a copy of the matrix; and vectors of eigenvalues and scales. */
int64_t
solver_eigenvalues(int64_t n, int64_t value_bytes)
{
    enum { VECTORS = 4 };

    if (is_no_matrix(n, n))
        return 0;
    return round_up(larger(solver_reflectors(n - 1, n - 1), n * n) * value_bytes, BYTES_ROUNDED) +
           round_up((VECTORS * n + 1) * value_bytes, BYTES_ROUNDED);
}

/* Of a square one: two copies, and by blocks of 32 columns what was found to fit. */
static int64_t
square_jacobi(int64_t n)
{
    enum { FIXED = 33, OF_BLOCK = 65, OF_PAIR = 8 };
    int64_t blocks = round_up(n, ROUNDED) / ROUNDED;

    return ROUNDED * (2 * (n * n / ROUNDED) + FIXED + OF_BLOCK * blocks + blocks * blocks / OF_PAIR);
}

int64_t
solver_singular_values(int64_t m, int64_t n)
{
    enum { SMALL = 32, OF_SMALL = 992 };
    int64_t rows = larger(m, n), columns = smaller(m, n);

    if (is_no_matrix(m, n))
        return 0;
    if (rows <= SMALL)
        return OF_SMALL;
    if (m == n)
        return square_jacobi(n);
    /* A QR factorisation comes first, of the transposed matrix where that is the tall one. */
    return (m < n ? round_up(m * n, ROUNDED) : 0) + qr_values(columns) + ROUNDED + round_up(columns, ROUNDED);
}

/* By Jacobi's method, exact in all recorded calls, which are of single precision: a copy, and by blocks of 32 columns. */
int64_t
solver_symmetric_jacobi(int64_t n)
{
    enum { FIXED = 1024, OF_BLOCK = 1025, OF_PAIR = 4 };
    int64_t blocks = round_up(n, ROUNDED) / ROUNDED;

    return is_no_matrix(n, n) ? 0 : n * n + n + OF_PAIR * blocks * blocks + OF_BLOCK * blocks + FIXED;
}

/* Values of the tridiagonal form, without the few that are rounded. */
static int64_t
tridiagonal(int64_t n)
{
    enum { FIXED = 1 << 16, OF_COLUMN = 768, COPIES = 3 };

    return FIXED + OF_COLUMN * n + COPIES * n * n;
}

/* Within 24 values of the recorded ones; of large ones with vectors two were recorded, which are within 900 of 4 million. */
int64_t
solver_symmetric(int64_t n, bool with_vectors)
{
    enum { FEW = 75, COPIES = 4, FEW_OF_VECTORS = 19, OF_VECTOR = 160 };

    if (is_no_matrix(n, n))
        return 0;
    return larger(tridiagonal(n) + FEW, with_vectors ? COPIES * n * n + OF_VECTOR * n + FEW_OF_VECTORS : 0);
}

/* Each matrix of a batch works for itself. Up to 31 columns were recorded, within 900 values of 3 million. */
int64_t
solver_symmetric_batch(int64_t n, int64_t batches)
{
    enum { FEW = 64, MOST = 1 << 20 };

    return is_no_matrix(n, n) || batches <= 0 || batches > MOST ? 0 : batches * tridiagonal(n) + FEW;
}

/*
 * Reflectors of a QR factorisation times a matrix of few columns, as least squares want it. Exact in the recorded calls but
 * for three of 4 and 8 rows, where it is 32 values more and 1,280 less.
 */
int64_t
solver_reflected(int64_t rows, int64_t reflectors, int64_t columns)
{
    enum { FIXED = (1 << 16) + 256, OF_ROW = 256, OF_COLUMN = 512 };

    if (is_no_matrix(rows, columns) || is_no_matrix(reflectors, reflectors))
        return 0;
    return FIXED + OF_COLUMN * columns + round_up(columns, ROUNDED) +
           round_up((rows + reflectors) * reflectors + OF_ROW * rows, ROUNDED);
}
