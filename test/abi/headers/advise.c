/* memmodel/advise.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/advise.h"
#include "memmodel/advise.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_advise_options)
        + (int)sizeof(struct memmodel_advise_result)
        + (int)sizeof(&memmodel_advise)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_advise_options of_memmodel_advise_options{};
    of_memmodel_advise_options.size = sizeof of_memmodel_advise_options;
    memmodel_advise_result of_memmodel_advise_result{};
    of_memmodel_advise_result.size = sizeof of_memmodel_advise_result;
    return of_memmodel_advise_options.size + of_memmodel_advise_result.size;
}
#endif
