/* The best formula of each size. */
#include "regression/search/archive.h"

static const double doubt = 1.5; /* of errors that are guessed */

const struct formula *
archive_best(const struct archive *archive, size_t nodes)
{
    const struct formula *best = NULL;

    for (size_t i = 0; i <= nodes && i <= ARCHIVE_MAX_NODES; i++)
        if (archive->formulas[i].count > 0 && (!best || archive->formulas[i].error < best->error))
            best = &archive->formulas[i];
    return best;
}

bool
archive_may_take(const struct archive *archive, size_t nodes, double error)
{
    const struct formula *other = archive_best(archive, nodes);

    return nodes <= ARCHIVE_MAX_NODES && (!other || error < doubt * other->error);
}

bool
archive_offer(struct archive *archive, const struct formula *formula)
{
    const struct formula *other;

    if (formula->nodes > ARCHIVE_MAX_NODES || formula->count == 0)
        return false;
    other = archive_best(archive, formula->nodes);
    if (other && !(formula->error < other->error))
        return false;
    archive->formulas[formula->nodes] = *formula;
    for (size_t i = formula->nodes + 1; i <= ARCHIVE_MAX_NODES; i++) /* what is larger and no better */
        if (!(archive->formulas[i].error < formula->error))
            archive->formulas[i].count = 0;
    return true;
}

bool
archive_is_exact(const struct archive *archive, const struct aim *aim)
{
    const struct formula *best = archive_best(archive, ARCHIVE_MAX_NODES);

    return best && !(best->error > aim->floor);
}
