/* Parts of a network that come again and again, such as the layers of a transformer: what people checkpoint. */
#ifndef REPORT_BLOCKS_H
#define REPORT_BLOCKS_H

#include "base/text.h"
#include "network/network.h"

/*
 * Appends the patterns of the blocks, as memmodel_job.checkpoint has them: "encoder.layer.*, decoder.layer.*". Nothing if
 * the network has none.
 */
void
blocks_find(const struct memmodel_network *network, struct text *patterns);

#endif
