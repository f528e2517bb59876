/*
 * Proofs about formulas. A range by interval arithmetic is too wide where an input occurs more than once; it narrows
 * with the box, and where the formula only rises or only falls with an input, that input's ends say all.
 */
#include "regression/prove/certify.h"
#include "regression/table/training.h"

#include <math.h>
#include <string.h>

enum { WORK = 1 << 20, DEPTH = 60 }; /* operations of a proof: a hundredth of a second */

struct proof {
    const struct certify_problem *problem;
    struct expression_ranging *ranging;
    size_t input; /* whose direction is to be proven; input_count: the values are */
    size_t work;  /* that is left */
    double lower[TRAINING_MAX_INPUTS], upper[TRAINING_MAX_INPUTS];
    bool used[TRAINING_MAX_INPUTS];
};

static bool
ask(struct proof *proof, size_t input, const double *lower, const double *upper, struct expression_range *value,
    struct expression_range *slope)
{
    size_t size = expression_program_size(proof->problem->program) + 1;

    if (proof->work < size)
        return false;
    proof->work -= size;
    return expression_range(proof->ranging, lower, upper, input, value, slope);
}

static bool
value_allowed(const struct certify_problem *problem, double least)
{
    return problem->positive ? least > 0 : !problem->not_negative || least >= 0;
}

/*
 * Is the formula allowed at the lower ends of inputs with which it rises, and the upper ones of those with which it
 * falls?
 */
static bool
min_corner_allowed(struct proof *proof)
{
    struct expression_range value, slope;
    double lower[TRAINING_MAX_INPUTS], upper[TRAINING_MAX_INPUTS];
    size_t inputs = proof->problem->input_count;

    memcpy(lower, proof->lower, inputs * sizeof *lower);
    memcpy(upper, proof->upper, inputs * sizeof *upper);
    for (size_t i = 0; i < inputs; i++) {
        if (!proof->used[i])
            continue;
        if (!ask(proof, i, lower, upper, &value, &slope))
            return false;
        if (slope.min >= 0)
            upper[i] = lower[i];
        else if (slope.max <= 0)
            lower[i] = upper[i];
    }
    return ask(proof, inputs, lower, upper, &value, &slope) && value_allowed(proof->problem, value.min);
}

static bool
box_allowed(struct proof *proof)
{
    struct expression_range value, slope;
    signed char direction;

    if (!ask(proof, proof->input, proof->lower, proof->upper, &value, &slope))
        return false;
    if (proof->input == proof->problem->input_count)
        return value_allowed(proof->problem, value.min) || min_corner_allowed(proof);
    direction = proof->problem->directions[proof->input];
    return direction > 0 ? slope.min >= 0 : slope.max <= 0;
}

/* A point inside that is not allowed: no box around it will be. */
static bool
middle_allowed(struct proof *proof)
{
    double middle[TRAINING_MAX_INPUTS];
    struct expression_range value, slope;

    for (size_t i = 0; i < proof->problem->input_count; i++)
        middle[i] = proof->lower[i] + (proof->upper[i] - proof->lower[i]) / 2;
    return ask(proof, proof->problem->input_count, middle, middle, &value, &slope) &&
           value_allowed(proof->problem, value.min);
}

/* The used input whose interval is the largest share of its own in the whole box; input_count: none can be halved. */
static size_t
widest(const struct proof *proof)
{
    const struct certify_problem *problem = proof->problem;
    size_t widest = problem->input_count;
    double most = 0;

    for (size_t i = 0; i < problem->input_count; i++) {
        double share = (proof->upper[i] - proof->lower[i]) / (problem->most[i] - problem->least[i]);

        if (proof->used[i] && share > most) {
            most = share;
            widest = i;
        }
    }
    return widest;
}

static bool
prove(struct proof *proof, int depth)
{
    size_t input;
    double least, most, middle;
    bool proven;

    if (box_allowed(proof))
        return true;
    input = widest(proof);
    if (depth == 0 || proof->work == 0 || input == proof->problem->input_count || !middle_allowed(proof))
        return false;
    least = proof->lower[input];
    most = proof->upper[input];
    middle = least + (most - least) / 2;
    if (!(middle > least && middle < most))
        return false;
    proof->upper[input] = middle;
    proven = prove(proof, depth - 1);
    proof->upper[input] = most;
    proof->lower[input] = middle;
    proven = proven && prove(proof, depth - 1);
    proof->lower[input] = least;
    return proven;
}

static bool
prove_one(const struct certify_problem *problem, struct expression_ranging *ranging, size_t input)
{
    struct proof proof = {.problem = problem, .ranging = ranging, .input = input, .work = WORK};

    for (size_t i = 0; i < problem->input_count; i++) {
        proof.lower[i] = problem->least[i];
        proof.upper[i] = problem->most[i];
        proof.used[i] = expression_program_uses(problem->program, i);
    }
    return prove(&proof, DEPTH);
}

static bool
prove_all(const struct certify_problem *problem, struct expression_ranging *ranging)
{
    if (!prove_one(problem, ranging, problem->input_count))
        return false;
    for (size_t i = 0; problem->directions && i < problem->input_count; i++)
        if (problem->directions[i] != 0 && expression_program_uses(problem->program, i) &&
            !prove_one(problem, ranging, i))
            return false;
    return true;
}

int
certify(const struct certify_problem *problem, bool *proven)
{
    struct expression_ranging *ranging;
    int status = expression_ranging_new(problem->program, &ranging);

    *proven = false;
    if (status)
        return status;
    *proven = prove_all(problem, ranging);
    expression_ranging_free(ranging);
    return 0;
}
