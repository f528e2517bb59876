/* What a layer does along one spatial axis. */
#ifndef INFERENCE_FIELD_RULE_H
#define INFERENCE_FIELD_RULE_H

#include "inference/receptive_field.h"

enum field_rule_kind {
    FIELD_RULE_POINT,  /* each element depends on that at its own place */
    FIELD_RULE_WINDOW, /* convolutions and poolings: on `span` elements from place * stride - pad on */
    FIELD_RULE_SPREAD, /* transposed convolutions: input i is spread over `span` elements from i * stride - pad on */
    FIELD_RULE_SCALE,  /* upsampling: on what is around place / stride */
};

struct field_rule {
    enum field_rule_kind kind;
    int64_t stride, span, pad;
    int64_t extra; /* output_padding */
    bool same;     /* MEMMODEL_AUTO_PAD_SAME */
    bool ceil;     /* of poolings */
    int32_t mode;  /* enum memmodel_interpolation */
};

/* 0 and the rule of the layer along spatial axis `axis`, or MEMMODEL_ERROR_UNSUPPORTED naming the layer. */
int
field_rule_of(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct field_rule *rule);

/* The input's elements that the output's from *first to *last depend on, as if the volume had no end. */
void
field_rule_inputs(const struct field_rule *rule, int64_t *first, int64_t *last);

/* Extent of the output. */
int64_t
field_rule_extent(const struct field_rule *rule, int64_t extent);

#endif
