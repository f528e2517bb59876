/*
 * How a job names its optimizer: "adam", or with the options that change what it keeps, written as in Python:
 * "sgd(momentum=0.9, nesterov=True)". An option without a value is on; 0, False and None turn it off.
 */
#ifndef OPTIMIZER_H
#define OPTIMIZER_H

#include <stdbool.h>
#include <stdint.h>

enum optimizer_option {
    OPTIMIZER_MOMENTUM = 1 << 0,
    OPTIMIZER_NESTEROV = 1 << 1,
    OPTIMIZER_WEIGHT_DECAY = 1 << 2,
    OPTIMIZER_MAXIMIZE = 1 << 3,
    OPTIMIZER_AMSGRAD = 1 << 4,
    OPTIMIZER_CENTERED = 1 << 5,
    OPTIMIZER_DECOUPLED = 1 << 6, /* decoupled_weight_decay */
    OPTIMIZER_FOREACH = 1 << 7,   /* all parameters at once */
    OPTIMIZER_FUSED = 1 << 8,     /* in one kernel */
    OPTIMIZER_DAMPENING = 1 << 9, /* a factor of a sum in place: takes nothing */
};

struct optimizer_choice {
    char name[16];
    uint32_t on, off; /* options that were named */
};

/* False if it is not of that form. "momentum" is sgd(momentum). */
bool
optimizer_parse(const char *text, struct optimizer_choice *choice);

/* What is on for an optimizer whose `defaults` are on unless they were turned off. */
static inline uint32_t
optimizer_options(const struct optimizer_choice *choice, uint32_t defaults)
{
    return (defaults & ~choice->off) | choice->on;
}

#endif
