/* What the page in bindings/web draws while a slider moves. */
#ifndef REPORT_QUICK_DATA_H
#define REPORT_QUICK_DATA_H

#include "memmodel/report.h"

/*
 * The data of a report's page as JSON, as memmodel_report_to_html() puts them in it, but for fewer points of the timeline
 * and no placement. The text is the caller's. 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT or _CANCELLED.
 */
int
report_to_quick_data(const memmodel_report *report, memmodel_context *context, char **text);

#endif
