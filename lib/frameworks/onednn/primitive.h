/*
 * One convolution of float32 or bfloat16 as oneDNN 3.12 sees it, and what its kernels take for it: formats and scratchpad.
 * PyTorch leaves the formats free ("any") and hands the scratchpad over from its own allocator, so both are visible there.
 * The rules follow the heuristics of oneDNN 3.12 (Apache-2.0); each file names the sources that it follows.
 */
#ifndef ONEDNN_PRIMITIVE_H
#define ONEDNN_PRIMITIVE_H

#include "base/checked.h"
#include "frameworks/target_cpu.h"

#include <stdbool.h>

enum pass { PASS_FORWARD, PASS_DATA, PASS_WEIGHTS, PASS_COUNT };
enum axis { DEPTH, HEIGHT, WIDTH, AXES };

/* A convolution of `dims` (2 or 3) spatial dimensions; unused leading axes are a single point. */
struct problem {
    const struct target_cpu *machine;
    int dims;
    bool bias;
    bool half;          /* of bfloat16 */
    bool wide;          /* its data pass writes float32 */
    bool channels_last; /* so lie the data tensors; otherwise the kernel chooses their formats */
    int64_t batch, groups;
    int64_t in, out; /* channels of one group */
    int64_t source[AXES], target[AXES];
    int64_t kernel[AXES], stride[AXES], padding[AXES];
    int64_t dilation[AXES];    /* as oneDNN counts: 0 is dense */
    int64_t extent[AXES];      /* of the dilated kernel */
    int64_t end_padding[AXES]; /* after the last point of the source, as the target size implies; may be negative */
};

enum format { FORMAT_PLAIN, FORMAT_CHANNELS_LAST, FORMAT_BLOCKED };

/* How a data tensor lies in memory. In FORMAT_BLOCKED its channels are padded to a multiple of `block`. */
struct layout {
    enum format format;
    int64_t block;
};

/* What the chosen kernel asks for. */
struct primitive {
    struct layout source, target;
    int64_t weights;    /* elements of the reordered weights; 0: the framework's own weights are used in place */
    int64_t scratchpad; /* @unit bytes */
    bool points_first;  /* the reordered weights are plain: kernel points, input channels, groups, output channels */
};

/* Fills `extent` and `end_padding` from the rest. */
void
problem_complete(struct problem *problem);

/* The first kernel in oneDNN's order of preference that accepts the problem. */
struct primitive
primitive_choose(const struct problem *problem, enum pass pass);

/*
 * Forward pass of a transposed convolution: the data pass of `problem`, whose source is the output of the transposed
 * one. `problem->bias` is its bias.
 */
struct primitive
primitive_choose_transposed(const struct problem *problem);

/* Elements of a data tensor of `channels` channels (of all groups) and `points` spatial points. */
int64_t
layout_elements(struct layout layout, int64_t batch, int64_t channels, int64_t points);

/* Whether a dense contiguous tensor already lies that way, so that it is used in place. */
bool
layout_is_contiguous(struct layout layout, int64_t channels, int64_t points);

#endif
