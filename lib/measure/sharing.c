/* Memory that several processes of a tree share, counted once. */
#include "measure/sharing.h"
#include "base/checked.h"

/* Looks that are needed wait while they took more than this share of the time, and a beginning that costs little. */
static const double NEEDED_SHARE = 0.02, FREE_SECONDS = 0.25;

/* Sharing changes without a trace, as when a worker writes to what it got from its parent: looks that come by time. */
static const double DUE_SHARE = 0.01, DUE_SECONDS = 1, DUE_SECONDS_OF_CHANGED = 0.1;

enum { TOLERANCE = 32 }; /* a 32nd more or less needs no look */

/* No page counts twice in a single process. */
static int64_t
known_min(const struct sharing *sharing, const struct tree_size *size)
{
    return max_i64(sharing->known, size->max);
}

bool
sharing_needs_look(const struct sharing *sharing, const struct tree_size *size, int64_t limit, double now)
{
    int64_t charge = size->charge_high, known = known_min(sharing, size);

    if (size->count < 2 || charge <= known)
        return false;
    if (limit > 0 && charge > limit && known <= limit)
        return true;
    return charge - known > charge / TOLERANCE &&
           sharing->spent <= FREE_SECONDS + NEEDED_SHARE * (now - sharing->start);
}

bool
sharing_look_is_due(const struct sharing *sharing, const struct tree_size *size, double now)
{
    return size->count > 1 && now - sharing->last >= (size->changed ? DUE_SECONDS_OF_CHANGED : DUE_SECONDS) &&
           sharing->spent <= DUE_SHARE * (now - sharing->start);
}

void
sharing_note(struct sharing *sharing, const struct tree_size *size)
{
    sharing->known = known_min(sharing, size);
    sharing->pending = max_i64(sharing->pending, size->charge_high);
}

/* Memory that is shared since the look before was counted more than once in what is pending. */
void
sharing_confirm(struct sharing *sharing, const struct tree_size *before, const struct tree_size *size, double now)
{
    int64_t grown = max_i64(0, size->shared - before->shared);

    sharing->known = max_i64(known_min(sharing, size), max_i64(size->charge_high, sharing->pending - grown));
    sharing->pending = 0;
    sharing->last = now;
    sharing->looks++;
}

void
sharing_note_process(struct sharing *sharing, int64_t bytes)
{
    sharing->known = max_i64(sharing->known, bytes);
}

int64_t
sharing_peak(const struct sharing *sharing)
{
    return max_i64(sharing->known, sharing->pending);
}
