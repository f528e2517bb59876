/* Each verdict, as the tool says it of a model and of texts that are written. */
#include "command.h"

#include <stdio.h>

int
main(void)
{
    for (int verdict = MEMMODEL_VERDICT_FITS; memmodel_verdict_name(verdict); verdict++) {
        printf("%s\t", memmodel_verdict_name(verdict));
        print_verdict(verdict, "up to 3 GiB", "4 GiB", "1 GiB", "process bytes are not modelled");
    }
    return 0;
}
