/* What a layer does along one spatial axis. */
#ifndef INFERENCE_REACH_RULE_H
#define INFERENCE_REACH_RULE_H

#include "inference/receptive_field.h"

enum reach_kind {
    REACH_POINT,  /* each element depends on that at its own place */
    REACH_WINDOW, /* convolutions and poolings: on `span` elements from place * stride - pad on */
    REACH_SPREAD, /* transposed convolutions: input i is spread over `span` elements from i * stride - pad on */
    REACH_SCALE,  /* upsampling: on what is around place / stride */
};

struct reach_rule {
    enum reach_kind kind;
    int64_t stride, span, pad;
    int64_t extra; /* output_padding */
    bool same;     /* MEMMODEL_AUTO_PAD_SAME */
    bool ceil;     /* of poolings */
    int32_t mode;  /* enum memmodel_interpolation */
};

/* 0 and the rule of the layer along spatial axis `axis` of the reach, or MEMMODEL_ERROR_UNSUPPORTED naming the layer. */
int
reach_rule_of(const struct receptive_field *reach, const struct layer *layer, int32_t axis, struct reach_rule *rule);

/* The input's elements that the output's from *first to *last depend on, as if the volume had no end. */
void
reach_rule_inputs(const struct reach_rule *rule, int64_t *first, int64_t *last);

/* Extent of the output. */
int64_t
reach_rule_extent(const struct reach_rule *rule, int64_t extent);

#endif
