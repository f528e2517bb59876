/* DeepSpeed's ZeRO from the inside: flat tensors that optimizers work on, and the buckets that gradients are reduced in. */
#ifndef PYTORCH_DEEPSPEED_H
#define PYTORCH_DEEPSPEED_H

#include "frameworks/pytorch/fsdp.h"
#include "frameworks/pytorch/optimizers.h"

/* Parameters whose parts are one tensor of a rank's optimizer: a group of it, with stage 3 a sub group. */
struct zero_flat {
    const struct optimizer_group *group;
    int32_t *parameters;
    size_t count;
    int64_t part;         /* elements that this rank updates, padded */
    struct value *whole;  /* what modules have; of stage 3 the rank's part of it */
    struct value *master; /* the part in float32; NULL: it is on the host */
};

/* Where a parameter lies in its flat tensor; with stage 3 in the rank's part. */
struct zero_place {
    int32_t flat; /* -1: in none, it is not trained */
    int64_t offset, elements;
};

/* What stage 3 knows of a parameter: ZeroParamStatus. */
struct zero_status {
    enum { ZERO_GONE, ZERO_IN_FLIGHT, ZERO_ARRIVED, ZERO_GATHERED } status; /* arrived: nobody has waited for it */
    bool persistent;
    int32_t flight;      /* the all-gather that it is on its way in */
    int64_t fetched_for; /* the last module of the trace that it was fetched for, ahead or not */
};

/*
 * Parameters that are gathered in one go, in `flight_list` from `first` on; one alone needs no buffer besides itself. The
 * buffer stays until each of them has been waited for.
 */
struct zero_flight {
    struct value *incoming;
    size_t first, count, waiting;
};

/* PartitionedParameterCoordinator: which modules a forward and a backward pass come to, in their order. */
struct zero_trace {
    int32_t *units;
    size_t count, capacity;
    size_t now;           /* step_id */
    size_t queue, within; /* parameter that is fetched ahead next: of which module of the trace, which one */
    int64_t passes;       /* that are over; the first records */
    int64_t available;    /* elements that are gathered or on their way */
};

struct zero {
    struct fsdp fsdp; /* of stage 3: its modules. The first member, where fsdp.c looks for it */
    struct zero_flat *flats;
    size_t flat_count;
    struct zero_place *places; /* of each parameter */
    struct optimizer optimizer;
    struct value *buffers[2]; /* that gradients are reduced in */
    int buffer;
    int32_t *bucket; /* parameters that are in it */
    size_t bucket_count;
    int64_t bucket_elements;
    struct value *partition; /* reduced gradients of parameters that this rank has a part of */
    struct value *sum;       /* the same of batches before */
    struct value *norm;      /* of all gradients, since the last step */
    struct value *gradients; /* of stage 3: the rank's part of all gradients */
    struct zero_status *statuses;
    struct zero_flight *flights;
    int32_t *flight_list;
    size_t flight_count, listed, flight_room;
    struct zero_trace trace;
};

static inline const struct zero_options *
zero_options(const struct step *step)
{
    return &step->parallel.options.zero;
}

/* Bytes of so many elements, as the modules have them. */
int64_t
zero_bytes(const struct step *step, const struct zero *zero, int64_t elements);

/* The type that gradients are added up and kept in. */
int
zero_gradient_type(const struct step *step, const struct zero *zero);

/* ---- deepspeed_flat.c ---- */

/* Modules in float32 become those of bf16 or fp16: engine.py, _configure_distributed_model. */
void
zero_cast(struct step *step);

/* The flat tensors that groups of the optimizer become, with all but their values. */
void
zero_find_flats(struct step *step, struct zero *zero, const struct optimizer *all, int64_t sub_group);

void
zero_make_master(struct step *step, struct zero *zero, struct zero_flat *flat);

/* What optimizer.step() does; all gradients are there. */
const struct optimizer *
zero_optimizer_begin(struct step *step, const struct optimizer *all);

void
zero_optimizer_end(struct step *step);

/* ---- deepspeed.c ---- */

/* Gradients that a bucket has no room for wait for it to be reduced: with stage 3 `reduce` is another. */
void
zero_add_to_bucket(struct step *step, struct zero *zero, int32_t parameter,
                   void (*reduce)(struct step *step, struct zero *zero));

bool
zero_has_part(const struct step *step, const struct zero *zero, int32_t parameter);

/* ---- deepspeed_modules.c ---- */

/* Each module with parameters of its own is a unit; the root has the others. False: the step has failed. */
bool
zero_find_modules(struct step *step, struct fsdp *fsdp);

/* ---- deepspeed_gather.c ---- */

/* Of a parameter, as all ranks gather it. */
int64_t
zero_padded_bytes(const struct step *step, const struct fsdp_parameter *parameter);

void
zero_pre_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

void
zero_post_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

void
zero_pre_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

void
zero_post_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

/* Of a module that is recomputed. */
void
zero_fetch_again(struct step *step, struct zero *zero, struct fsdp_unit *unit);

void
zero_release_again(struct step *step, struct zero *zero, struct fsdp_unit *unit);

/* A pass over the model begins. */
void
zero_reset_trace(struct step *step, struct zero *zero);

/* What no hook of a backward pass has released; what is `persistent`, too, if that is asked. */
void
zero_release_all(struct step *step, struct zero *zero, bool persistent);

void
zero_gather_persistent(struct step *step, struct zero *zero);

#endif
