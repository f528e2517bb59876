/* Features: all formulas without numbers up to some size. */
#include "regression/search/library.h"
#include "regression/search/keys.h"

#include "base/splitmix.h"

#include <math.h>
#include <string.h>

enum { MAX_FEATURES = 60000, MAX_VALUES = 1 << 22, MAX_DEGREE = 6, WAVE_NODES = 3, WAVE_SHARE = 16 };

static const double extreme = 1e100;
static const double same = 1e-7; /* difference of two features, by their size, that makes them one */
static const double away = 0.1;  /* from the mean, by its size, of a value whose sign counts */

struct builder {
    struct library *library;
    const struct structure *structure;
    struct keys keys;
    kernel kernel;
    size_t rows;
    struct expression_range *ranges; /* of every feature, over the whole domain */
};

static bool
is_same(size_t rows, const double *a, const double *b)
{
    return memcmp(a, b, rows * sizeof *a) == 0;
}

/* Whether the newest column is fit to be a feature. */
static bool
look_at(const struct builder *builder, const struct feature *feature, const double *values)
{
    struct expression_range range;

    for (size_t i = 0; i < builder->rows; i++)
        if (!(fabs(values[i]) < extreme))
            return false;
    if (feature->operation == TREE_MIN || feature->operation == TREE_MAX)
        for (int k = 0; k < 2; k++)
            if (is_same(builder->rows, values,
                        matrix_column(&builder->library->values, (size_t)(k ? feature->first : feature->second))))
                return false;
    range = tree_range_of(values, builder->rows);
    return range.max - range.min > 1e-10 * fmax(fabs(range.min), fabs(range.max));
}

/*
 * Of what the values are when mean and size are taken off: the same for f and for a f + b, as where a coefficient and a
 * constant are fitted they are no other feature.
 */
static uint64_t
key_of(const double *values, size_t rows)
{
    double mean = 0, squares = 0, scale;
    uint64_t key = 1;
    size_t first = 0;

    for (size_t i = 0; i < rows; i++)
        mean += values[i] / (double)rows;
    for (size_t i = 0; i < rows; i++)
        squares += (values[i] - mean) / (double)rows * (values[i] - mean);
    scale = sqrt(squares);
    while (first + 1 < rows && !(fabs(values[first] - mean) > away * scale))
        first++;
    scale = same * (values[first] < mean ? -scale : scale);
    for (size_t i = 0; i < rows; i++)
        key = splitmix(key + (uint64_t)(int64_t)nearbyint((values[i] - mean) / scale));
    return key ? key : 1;
}

static void
add_feature(struct builder *builder, struct feature feature, struct expression_range range)
{
    struct library *library = builder->library;
    const double *values = matrix_column(&library->values, library->count);

    if (!look_at(builder, &feature, values) || !keys_add(&builder->keys, key_of(values, builder->rows)))
        return;
    builder->ranges[library->count] = range;
    library->features[library->count++] = feature;
}

static void
add_operation(struct builder *builder, unsigned operation, int32_t first, int32_t second)
{
    struct library *library = builder->library;
    const struct feature *a = &library->features[first], *b = &library->features[second];
    bool binary = tree_operands(operation) > 1;
    struct feature feature = {.operation = (uint8_t)operation, .first = first, .second = second};
    struct expression_range range;

    if (library->count == library->capacity || !tree_has_operation(builder->structure, operation) ||
        !tree_join_ranges(operation, builder->ranges[first], builder->ranges[second], &range))
        return;
    feature.nodes = (uint8_t)(1 + b->nodes + (binary ? a->nodes : 0));
    tree_apply(builder->kernel, operation, matrix_column(&library->values, (size_t)first),
               matrix_column(&library->values, (size_t)second), matrix_column(&library->values, library->count),
               builder->rows);
    add_feature(builder, feature, range);
}

static void
add_unary(struct builder *builder, size_t begin, size_t end)
{
    static const unsigned operations[] = {TREE_SQUARE, TREE_INVERSE, TREE_ROOT, TREE_LOG};

    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (size_t i = begin; i < end; i++)
            add_operation(builder, operations[k], (int32_t)i, (int32_t)i);
}

/* Differences are taken so that they are positive on average: roots and logarithms are of them. */
static void
add_pair(struct builder *builder, int32_t a, int32_t b)
{
    const struct expression_range *x = &builder->ranges[a], *y = &builder->ranges[b];
    bool swapped = x->min + x->max < y->min + y->max;

    add_operation(builder, TREE_MULTIPLY, a, b);
    add_operation(builder, TREE_DIVIDE, a, b);
    add_operation(builder, TREE_DIVIDE, b, a);
    add_operation(builder, TREE_ADD, a, b);
    add_operation(builder, TREE_SUBTRACT, swapped ? b : a, swapped ? a : b);
    if (builder->library->features[a].nodes + builder->library->features[b].nodes <= 3) {
        add_operation(builder, TREE_MIN, a, b);
        add_operation(builder, TREE_MAX, a, b);
    }
}

static size_t
begin_of(const struct library *library, size_t nodes)
{
    return nodes > 0 ? library->ends[nodes - 1] : 0;
}

static void
add_pairs(struct builder *builder, size_t nodes)
{
    const struct library *library = builder->library;

    for (size_t left = 1; 2 * left <= nodes - 1; left++) {
        size_t right = nodes - 1 - left;

        for (size_t a = begin_of(library, left); a < library->ends[left]; a++)
            for (size_t b = left == right ? a + 1 : begin_of(library, right); b < library->ends[right]; b++) {
                if (library->count == library->capacity)
                    return;
                add_pair(builder, (int32_t)a, (int32_t)b);
            }
    }
}

static void
add_inputs(struct builder *builder, const double *const *inputs, size_t input_count)
{
    struct library *library = builder->library;

    for (size_t i = 0; i < input_count && library->count < library->capacity; i++) {
        memcpy(matrix_column(&library->values, library->count), inputs[i], builder->rows * sizeof **inputs);
        add_feature(builder, (struct feature){.operation = TREE_INPUT, .input = (uint8_t)i, .nodes = 1},
                    tree_range_of(inputs[i], builder->rows));
    }
    library->ends[1] = library->count;
}

/* Of the smallest features; nothing is made of them. */
static void
add_waves(struct builder *builder)
{
    for (size_t i = 0; i < builder->library->ends[WAVE_NODES]; i++)
        for (unsigned operation = TREE_EXP; operation <= TREE_TANH; operation++)
            add_operation(builder, operation, (int32_t)i, (int32_t)i);
}

static void
build_trees(struct builder *builder, const double *const *inputs, size_t input_count)
{
    struct library *library = builder->library;
    size_t waves = library->capacity / WAVE_SHARE;

    library->capacity -= waves;
    add_inputs(builder, inputs, input_count);
    for (size_t nodes = 2; nodes <= LIBRARY_MAX_NODES; nodes++) {
        add_unary(builder, begin_of(library, nodes - 1), library->ends[nodes - 1]);
        if (nodes > 2)
            add_pairs(builder, nodes);
        library->ends[nodes] = library->count;
    }
    library->trees = library->count;
    library->capacity += waves;
    add_waves(builder);
}

/* Sums of two and three of the features begin to end - 1, as long as there are fewer than `most`. */
static void
add_sums(struct builder *builder, size_t begin, size_t end, size_t most)
{
    struct library *library = builder->library;

    for (size_t terms = 2, first = begin, last = end; terms <= 3; terms++) {
        size_t made = library->count;

        for (size_t i = first; i < last; i++)
            for (size_t k = begin; k < end && library->count < most; k++)
                add_operation(builder, TREE_ADD, (int32_t)i, (int32_t)k);
        first = made;
        last = library->count;
    }
}

/* Squared lengths: sums of two or three squares of inputs, or of differences between them. */
static void
build_lengths(struct builder *builder, size_t input_count, size_t most)
{
    struct library *library = builder->library;
    size_t begin = library->count, middle;

    for (size_t i = 0; i < input_count; i++)
        add_operation(builder, TREE_SQUARE, (int32_t)i, (int32_t)i);
    add_sums(builder, begin, library->count, most);
    begin = library->count;
    for (size_t i = 0; i < input_count; i++)
        for (size_t k = 0; k < i; k++)
            add_operation(builder, TREE_SUBTRACT, (int32_t)i, (int32_t)k);
    middle = library->count;
    for (size_t i = begin; i < middle; i++)
        add_operation(builder, TREE_SQUARE, (int32_t)i, (int32_t)i);
    add_sums(builder, middle, library->count, most);
}

/* Each of the last degree with one input more, times or by it. */
static void
build_monomials(struct builder *builder, const double *const *inputs, size_t input_count)
{
    struct library *library = builder->library;
    size_t begin = 0, end;

    add_inputs(builder, inputs, input_count);
    input_count = library->count;
    for (size_t i = 0; i < input_count; i++)
        add_operation(builder, TREE_INVERSE, (int32_t)i, (int32_t)i);
    end = library->count;
    library->lengths = end;
    build_lengths(builder, input_count, library->capacity / 4);
    library->lengths_end = library->count;
    for (int degree = 2; degree <= MAX_DEGREE; degree++) {
        size_t made = library->count;

        for (size_t i = begin; i < end; i++)
            for (size_t k = 0; k < input_count; k++) {
                add_operation(builder, TREE_MULTIPLY, (int32_t)i, (int32_t)k);
                add_operation(builder, TREE_DIVIDE, (int32_t)i, (int32_t)k);
            }
        begin = made;
        end = library->count;
    }
}

typedef void (*library_builder)(struct builder *builder, const double *const *inputs, size_t input_count);

static int
make(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
     const struct structure *structure, size_t most, library_builder build, struct library *library)
{
    memmodel_context *context = workspace->arena.context;
    size_t capacity = MAX_VALUES / rows < most ? 1 + MAX_VALUES / rows : most;
    struct builder builder = {.library = library,
                              .structure = structure,
                              .keys = {.context = context},
                              .kernel = kernel_for(context_vectors(context)),
                              .rows = rows,
                              .ranges = workspace_take(workspace, capacity, sizeof *builder.ranges)};
    int status;

    *library = (struct library){.capacity = capacity,
                                .features = workspace_take(workspace, capacity, sizeof *library->features),
                                .values = matrix_new(workspace, rows, capacity + 1)};
    status = workspace->status ? workspace->status : keys_reserve(&builder.keys, capacity);
    if (!status)
        build(&builder, inputs, input_count);
    keys_release(&builder.keys);
    return status;
}

int
library_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
            const struct structure *structure, size_t most, struct library *library)
{
    return make(workspace, rows, inputs, input_count, structure, most < MAX_FEATURES ? most : MAX_FEATURES, build_trees,
                library);
}

int
library_new_monomials(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
                      size_t most, struct library *library)
{
    return make(workspace, rows, inputs, input_count, NULL, most, build_monomials, library);
}

static void
put_feature(const struct library *library, int32_t index, struct tree *tree)
{
    const struct feature *feature = &library->features[index];

    if (feature->operation < TREE_UNARY)
        put_feature(library, feature->first, tree);
    if (feature->operation < TREE_LEAF)
        put_feature(library, feature->second, tree);
    tree->genes[tree->count++] = (struct tree_gene){.operation = feature->operation, .input = feature->input};
}

struct tree
library_tree(const struct library *library, size_t feature)
{
    struct tree tree = {.count = 0};

    put_feature(library, (int32_t)feature, &tree);
    return tree;
}
