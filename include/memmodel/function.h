/* A fitted formula as a plain C function, for hosts that take a function pointer and nothing beside it. */
#ifndef MEMMODEL_FUNCTION_H
#define MEMMODEL_FUNCTION_H

#include "memmodel/context.h"
#include "memmodel/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A fitted formula made a C function, immutable. @since 0.1 */
typedef struct memmodel_function memmodel_function;

/**
 * What memmodel_function_pointer() points to. Never allocates, never fails.
 *
 * @param[in] inputs  one number per input, in the order of memmodel_model_get_input().
 *                    @length memmodel_model_input_count(model)
 * @returns the target, or its upper bound; NaN where the formula is undefined. @unit target
 * @threads any, several at once
 * @since 0.1
 */
typedef double (*memmodel_formula_function)(const double *inputs);

/**
 * Make a C function of a model. At level 0 it computes what memmodel_model_evaluate() does, else the upper bound of
 * memmodel_model_predict() at that level, NaN where that refuses a value; both with the same bits.
 *
 * The code is made at run time by libffi, which takes the memory for it from the system, not from the allocator.
 *
 * @param[in]  context   the function keeps a reference; takes the error
 * @param[in]  model     the function keeps a reference
 * @param[in]  level     0, or the probability that a new measurement lies below the bound, 0.5 to 0.999
 * @param[out] function  new function with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (level), MEMMODEL_ERROR_UNSUPPORTED (this library was built without
 *          libffi), MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT (or a system that does not let code be made at run
 *          time)
 * @threads the context's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_function_new(memmodel_context *context, memmodel_model *model, double level, memmodel_function **function);

/**
 * The function itself.
 *
 * @param[in] function  not NULL
 * @returns a function that may be called as long as `function` has a reference, never NULL. @transfer none
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API memmodel_formula_function
memmodel_function_pointer(const memmodel_function *function);

/**
 * Take one more reference.
 *
 * @param[in] function  not NULL
 * @returns `function`. @transfer full
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API memmodel_function *
memmodel_function_ref(memmodel_function *function);

/**
 * Drop one reference. With the last one the code is gone: nobody may be calling it then.
 *
 * @param[in] function  may be NULL. @nullable
 * @threads any
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API void
memmodel_function_unref(memmodel_function *function);

#ifdef __cplusplus
}
#endif

#endif
