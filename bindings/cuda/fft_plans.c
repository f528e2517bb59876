/* cuFFT: the many ways to say what a plan transforms. */
#include "device.h"

#include "fft.h"

extern int
cufftCreate(int *plan);

extern int
cufftDestroy(int plan);

enum { RANK = 3 };

/* cufftType, by input and output: R real, C complex, D and Z the same in double precision. */
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };

static int64_t
type_bytes(int type)
{
    if (type == R2C || type == C2R || type == C2C)
        return 8;
    return type == D2Z || type == Z2D || type == Z2Z ? 16 : 0;
}

static struct fft_shape
shape_of(int type, int64_t batch)
{
    return (struct fft_shape){.batch = batch, .bytes = type_bytes(type), .is_real = type != C2C && type != Z2Z};
}

static struct fft_shape
line(int n, int type, int batch)
{
    struct fft_shape shape = shape_of(type, batch);

    shape.rank = 1;
    shape.n[0] = n;
    return shape;
}

static struct fft_shape
plane(int rows, int columns, int type)
{
    struct fft_shape shape = shape_of(type, 1);

    shape.rank = 2;
    shape.n[0] = rows;
    shape.n[1] = columns;
    return shape;
}

static struct fft_shape
cube(int x, int y, int z, int type)
{
    struct fft_shape shape = plane(x, y, type);

    shape.rank = 3;
    shape.n[2] = z;
    return shape;
}

/* Any number of axes, of 32 or of 64 bits; a shape without axes where that is none. */
static struct fft_shape
many(int rank, const int *n, const long long *wide, int type, int64_t batch)
{
    struct fft_shape shape = shape_of(type, batch);

    if (rank < 1 || rank > RANK || (!n && !wide))
        return shape;
    shape.rank = rank;
    for (int i = 0; i < rank; i++)
        shape.n[i] = n ? n[i] : wide[i];
    return shape;
}

/* Input and output by cudaDataType: half, float and double, real and complex, and bfloat16. */
static struct fft_shape
typed(int rank, const long long *n, int input, int output, int64_t batch)
{
    enum { FLOAT, DOUBLE, HALF, COMPLEX = 4, BF16 = 14, LAST };
    static const unsigned char bytes[] = {
        [FLOAT] = 8,           [DOUBLE] = 16,           [HALF] = 4,           [BF16] = 4,
        [COMPLEX + FLOAT] = 8, [COMPLEX + DOUBLE] = 16, [COMPLEX + HALF] = 4, [LAST] = 4,
    };
    struct fft_shape shape = many(rank, NULL, n, 0, batch);
    bool is_known = input >= 0 && input <= LAST && output >= 0 && output <= LAST;

    shape.bytes = is_known && bytes[input] == bytes[output] ? bytes[input] : 0;
    shape.is_real = input != output;
    return shape;
}

static int
estimate(struct fft_shape shape, size_t *work)
{
    return work ? fft_work(&shape, work) : FFT_INVALID_VALUE;
}

static int
make(int plan, struct fft_shape shape, size_t *work, const void *caller)
{
    return work ? fft_make(plan, &shape, work, caller) : FFT_INVALID_VALUE;
}

/* Makes the plan and gives it its shape at once. */
static int
make_new(int *plan, struct fft_shape shape, const void *caller)
{
    int status = cufftCreate(plan);

    if (status != FFT_SUCCESS)
        return status;
    status = fft_make(*plan, &shape, NULL, caller);
    if (status != FFT_SUCCESS)
        cufftDestroy(*plan);
    return status;
}

/* ---- what the interface has ---- */

ANSWER(int, cufftPlan1d, int *plan, int n, int type, int batch)
{
    return make_new(plan, line(n, type, batch), CALLER);
}

ANSWER(int, cufftPlan2d, int *plan, int rows, int columns, int type)
{
    return make_new(plan, plane(rows, columns, type), CALLER);
}

ANSWER(int, cufftPlan3d, int *plan, int x, int y, int z, int type)
{
    return make_new(plan, cube(x, y, z, type), CALLER);
}

ANSWER(int, cufftPlanMany, int *plan, int rank, int *n, int *input, int input_step, int input_distance, int *output,
       int output_step, int output_distance, int type, int batch)
{
    return make_new(plan, many(rank, n, NULL, type, batch), CALLER);
}

ANSWER(int, cufftMakePlan1d, int plan, int n, int type, int batch, size_t *work)
{
    return make(plan, line(n, type, batch), work, CALLER);
}

ANSWER(int, cufftMakePlan2d, int plan, int rows, int columns, int type, size_t *work)
{
    return make(plan, plane(rows, columns, type), work, CALLER);
}

ANSWER(int, cufftMakePlan3d, int plan, int x, int y, int z, int type, size_t *work)
{
    return make(plan, cube(x, y, z, type), work, CALLER);
}

ANSWER(int, cufftMakePlanMany, int plan, int rank, int *n, int *input, int input_step, int input_distance, int *output,
       int output_step, int output_distance, int type, int batch, size_t *work)
{
    return make(plan, many(rank, n, NULL, type, batch), work, CALLER);
}

ANSWER(int, cufftMakePlanMany64, int plan, int rank, long long *n, long long *input, long long input_step,
       long long input_distance, long long *output, long long output_step, long long output_distance, int type,
       long long batch, size_t *work)
{
    return make(plan, many(rank, NULL, n, type, batch), work, CALLER);
}

ANSWER(int, cufftXtMakePlanMany, int plan, int rank, long long *n, long long *input, long long input_step,
       long long input_distance, int input_type, long long *output, long long output_step, long long output_distance,
       int output_type, long long batch, size_t *work, int execution_type)
{
    return make(plan, typed(rank, n, input_type, output_type, batch), work, CALLER);
}

ANSWER(int, cufftEstimate1d, int n, int type, int batch, size_t *work)
{
    return estimate(line(n, type, batch), work);
}

ANSWER(int, cufftEstimate2d, int rows, int columns, int type, size_t *work)
{
    return estimate(plane(rows, columns, type), work);
}

ANSWER(int, cufftEstimate3d, int x, int y, int z, int type, size_t *work)
{
    return estimate(cube(x, y, z, type), work);
}

ANSWER(int, cufftEstimateMany, int rank, int *n, int *input, int input_step, int input_distance, int *output,
       int output_step, int output_distance, int type, int batch, size_t *work)
{
    return estimate(many(rank, n, NULL, type, batch), work);
}

ANSWER(int, cufftGetSize1d, int plan, int n, int type, int batch, size_t *work)
{
    return estimate(line(n, type, batch), work);
}

ANSWER(int, cufftGetSize2d, int plan, int rows, int columns, int type, size_t *work)
{
    return estimate(plane(rows, columns, type), work);
}

ANSWER(int, cufftGetSize3d, int plan, int x, int y, int z, int type, size_t *work)
{
    return estimate(cube(x, y, z, type), work);
}

ANSWER(int, cufftGetSizeMany, int plan, int rank, int *n, int *input, int input_step, int input_distance, int *output,
       int output_step, int output_distance, int type, int batch, size_t *work)
{
    return estimate(many(rank, n, NULL, type, batch), work);
}

ANSWER(int, cufftGetSizeMany64, int plan, int rank, long long *n, long long *input, long long input_step,
       long long input_distance, long long *output, long long output_step, long long output_distance, int type,
       long long batch, size_t *work)
{
    return estimate(many(rank, NULL, n, type, batch), work);
}

ANSWER(int, cufftXtGetSizeMany, int plan, int rank, long long *n, long long *input, long long input_step,
       long long input_distance, int input_type, long long *output, long long output_step, long long output_distance,
       int output_type, long long batch, size_t *work, int execution_type)
{
    return estimate(typed(rank, n, input_type, output_type, batch), work);
}
