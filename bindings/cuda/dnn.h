/*
 * cuDNN among the files of its stand-in, which is a library of its own. Numbers are the interface's: NVIDIA cuDNN Backend,
 * API reference, of cuDNN 9.
 *
 * What cuDNN takes beyond its operands comes from the user's own copy of it where that can be asked (dnn_real.c), else
 * from rules, which the ledger names.
 */
#ifndef CUDA_DNN_H
#define CUDA_DNN_H

#include "device.h"

enum dnn_status {
    DNN_SUCCESS = 0,
    DNN_BAD_PARAM = 2000,
    DNN_BAD_PARAM_SIZE = 2006,
    DNN_NOT_SUPPORTED = 3000,
    DNN_INTERNAL_ERROR = 4000,
    DNN_NO_HOST_MEMORY = 4003,
};

enum dnn_data_type {
    DNN_FLOAT = 0,
    DNN_DOUBLE = 1,
    DNN_HALF = 2,
    DNN_INT8 = 3,
    DNN_INT32 = 4,
    DNN_INT8X4 = 5,
    DNN_UINT8 = 6,
    DNN_UINT8X4 = 7,
    DNN_INT8X32 = 8,
    DNN_BFLOAT16 = 9,
    DNN_INT64 = 10,
    DNN_BOOLEAN = 11,
    DNN_TYPES = 17, /* with those of 8 bits and less */
};

enum { DNN_MAX_DIMS = 8 };

/* Bytes of an element; 1 for types of less, 0 for what is no type. */
int64_t
dnn_element_bytes(int type);

/* ---- what programs hold (dnn.c) ---- */

enum dnn_kind {
    DNN_NONE,
    DNN_HANDLE,
    DNN_GRAPH_PART, /* a descriptor of the graph interface */
    DNN_TENSOR,
    DNN_FILTER,
    DNN_CONVOLUTION,
    DNN_POOLING,
    DNN_ACTIVATION,
    DNN_DROPOUT,
    DNN_RECURRENT,
    DNN_RECURRENT_DATA,
    DNN_CTC,
    DNN_SPATIAL_TRANSFORMER,
};

/* Each begins with its kind, an int. `out` may be NULL, which is an error. */
int
dnn_create(enum dnn_kind kind, void **out);

/* NULL if it is no living one of that kind. */
void *
dnn_get(const void *object, enum dnn_kind kind);

int
dnn_destroy(void *object, enum dnn_kind kind);

/* Of the many outputs of a getter, each may be NULL. */
static inline void
dnn_put(int *out, int value)
{
    if (out)
        *out = value;
}

static inline bool
dnn_is_handle(const void *handle)
{
    return dnn_get(handle, DNN_HANDLE) != NULL;
}

/* A tensor or a filter. `strides` are 0 for a filter, which has a format. */
struct dnn_tensor {
    int kind, type, format, dims;
    int sizes[DNN_MAX_DIMS], strides[DNN_MAX_DIMS];
};

int64_t
dnn_tensor_elements(const struct dnn_tensor *tensor);

struct dnn_dropout {
    int kind;
    float probability;
    void *states;
    unsigned long long seed;
};

/* ---- the user's cuDNN (dnn_real.c) ---- */

struct dnn_real {
    int (*create)(int type, void **descriptor);
    int (*destroy)(void *descriptor);
    int (*finalize)(void *descriptor);
    int (*set)(void *descriptor, int name, int type, int64_t count, const void *elements);
    int (*get)(void *descriptor, int name, int type, int64_t wanted, int64_t *count, void *elements);
    void *device; /* a descriptor of the simulated GPU */
};

/* NULL where there is none, or none that answers without a device. */
const struct dnn_real *
dnn_real(void);

/* As cudnnGetVersion() says it. */
size_t
dnn_version(void);

/* What the real library says of its last error, or of a status; NULL where there is none. */
bool
dnn_last_error(char *text, size_t bytes);

const char *
dnn_status_text(int status);

/* ---- workspaces by rule (dnn_rules.c) ---- */

/* One convolution: the input, the weight [out, in / groups, kernel...] and the output, in elements. */
struct dnn_convolution_sizes {
    int64_t in_channels, out_channels, group_channels; /* the weight's: in / groups */
    int64_t kernel_points, elements;                   /* of all three */
    int type;
    bool channels_last;
};

int64_t
dnn_convolution_workspace(const struct dnn_convolution_sizes *sizes);

/* ---- the graph interface without a real library (dnn_plain.c) ---- */

struct plain_attribute;

struct dnn_graph_part {
    int kind, type;
    bool finalized;
    bool has_parts; /* it was given other descriptors */
    void *real;     /* of the real library; NULL where it has none */
    void *handle;   /* that the program set */
    struct plain_attribute *attributes;
    int64_t workspace;
};

int
plain_set(struct dnn_graph_part *part, int name, int type, int64_t count, const void *elements);

int
plain_get(const struct dnn_graph_part *part, int name, int type, int64_t wanted, int64_t *count, void *elements);

int
plain_finalize(struct dnn_graph_part *part);

/* The one living descriptor that it was given as that attribute, or NULL. */
const struct dnn_graph_part *
plain_operand(const struct dnn_graph_part *part, int name);

void
plain_free(struct dnn_graph_part *part);

/* ---- numbers of the graph interface ---- */

enum {
    PART_CONVOLUTION = 1,
    PART_ENGINE = 2,
    PART_ENGINE_CONFIG = 3,
    PART_HEURISTIC = 4,
    PART_PLAN = 5,
    PART_CONVOLUTION_FORWARD = 10,
    PART_CONVOLUTION_WEIGHT = 11,
    PART_CONVOLUTION_INPUT = 12,
    PART_GRAPH = 15,
    PART_VARIANT_PACK = 16,
    PART_TENSOR = 17,
    PART_DEVICE = 38,
};

enum {
    TYPE_HANDLE = 0,
    TYPE_DATA_TYPE = 1,
    TYPE_BOOLEAN = 2,
    TYPE_INT64 = 3,
    TYPE_FLOAT = 4,
    TYPE_DOUBLE = 5,
    TYPE_POINTER = 6,
    TYPE_PART = 15,
    TYPE_INT32 = 23,
    TYPE_CHAR = 24,
    TYPE_FRACTION = 26,
};

enum {
    HEURISTIC_RESULTS = 202,
    HEURISTIC_DEVICE = 204,
    CONFIG_ENGINE = 300,
    CONFIG_WORKSPACE = 303,
    CONFIG_SHARED_MEMORY = 304,
    PLAN_CONFIG = 401,
    PLAN_WORKSPACE = 402,
    PLAN_JSON = 405,
    PLAN_DEVICE = 407,
    GRAPH_ENGINE_COUNT = 802,
    TENSOR_TYPE = 901,
    TENSOR_DIMENSIONS = 902,
    TENSOR_STRIDES = 903,
    ENGINE_INDEX = 1301,
    ENGINE_DEVICE = 1307,
    DEVICE_JSON = 2702,
};

#endif
