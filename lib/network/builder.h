/*
 * How a network is built. A family of layers is a file with one struct op_description per operator: the fields of its
 * options (which drive checking, JSON in and JSON out), and how its outputs and parameters follow from its inputs.
 * To add an operator, write its description and name it in ops.c.
 */
#ifndef NETWORK_BUILDER_H
#define NETWORK_BUILDER_H

#include "network/network.h"

#include <stdatomic.h>

/* ---- fields of an options struct ---- */

enum field_kind {
    FIELD_END,
    FIELD_SIZES,    /* `count` int64_t, none negative */
    FIELD_NUMBER,   /* int32_t, not negative */
    FIELD_AXIS,     /* int32_t */
    FIELD_AXES,     /* int32_t[MEMMODEL_MAX_RANK], as many as the int32_t at `length` says */
    FIELD_FLAG,     /* int32_t, 0 or 1 */
    FIELD_ENUM,     /* int32_t, index into `names` */
    FIELD_LAYOUT,   /* int32_t, enum memmodel_layout */
    FIELD_RATE,     /* double, 0 to 1 */
    FIELD_LAYER,    /* const char *, name of an earlier layer */
    FIELD_TEXT,     /* const char *, printable ASCII */
    FIELD_DIM,      /* memmodel_dim */
    FIELD_DIMS,     /* memmodel_dim[MEMMODEL_MAX_RANK], as many as the int32_t at `length` says */
    FIELD_DIM_LIST, /* const memmodel_dim *, as many as the int32_t at `length` says; NULL: none */
    FIELD_SHAPES,   /* const struct memmodel_shape *, as many as the int32_t at `length` says */
    FIELD_RESERVED, /* int32_t, 0: reserved, or an option that other operators of the struct have */
};

struct field {
    const char *name; /* of the struct's member, and in JSON */
    enum field_kind kind;
    size_t offset;
    size_t count;             /* FIELD_SIZES */
    size_t length;            /* offset of the number of elements */
    const char *const *names; /* FIELD_ENUM: ended by NULL */
};

#define FIELD(type, member, kind_)                                                                                     \
    {                                                                                                                  \
        .name = #member, .kind = (kind_), .offset = offsetof(struct type, member), .count = 1                          \
    }
#define FIELD_ARRAY(type, member, count_)                                                                              \
    {                                                                                                                  \
        .name = #member, .kind = FIELD_SIZES, .offset = offsetof(struct type, member), .count = (count_)               \
    }
#define FIELD_CHOICE(type, member, names_)                                                                             \
    {                                                                                                                  \
        .name = #member, .kind = FIELD_ENUM, .offset = offsetof(struct type, member), .names = (names_)                \
    }
#define FIELD_LIST(type, member, kind_, length_)                                                                       \
    {                                                                                                                  \
        .name = #member, .kind = (kind_), .offset = offsetof(struct type, member),                                     \
        .length = offsetof(struct type, length_)                                                                       \
    }
#define FIELDS_END                                                                                                     \
    {                                                                                                                  \
        .kind = FIELD_END                                                                                              \
    }

extern const char *const activation_names[], *const checkpoint_names[], *const dtype_names[];
extern const char *const layout_names[], *const padding_names[], *const reduction_names[];

/* The int32_t at an offset of an options struct. */
static inline int32_t
option_number(const void *options, size_t offset)
{
    return *(const int32_t *)(const void *)((const char *)options + offset);
}

/* ---- operators ---- */

enum { MAX_INPUTS_ANY = -1, OPTIONAL_INPUT_ANY = -1, MAX_FACTORS = 2 * MEMMODEL_MAX_RANK, MAX_PRODUCTS = 2 };

/* Multiplications with addition: the product of `count` dims. */
struct product {
    memmodel_dim factors[MAX_FACTORS];
    int count;
};

struct draft;

struct op_description {
    const char *name;        /* in JSON, tables and generated names */
    const char *struct_name; /* of its options, for errors */
    size_t options_size;
    const struct field *fields;
    int min_inputs, max_inputs;
    int optional_input; /* this one may be MEMMODEL_TENSOR_NONE; 0: none may; OPTIONAL_INPUT_ANY: each may */
    bool needs_options; /* NULL will not do */
    size_t activation;  /* offset of the fused activation in the options; 0: has none */
    size_t shared;      /* offset of the name of the layer whose parameters are used; 0: has none */
    int (*infer)(struct draft *draft);
    /* Fills up to MAX_PRODUCTS products and returns how many; NULL: none, but of a custom operator what it needs. */
    int (*multiply_adds)(const memmodel_network *network, const struct layer *layer, struct product *products);
    /* Least size of the input along a spatial dimension, 0 if any will do; NULL: any. */
    int64_t (*min_input)(const void *options, int spatial);
};

/* Members of an op_description: a struct of options with its table of fields, and how many inputs there may be. */
#define OPTIONS(type, fields_) .struct_name = #type, .options_size = sizeof(struct type), .fields = (fields_)
#define INPUTS(least, most) .min_inputs = (least), .max_inputs = (most)

extern const struct op_description op_input, op_parameter, op_conv, op_conv_transpose, op_linear, op_pool,
    op_adaptive_pool, op_global_pool, op_batch_norm, op_layer_norm, op_group_norm, op_instance_norm, op_rms_norm,
    op_activation, op_softmax, op_dropout, op_embedding, op_upsample, op_pad, op_crop, op_concat, op_split, op_slice,
    op_reshape, op_flatten, op_permute, op_expand, op_binary, op_matmul, op_reduce, op_attention, op_recurrent, op_loss,
    op_custom;

/* NULL if there is none */
const struct op_description *
op_describe(enum op op);

/* OP_COUNT if there is none of that name */
enum op
op_find(const char *name);

/* ---- the builder ---- */

/* Layers by name. */
struct name_slot {
    uint32_t hash;
    int32_t layer; /* its index + 1; 0: free */
};

struct name_index {
    struct name_slot *slots;
    size_t capacity, count; /* capacity is a power of 2 */
};

/* A parameter that the next layer is to use, see memmodel_network_use_parameter(). */
struct used_parameter {
    const char *role;
    int32_t parameter; /* index into network->parameters */
    bool taken;
};

/* How the next given tensor lies in memory, see memmodel_network_use_storage(). */
struct used_storage {
    memmodel_dim strides[MEMMODEL_MAX_RANK];
    int32_t stride_count;
    const char *storage; /* name of a layer, or NULL */
    bool named;
};

struct builder {
    struct memmodel_network network; /* first */
    atomic_int references;
    int layout;         /* of the layers that do not name one */
    int32_t scope;      /* innermost open one, -1: none */
    int32_t depth;      /* open scopes */
    const void **given; /* options of each layer as they were given, layout resolved; for JSON */
    struct name_index names;
    int32_t generated[OP_COUNT]; /* last number of a generated name */
    int32_t *scratch;            /* parameters of the layer being built */
    const char **scratch_roles;  /* and what each is for */
    struct used_parameter *used; /* of the next layer */
    size_t used_count;
    struct used_storage storage; /* of the next given tensor */
    size_t tensor_capacity, layer_capacity, parameter_capacity, scope_capacity, constraint_capacity, output_capacity,
        given_capacity, scratch_capacity, roles_capacity, used_capacity, size_node_capacity, size_use_capacity;
    int status; /* of the first call that failed */
    char message[512], object[256];
};

static inline struct builder *
builder_of(memmodel_network *network)
{
    return (struct builder *)network;
}

/* A handle that a builder call has returned: not the tensor between a layer and the activation fused with it. */
bool
builder_has_tensor(const struct builder *builder, memmodel_tensor tensor);

/* Remembers the first failure; returns `status`. */
int
builder_fail(struct builder *builder, int status);

/* Raises an error without a layer, and remembers it. */
int
builder_error(struct builder *builder, int status, const char *object, const char *format, ...) BASE_PRINTF(4, 5);

/* The one call behind every builder call. `options` NULL: defaults. */
memmodel_tensor
network_add(memmodel_network *network, enum op op, const memmodel_tensor *inputs, size_t count, const void *options);

/* ---- options.c ---- */

/* Copies a caller's options into the arena, with what they point to, and checks each field by its kind. */
int
options_take(struct builder *builder, const struct op_description *description, const void *given, void **own);

/* ---- names.c ---- */

/* Layer of that full name, or -1. */
int32_t
names_find(const struct builder *builder, const char *name);

/* Enters the newest layer, for which names_reserve() has made room. */
void
names_enter(struct builder *builder, int32_t layer);

int
names_reserve(struct builder *builder);

/* Full name, in the arena, of a layer that is given the name `given`; NULL with the error remembered by the caller. */
const char *
names_given(struct builder *builder, const char *given);

/* A free full name made from the operator and a number. */
const char *
names_generated(struct builder *builder, enum op op);

/* A free full name `layer`.`suffix`. */
const char *
names_derived(struct builder *builder, const char *layer, const char *suffix);

/* 0, or MEMMODEL_ERROR_INVALID_ARGUMENT: names are UTF-8 without control characters, 1 to 255 bytes. */
int
names_check(struct builder *builder, const char *what, const char *name);

/* ---- a layer while it is built ---- */

/*
 * infer() reads the inputs' shapes and adds outputs, parameters and constraints. What it added goes when it fails.
 * Sizes computed with dim_...() remember their first error in `status`, so a chain of them is checked once, at the end.
 */
struct draft {
    struct builder *builder;
    const struct op_description *description;
    const char *name;
    void *options; /* infer() fills in the defaults */
    const memmodel_tensor *inputs;
    size_t input_count;
    int32_t shared; /* layer whose parameters are used; -1: none */
    int32_t output_count, parameter_count;
    int status;
};

/* Sets the error with the layer's name; returns `status`. */
int
draft_error(struct draft *draft, int status, const char *format, ...) BASE_PRINTF(3, 4);

struct memmodel_shape
draft_shape(const struct draft *draft, size_t input);

int
draft_output(struct draft *draft, const struct memmodel_shape *shape);

/*
 * A parameter of the layer, or the one of that role that it was given or shares. `role` lives as long as the network.
 */
int
draft_parameter(struct draft *draft, const char *role, bool trainable, const struct memmodel_shape *shape);

/* The same for a vector of trainable parameters. */
int
draft_vector(struct draft *draft, const char *role, int dtype, memmodel_dim elements);

/* Refuses what is decided unequal, and leaves the rest to be checked when symbols have values. */
int
draft_require_equal(struct draft *draft, int axis, memmodel_dim given, memmodel_tensor given_tensor,
                    memmodel_dim needed, memmodel_tensor needed_tensor);

/* The same for a constraint of any kind; fills in its layer. */
int
draft_constrain(struct draft *draft, const struct constraint *constraint);

/* given <= needed */
int
draft_require_at_most(struct draft *draft, int axis, memmodel_dim given, memmodel_dim needed,
                      memmodel_tensor needed_tensor);

int
draft_require_rank(struct draft *draft, size_t input, int min, int max);

/* `axis` of a tensor of `rank` dimensions, from the end if negative, as a number from 0. */
int
draft_axis(struct draft *draft, int32_t axis, int rank, int *out);

/* The layer's layout, and where it has the channels and the first spatial dimension of `rank`. */
int
channel_axis(int32_t layout, int rank);

static inline int
spatial_axis(int32_t layout, int spatial)
{
    return layout == MEMMODEL_LAYOUT_CHANNELS_LAST ? 1 + spatial : 2 + spatial;
}

/* "a 0 after the first repeats the first"; an all-zero array becomes `otherwise`. */
void
repeat_first(int64_t numbers[3], int64_t otherwise);

/* ---- dims.c ---- */

memmodel_dim
dim_add(struct draft *draft, memmodel_dim a, memmodel_dim b);

/* a - b, which must not be negative. */
memmodel_dim
dim_subtract(struct draft *draft, int axis, memmodel_dim a, memmodel_dim b);

memmodel_dim
dim_multiply(struct draft *draft, memmodel_dim a, memmodel_dim b);

memmodel_dim
dim_product(struct draft *draft, const memmodel_dim *dims, int count);

/* floor((a + offset) / divisor) + plus; an error of `axis` if nothing is left of something. */
memmodel_dim
dim_window(struct draft *draft, int axis, memmodel_dim a, int64_t offset, int64_t divisor, int64_t plus);

/* ceil(a / divisor) */
memmodel_dim
dim_ceil_divide(struct draft *draft, memmodel_dim a, int64_t divisor);

/* a / divisor, which must be exact. */
memmodel_dim
dim_divide_exactly(struct draft *draft, int axis, memmodel_dim a, int64_t divisor);

/* a / b, whatever they are; what is not whole when symbols have values is an error then. */
memmodel_dim
dim_ratio(struct draft *draft, memmodel_dim a, memmodel_dim b);

/* Handle of a result in the pool as a dim; the draft's error if it is none. */
memmodel_dim
dim_result(struct draft *draft, expression e);

/* ---- custom.c ---- */

/* What a custom operator needs: as declared, corrected by its rule. Its counts may be 0 but not negative. */
int
custom_needs(memmodel_context *context, const struct binding *binding, const struct layer *layer,
             struct memmodel_custom_requirements *needs);

/* 0, or MEMMODEL_ERROR_UNSUPPORTED for the first layer with a rule: functions cannot be written to a file. */
int
custom_check_written(const memmodel_network *network, memmodel_context *context);

/* ---- binding.c ---- */

/* Bytes of what is constant in a shape; false on overflow. */
bool
constant_bytes(const memmodel_dim *dims, int rank, int dtype, int64_t *bytes);

/*
 * The error of a constraint that does not hold, with `difference` = given - needed: in numbers with a binding, as they
 * were built without.
 */
int
constraint_error(memmodel_context *context, const memmodel_network *network, const struct constraint *constraint,
                 const char *layer, const struct binding *binding, int64_t difference);

#endif
