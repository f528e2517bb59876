/* Fitted formulas: from a table of measurements to a prediction with an upper bound. */
#ifndef MEMMODEL_MODEL_H
#define MEMMODEL_MODEL_H

#include "memmodel/context.h"
#include "memmodel/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A fitted formula, immutable. @since 0.1 */
typedef struct memmodel_model memmodel_model;

/**
 * What to fit, and from which terms. Zero means the default for every field.
 *
 * @since 0.1
 */
struct memmodel_fit_options {
    size_t size; /**< sizeof(struct memmodel_fit_options) */
    /** column to predict; positive unless errors are squared. NULL: the last numeric column. @nullable */
    const char *target;
    /** columns to predict from. NULL: every other numeric column that is not constant. @length input_count @nullable */
    const char *const *inputs;
    size_t input_count;        /**< number of `inputs` */
    const char *weight_column; /**< column of sample weights; NULL: every row counts the same. @nullable */
    /** formulas in the inputs, offered besides the basis; such as a network's own. @length term_count @nullable */
    const char *const *terms;
    size_t term_count; /**< number of `terms` */
    int32_t basis;     /**< enum memmodel_fit_basis */
    /** most terms besides the constant, 1 to 8, with coefficients of any sign 1 to 31; fewer below 3 rows a term. 0: 4;
     *  with coefficients of any sign as many as pay. @default 4 */
    int32_t max_terms;
    int32_t reserved;   /**< 0 */
    int32_t threads;    /**< threads to use; the result does not depend on it. @default 1 */
    int32_t loss;       /**< enum memmodel_fit_loss */
    int32_t reserved_2; /**< 0 */
    double quantile;    /**< of MEMMODEL_FIT_LOSS_PINBALL, above 0 and below 1. 0: 0.95. @default 0.95 */
    /** inputs with which the formula must not fall anywhere in the domain. @length increasing_count @nullable */
    const char *const *increasing;
    size_t increasing_count;       /**< number of `increasing` */
    const char *const *decreasing; /**< inputs with which it must not rise. @length decreasing_count @nullable */
    size_t decreasing_count;       /**< number of `decreasing` */
    /** units of columns, such as "peak=B" or "speed=m/s": terms of other dimensions than the target's are not offered.
     *  @length unit_count @nullable */
    const char *const *units;
    size_t unit_count; /**< number of `units` */
    /** greatest power of an input in a product of powers; 0: no other limit than the basis has. @default 0 */
    double max_exponent;
    int32_t search;            /**< 1: formulas of any shape are tried, too */
    int32_t integer_exponents; /**< 1: whole powers only, and no logarithms */
    int32_t non_negative;      /**< 1: only formulas that are nowhere negative in the domain */
    int32_t change_points;     /**< 1: a change point of one input may be found; 0: none */
    int64_t seed;              /**< of the search: the same seed gives the same model */
    /** formulas that the search tries at most, each step to its numbers counted, save for the last few hundred. 0:
     *  480,000. @default 480000 */
    int64_t max_evaluations;
    int32_t selection;  /**< enum memmodel_fit_selection */
    int32_t reserved_3; /**< 0 */
    /** what runs that ended for lack of memory had, a lower limit of what they needed: in bytes where the target's unit
     *  is known (memmodel_samples_unit()), else in that unit. @default what each reached @unit bytes */
    double capacity;
};

/**
 * Which of the formulas that were found becomes the model.
 *
 * By MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR the smallest whose mean loss on rows that it did not see exceeds the
 * least by no more than a standard error of the difference; of equally small ones the one of the least description
 * length. No formula is returned that does not predict rows held out better than the constant by more than a standard
 * error.
 *
 * By MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH the one with the least rows / 2 ln(mean loss on rows not seen) + terms
 * ln(terms to choose from).
 *
 * @since 0.1
 */
enum memmodel_fit_selection {
    MEMMODEL_FIT_SELECTION_DEFAULT = 0, /**< one standard error for positive terms, else description length */
    MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR = 1, /**< the smallest formula within one standard error of the best */
    MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH = 2, /**< the formula of the least description length */
};

/** Which errors a fit makes small. @since 0.1 */
enum memmodel_fit_loss {
    MEMMODEL_FIT_LOSS_DEFAULT = 0,   /**< squared for MEMMODEL_FIT_BASIS_GENERAL, relative for the others */
    MEMMODEL_FIT_LOSS_RELATIVE = 1,  /**< squared errors divided by the measurement: 1 % counts the same everywhere */
    MEMMODEL_FIT_LOSS_SQUARED = 2,   /**< squared errors: the target and the coefficients may be of any sign */
    MEMMODEL_FIT_LOSS_MAPE = 3,      /**< absolute errors divided by the measurement */
    MEMMODEL_FIT_LOSS_LOG_RATIO = 4, /**< squared logarithms of prediction / measurement: half is as bad as twice */
    MEMMODEL_FIT_LOSS_ABSOLUTE = 5,  /**< absolute errors: a few outliers count little */
    MEMMODEL_FIT_LOSS_PINBALL = 6,   /**< a quantile in place of the mean; see `quantile` */
};

/**
 * Name of a loss, such as "relative".
 *
 * @param[in] loss  enum memmodel_fit_loss
 * @returns a static string; NULL if there is no such loss. @transfer none @nullable
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API const char *
memmodel_fit_loss_name(int loss);

/** Terms a fit chooses from. @since 0.1 */
enum memmodel_fit_basis {
    /** products of whole powers of up to four inputs, and the given terms; under MEMMODEL_FIT_LOSS_SQUARED those of
     *  MEMMODEL_FIT_BASIS_GENERAL */
    MEMMODEL_FIT_BASIS_POSYNOMIAL = 0,
    MEMMODEL_FIT_BASIS_USER = 1, /**< the given terms only (and a constant) */
    /** straight lines, curves, steps and products of two, coefficients of any sign; under relative losses the products
     *  of powers of MEMMODEL_FIT_BASIS_POSYNOMIAL */
    MEMMODEL_FIT_BASIS_GENERAL = 2,
};

/** The bound that is asked for. Zero means the default for every field. @since 0.1 */
struct memmodel_predict_options {
    size_t size;      /**< sizeof(struct memmodel_predict_options) */
    double level;     /**< probability that a new measurement lies below the bound, 0.5 to 0.999. @default 0.95 */
    int32_t method;   /**< enum memmodel_bound_method */
    int32_t reserved; /**< 0 */
};

/**
 * A prediction; `value` and `upper` are of the target's unit.
 *
 * @since 0.1
 */
struct memmodel_prediction {
    size_t size;  /**< sizeof(struct memmodel_prediction) */
    double value; /**< the formula */
    /** upper prediction bound: a new measurement lies below it with the asked probability. Never below `value`. Where an
     *  input is above its range and errors are relative, it is above other formulas, too, that the training data do not
     *  distinguish from this one */
    double upper;
    /** 1 outside the box of the training data, or where `value` is not above 0: the bound is not guaranteed */
    int32_t extrapolated;
    int32_t reserved; /**< 0 */
    /** calibration points: different ones that the bound was found from, each held out in turn */
    int64_t calibration_count;
    /** level that so many points support whatever the errors' distribution, at most points / (points + 1). Below the
     *  asked level: the tail beyond it is Student's */
    double distribution_free_level;
    /** enum memmodel_bound_method: which gave the bound. MEMMODEL_BOUND_METHOD_DEFAULT: none, `value` is no number to
     *  bound */
    int32_t method;
    int32_t reserved_2; /**< 0 */
};

/**
 * Methods for an upper bound. A ratio is a measurement divided by its prediction by a formula that was found without
 * it; under squared errors, their difference.
 *
 * @since 0.1
 */
enum memmodel_bound_method {
    MEMMODEL_BOUND_METHOD_DEFAULT = 0, /**< the larger of the next two */
    /** conformal: the ratio of rank level (n + 1), at most n; between two in proportion */
    MEMMODEL_BOUND_METHOD_CONFORMAL = 1,
    MEMMODEL_BOUND_METHOD_STUDENT_T = 2, /**< Student's t, the errors held out, and the leverage of the point */
};

/**
 * Name of a method, such as "conformal".
 *
 * @param[in] method  enum memmodel_bound_method
 * @returns a static string; NULL if there is no such method. @transfer none @nullable
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API const char *
memmodel_bound_method_name(int method);

/** An input of a model, and its range in the training data. @since 0.1 */
struct memmodel_model_input {
    size_t size;      /**< sizeof(struct memmodel_model_input) */
    const char *name; /**< of its column, owned by the model */
    /** how formulas call it: its name, made an identifier. `hidden size` is hidden_size there; names that mean
     *  something else in C or Python, or are taken already, get a number. Owned by the model */
    const char *symbol;
    double min;       /**< smallest value in the training data */
    double max;       /**< greatest value in the training data */
    int32_t is_whole; /**< 1: it takes whole numbers only, as memmodel_model_check_points() has it */
    int32_t reserved; /**< 0 */
};

/**
 * How good a fit is.
 *
 * @since 0.1
 */
struct memmodel_model_scores {
    size_t size; /**< sizeof(struct memmodel_model_scores) */
    /** mean absolute relative error on the rows it was fitted to, as a fraction; NaN where coefficients may have any
     *  sign */
    double training_mape;
    /** the same with each row predicted by a fit to all others (exact leave-one-out), a fraction */
    double loo_mape;
    int64_t sample_count; /**< rows used */
    int64_t term_count;   /**< terms of the formula, the constant included */
    /** root of the mean squared error on the rows it was fitted to: a fraction of the measurement under
     *  MEMMODEL_FIT_LOSS_RELATIVE, else in the target's unit. Under MEMMODEL_FIT_LOSS_LOG_RATIO root of the mean
     *  squared logarithm, under the following ones the mean loss, a fraction under MEMMODEL_FIT_LOSS_MAPE. This and the
     *  next three are NaN where the model does not say. @unit target */
    double training_error;
    double loo_error; /**< the same with each row predicted by these terms fitted to all others. @unit target */
    /** the same with each row predicted by a formula whose terms, too, were found without it. @unit target */
    double nested_cv_error;
    /** nested_cv_error of the constant predictor: 1 - (nested_cv_error / baseline_error)^2 is R2 on rows not seen.
     *  @unit target */
    double baseline_error;
    int32_t loss;     /**< enum memmodel_fit_loss, never MEMMODEL_FIT_LOSS_DEFAULT */
    int32_t reserved; /**< 0 */
    /** standard deviation of repeated measurements of one point, a fraction of their mean where errors are relative;
     *  NaN where no point was measured twice. @unit target */
    double noise;
    int64_t noise_dof; /**< degrees of freedom of `noise`: repeated measurements, less one for each point */
    /** 1: interval arithmetic proves that the formula is defined and finite wherever the inputs are in the domain, and
     *  not negative there if errors are relative. Fits return no other */
    int32_t certified;
    int32_t reserved_2; /**< 0 */
    /** rows of runs that ended early, of which only a lower limit is known; not among `sample_count` */
    int64_t censored;
};

/**
 * An entry of the Pareto front: a formula that a fit found, selected or not, than which no smaller one has less error
 * on rows held out.
 *
 * Of positive terms it is the best sum of so many terms, by each row left out, or of so many regimes. For the nested
 * cross-validation error the best one is found again without some of the rows; for that of the selected one its size is
 * chosen again, too.
 *
 * @since 0.1
 */
struct memmodel_model_front_entry {
    size_t size;        /**< sizeof(struct memmodel_model_front_entry) */
    int64_t node_count; /**< size of the formula: its numbers, inputs, operators and functions */
    int64_t term_count; /**< its terms, the constant included */
    /** leave-one-out error, as in struct memmodel_model_scores; of several regimes nested_cv_error. @unit target */
    double loo_error;
    double nested_cv_error; /**< nested cross-validation error, as in struct memmodel_model_scores. @unit target */
    int32_t selected;       /**< 1: this is the model's formula */
    int32_t reserved;       /**< 0 */
    const char *formula;    /**< as text, owned by the model */
};

/**
 * Fit a formula: a few terms by weighted least squares with positive coefficients on relative errors, found by a beam
 * search, once on all rows and again without each of ten parts of the points; the smallest sum whose leave-one-out error
 * lies within one standard error of the best, and that predicts rows held out better than the constant by more than one.
 * Of one or two inputs, the maximum of two sums is offered, too.
 *
 * With MEMMODEL_FIT_LOSS_SQUARED, or MEMMODEL_FIT_BASIS_GENERAL, coefficients have any sign. Terms come from three
 * nested libraries (the inputs; their curves, hinges and levels; products of two). Of the formulas of each size the one
 * becomes the model that predicts best with each row left out and with the parts held out while its terms are found
 * again, at a price for every term that grows with its library. Under relative losses formulas go on beyond the samples,
 * and so do straight lines; any other formula takes an input outside its range as the nearest one inside, and stays near
 * the measurements (memmodel_model_output_range()). The order of the rows does not matter.
 *
 * Other losses take the same terms: their coefficients come from least squares that are weighed again and again, and
 * formulas are chosen by what the loss makes of the rows left out. MEMMODEL_FIT_LOSS_ABSOLUTE and
 * MEMMODEL_FIT_LOSS_PINBALL have positive terms, too, unless the basis is MEMMODEL_FIT_BASIS_GENERAL.
 *
 * A formula is returned only if interval arithmetic proves that it is defined and finite wherever the inputs are in
 * their ranges, and not negative there where the terms are positive or errors relative; else the next best is. What
 * `increasing`, `decreasing` and `non_negative` ask for is proven in the same way, of the slopes of the formula.
 *
 * With `units` a term is of the target's unit, or a pure number: its coefficient then has the target's unit, as the
 * constant's has. A column without a unit is a pure number; what is added or compared must be of one unit, and
 * logarithms are of pure numbers. Units are products such as kg*m/s^2 of names that are only compared: kB and B differ.
 *
 * With `change_points` terms are offered, too, that count below or from a knot on, midway between two levels of an
 * input: equal(max(x, k), x) is 1 where x >= k, else 0. All of a formula's have the same knot. They are taken as any
 * other term is, if rows left out are predicted better by more than so many more terms can be expected to gain.
 *
 * With `search` formulas of any shape are tried, too: products of powers and small trees, and by genetic programming sums
 * of up to four trees of the four operations, squares, roots, logarithms, exponentials, sines, cosines, tanh, minimum and maximum, with fitted
 * numbers in them, constant and coefficients of any sign. What it finds becomes the model only if on rows left out, its
 * errors raised by what the best of so many formulas owes to chance, it is better than the formula of terms by more than
 * the standard error of the difference. A library may have been built without it: MEMMODEL_ERROR_UNSUPPORTED.
 *
 * Rows with a missing input, target or weight, or a weight of 0, are left out and counted in the log. Repeated rows are
 * repeated measurements. Of found inputs, constant ones and repetitions of another are left out, and the log says so;
 * of named ones they are errors. An input with values below 0 gives x, -x and x^2 where coefficients are positive. Given
 * terms, such as roots and logarithms, use the symbols of memmodel_model_get_input().
 *
 * @param[in]  samples  table, only read
 * @param[in]  options  NULL for defaults. @nullable
 * @param[in]  context  limits, memory and errors of this call, progress and log; the model keeps a reference. NULL: the
 *                      samples' own. @nullable
 * @param[out] model    new model with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND (no such column), MEMMODEL_ERROR_DATA (fewer than 4 rows; a target that is
 *          zero or negative under relative errors, or above 1e140 under squared ones; an input that is constant or
 *          repeats another), MEMMODEL_ERROR_PARSE (a term), MEMMODEL_ERROR_STRUCT_SIZE,
 *          MEMMODEL_ERROR_UNSUPPORTED (a search), MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the table is only read
 * @blocking
 * @since 0.1
 */
MEMMODEL_API int
memmodel_fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
             memmodel_model **model);

/**
 * The formula at one point. Never allocates, never fails. The same bits on every processor, for all inputs that there
 * are: products, sums, quotients and square roots are rounded as IEEE 754 says, logarithms and other powers are off by
 * less than one unit of the last place (doc/internals/evaluator.md). Of NaN neither sign nor payload is promised.
 *
 * @param[in] model   model
 * @param[in] inputs  one number per input, in the order of memmodel_model_get_input().
 *                    @length memmodel_model_input_count(model)
 * @returns the target, NaN where the formula is undefined, and for NULL. @unit target
 * @threads any
 * @since 0.1
 */
MEMMODEL_API double
memmodel_model_evaluate(const memmodel_model *model, const double *inputs);

/**
 * The formula at many points, with the same bits as memmodel_model_evaluate() on each. Never allocates. Input i of
 * point j is columns[i][j * stride]: columns of a table that lies in memory row by row begin at its first numbers, and
 * its rows' length is the stride. Columns may begin at any address where a double may; `results` must not overlap them.
 *
 * @param[in]  model    model
 * @param[in]  columns  `columns[i]` has input i of each point. @length memmodel_model_input_count(model), count
 * @param[in]  stride   numbers from a point to the next; 1 for columns that have nothing between
 * @param[in]  count    number of points
 * @param[out] results  one number a point. @length count
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_model_evaluate_many(const memmodel_model *model, const double *const *columns, size_t stride, size_t count,
                             double *results);

/**
 * Whether a model predicts at points, and which input has a value that it refuses. Of a model with positive terms, an
 * input whose column held whole numbers only takes whole numbers; one above 0, or nowhere below it, takes such ones.
 * Models of earlier builds refuse none, nor do those with coefficients of any sign. memmodel_model_evaluate() has the
 * formula's value anywhere.
 *
 * @param[in] model    model
 * @param[in] columns  `columns[i]` has input i of each point; NaN is not judged.
 *                     @length memmodel_model_input_count(model), count
 * @param[in] count    number of points
 * @param[in] context  takes the error, whose object is the input's name; NULL: the model's own. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads any, with a context of its own
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_model_check_points(const memmodel_model *model, const double *const *columns, size_t count,
                            memmodel_context *context);

/**
 * Prediction with a one-sided upper prediction bound. Never allocates.
 *
 * @param[in]     model       model
 * @param[in]     inputs      one number per input. @length memmodel_model_input_count(model)
 * @param[in]     options     level and method of the bound; NULL: 95 %, by the default method. @nullable
 * @param[in,out] prediction  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (also of values that memmodel_model_check_points() refuses),
 *          MEMMODEL_ERROR_STRUCT_SIZE. The context's error is not touched
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_predict(const memmodel_model *model, const double *inputs,
                       const struct memmodel_predict_options *options, struct memmodel_prediction *prediction);

/**
 * Predictions with their bounds at many points, with the same bits as memmodel_model_predict() on each. Never
 * allocates.
 *
 * @param[in]  model         model
 * @param[in]  columns       `columns[i]` has input i of each point. @length memmodel_model_input_count(model), count
 * @param[in]  stride        as in memmodel_model_evaluate_many()
 * @param[in]  count         number of points
 * @param[in]  options       as in memmodel_model_predict(). @nullable
 * @param[out] values        the formula at each point. Untouched on error. @length count
 * @param[out] upper         the bound of each point. Untouched on error. @length count
 * @param[out] extrapolated  1 for each point outside the training data. Untouched on error. @length count
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE, as memmodel_model_predict(). The context's error is not touched
 * @threads any
 * @blocking
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_model_predict_many(const memmodel_model *model, const double *const *columns, size_t stride, size_t count,
                            const struct memmodel_predict_options *options, double *values, double *upper,
                            int32_t *extrapolated);

/**
 * Largest whole value of one input for which the upper bound stays within a budget, found by bisection from 1 up to
 * 2^53. Never allocates.
 *
 * @param[in]  model    model
 * @param[in]  inputs   values of the inputs; the one solved for is ignored. @length memmodel_model_input_count(model)
 * @param[in]  input    name of the input to solve for, such as "batch"
 * @param[in]  options  as in memmodel_model_predict(). @nullable
 * @param[in]  budget   in the target's unit. @unit target
 * @param[in]  context  takes the error; NULL: the model's own. @nullable
 * @param[out] max      greatest value that fits, 0 if not even 1 does. Untouched on error
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND (no such input), MEMMODEL_ERROR_INVALID_ARGUMENT (also of values that
 *          memmodel_model_check_points() refuses), MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any, with a context of its own: the model is only read
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_predict_max(const memmodel_model *model, const double *inputs, const char *input,
                           const struct memmodel_predict_options *options, double budget, memmodel_context *context,
                           int64_t *max);

/**
 * Number of inputs.
 *
 * @param[in] model  model
 * @returns inputs
 * @threads any
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_model_input_count(const memmodel_model *model);

/**
 * What is known of an input.
 *
 * @param[in]     model  model
 * @param[in]     index  from 0
 * @param[in,out] input  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no such input), MEMMODEL_ERROR_STRUCT_SIZE. The context's error is not
 *          touched
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_get_input(const memmodel_model *model, size_t index, struct memmodel_model_input *input);

/**
 * Name of what the model predicts.
 *
 * @param[in] model  model
 * @returns the name, owned by the model. @transfer none
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_model_target(const memmodel_model *model);

/**
 * Unit of the sizes that a model predicts: that of the table's column, or of the target's name.
 *
 * @param[in] model  model
 * @returns such as "MiB", "GB" or "bytes", a static string; NULL where it is not known. @transfer none @nullable
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API const char *
memmodel_model_unit(const memmodel_model *model);

/**
 * The same as bytes: what turns a prediction into bytes, and by what a budget in bytes is divided.
 *
 * @param[in] model  model
 * @returns bytes of one, such as 1048576; 0 where the unit is not known, NaN for NULL. @unit bytes
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API double
memmodel_model_unit_bytes(const memmodel_model *model);

/**
 * Smallest and greatest number that a model predicts. One with an output range takes an input outside the domain as the
 * nearest value inside; of its formulas only that in SQL says so.
 *
 * @param[in]  model  model
 * @param[out] min    -infinity if there is no such range. @unit target
 * @param[out] max    infinity if there is no such range. @unit target
 * @returns 1 if the model has an output range, as those of MEMMODEL_FIT_BASIS_GENERAL and MEMMODEL_FIT_LOSS_SQUARED
 *          have that are no straight lines; else 0
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_model_output_range(const memmodel_model *model, double *min, double *max);

/**
 * Number of formulas on the Pareto front of error and size, by rising size.
 *
 * @param[in] model  model
 * @returns entries; 0 for a model from a file that has none
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API size_t
memmodel_model_front_count(const memmodel_model *model);

/**
 * A formula on the front: its text, size and errors.
 *
 * @param[in]     model  model
 * @param[in]     index  from 0, the smallest
 * @param[in,out] entry  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE. The context's error is not touched
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_model_get_front_entry(const memmodel_model *model, size_t index, struct memmodel_model_front_entry *entry);

/**
 * How good the fit is.
 *
 * @param[in]     model   model
 * @param[in,out] scores  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_get_scores(const memmodel_model *model, struct memmodel_model_scores *scores);

/**
 * The formula as an expression. In C and Python its logarithms and roots are the language's own, which may differ from
 * the library's in the last bits; memmodel_model_to_code() gives files with the same bits. In SQL it is of columns
 * named as the inputs are, between double quotes, with the output range; in the others of the inputs' symbols.
 *
 * @param[in] model     model
 * @param[in] language  enum memmodel_language
 * @returns the formula, owned by the model; NULL if there is no such language. @transfer none @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_model_formula(const memmodel_model *model, int language);

/**
 * The model as a whole file of another language; memmodel_model_to_json() gives one that the library reads. Functions
 * in C and Python are called predict_ and the target's letters and digits, and take the inputs in their order, by their
 * symbols.
 *
 * @param[in]  model     model
 * @param[in]  language  enum memmodel_language
 * @param[in]  context   limits, memory and errors of this call; NULL: the model's own. @nullable
 * @param[out] text      give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the model is only read
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_model_to_code(const memmodel_model *model, int language, memmodel_context *context, char **text);

/**
 * Write the model as JSON (doc/guide/formats.md), atomically.
 *
 * @param[in] model    model
 * @param[in] path     file to write
 * @param[in] context  limits, memory and errors of this call; NULL: the model's own. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the model is only read
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_save(const memmodel_model *model, const char *path, memmodel_context *context);

/**
 * The model as JSON text.
 *
 * @param[in]  model    model
 * @param[in]  context  limits, memory and errors of this call; NULL: the model's own. @nullable
 * @param[out] text     give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the model is only read
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_to_json(const memmodel_model *model, memmodel_context *context, char **text);

/**
 * Read a model that memmodel_model_save() wrote. Everything in the file is checked.
 *
 * @param[in]  context  the model keeps a reference
 * @param[in]  path     file to read
 * @param[out] model    new model with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE (with line and column),
 *          MEMMODEL_ERROR_VERSION, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_load(memmodel_context *context, const char *path, memmodel_model **model);

/**
 * As memmodel_model_load(), from memory.
 *
 * @param[in]  context  the model keeps a reference
 * @param[in]  name     what to call the text in errors
 * @param[in]  text     `length` characters. @length length
 * @param[in]  length   of `text`
 * @param[out] model    new model with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_VERSION, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_model_from_json(memmodel_context *context, const char *name, const char *text, size_t length,
                         memmodel_model **model);

/** Take one more reference. @param[in] model  not NULL @returns `model` @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_model *
memmodel_model_ref(memmodel_model *model);

/** Drop one reference. @param[in] model  may be NULL @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_model_unref(memmodel_model *model);

#ifdef __cplusplus
}
#endif

#endif
