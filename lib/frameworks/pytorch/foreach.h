/* What an optimizer makes on the way when it updates all parameters at once. */
#ifndef PYTORCH_FOREACH_H
#define PYTORCH_FOREACH_H

#include "frameworks/pytorch/step.h"

struct foreach {
    bool known;            /* false: there is no such form, or no rule for it */
    int lists;             /* of tensors like the parameters, alive together */
    bool copies_gradients; /* also where nothing is added to them and they are not negated */
    bool clones_gradients; /* momentum starts as a copy of the first gradient */
    bool drops_gradients;  /* the copy goes before the lists are made */
    bool scales_gradients; /* into the copy, or into one more list where there is none */
};

/* optimizer.step() after the states were made. */
void
foreach_run(struct step *step, const struct foreach *plan, uint32_t options);

#endif
