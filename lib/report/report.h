/* A report from the inside, and the stages that fill it. Everything it points to lies in its arena. */
#ifndef REPORT_H
#define REPORT_H

#include "base/arena.h"
#include "base/text.h"
#include "frameworks/framework.h"
#include "frameworks/job.h"
#include "frameworks/pytorch/optimizer_cache.h"
#include "frameworks/textbook/textbook.h"
#include "memmodel/report.h"

#include <stdatomic.h>

enum { LANGUAGE_COUNT = 4 };

struct formula {
    const char *name;
    const char *text[LANGUAGE_COUNT]; /* by enum memmodel_language */
};

struct memmodel_report {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    struct memmodel_job job; /* with its defaults; its texts and symbols are copied */
    struct memmodel_report_result result;
    int64_t categories[MEMMODEL_MAX_CATEGORIES];
    int64_t *step_peaks;
    struct memmodel_report_layer *layers;
    struct memmodel_report_layer total;
    size_t layer_count;
    struct memmodel_report_line *lines;
    size_t line_count;
    struct formula *formulas;
    size_t formula_count;
    struct memmodel_trace *trace;
    struct memmodel_report_unmodelled *unmodelled;
    size_t unmodelled_count;
    struct memmodel_report_change *changes;
    size_t change_count;
    memmodel_report *base; /* that all but the table of layers lies in; NULL: nothing does */
};

/* A query: a job with its defaults, its symbols' values in the network's order, and the network bound to them. */
struct query {
    memmodel_context *context;
    const memmodel_network *network; /* NULL: there is a trace alone */
    struct memmodel_job job;
    const struct framework *framework; /* of the job */
    int whole_steps;                   /* of a trace alone, which may go on after the last of them */
    int64_t *symbols;
    struct binding binding;
    bool peak_only;                 /* only the peak of job.metric is asked for */
    struct memmodel_trace *trace;   /* that is written again and again where nobody keeps it; NULL: none yet */
    struct optimizer_cache updates; /* of the simulations so far, for the next */
    struct unmodelled *unmodelled;  /* of the last that was measured */
    size_t unmodelled_count;
};

/* ---- query.c ---- */

/*
 * Begins a bounded call of the context (NULL: the network's), which query_end() ends if this succeeds. Checks the job
 * and copies it. Binds nothing yet: query_bind() does, so that memmodel_estimate_max() can bind again and again.
 * `free_symbol` (NULL if none) needs no value.
 */
int
query_new(const memmodel_network *network, const struct memmodel_job *job, const char *free_symbol,
          memmodel_context *context, struct query *query);

/* Index of a symbol; MEMMODEL_ERROR_NOT_FOUND says which there are. */
int
query_symbol(struct query *query, const char *name, size_t *symbol);

int
query_bind(struct query *query);

/* Drops the binding, if there is one. */
void
query_unbind(struct query *query);

/* Releases it; returns what the call then returns. */
int
query_end(struct query *query, int status);

/* ---- result.c: the bytes, without tables ---- */

/* The result of one estimate. Exactly one of trace and rule is there, by framework. */
struct result {
    struct memmodel_report_result peak;
    int64_t categories[MEMMODEL_MAX_CATEGORIES];
    struct simulation simulation; /* trace NULL for the textbook */
    int64_t *step_peaks;          /* of each step, where the allocator counts live bytes; NULL: the trace does */
    int32_t peak_event;
    int64_t peak_copy; /* which time that event is run then, from 0: trace/repeat.h */
};

int
result_of_query(struct query *query, struct result *result);

/* Of a trace that is there; the query has no network. To be released on error as well. */
int
result_of_trace(struct query *query, const struct memmodel_trace *trace, struct result *result);

void
result_release(memmodel_context *context, struct result *result);

/* Bytes of a block of its trace, and of those that it stands for, live at the peak; 0 where there is no peak. */
int64_t
result_live_at_peak(const struct result *result, const struct trace_block *block);

/* The bytes of one enum memmodel_metric; -1 if it is not modelled. */
int64_t
peak_of_metric(const struct memmodel_report_result *peak, int metric);

/* The bytes that job.metric means, with one symbol's value changed, and no more than it takes to know them. */
int
query_measure(struct query *query, size_t symbol, int64_t value, int64_t *bytes);

/* The same for symbols as they are bound, and the query's job as it is now. */
int
query_measure_bound(struct query *query, int64_t *bytes);

/* ---- fill.c ---- */

/* The report of a result, which is released either way. */
int
report_of_result(struct query *query, struct result *result, memmodel_report **report);

/* ---- interval.c ---- */

/* Around a peak: as in struct memmodel_report_result, whose numbers these are. */
struct interval {
    int64_t low, high;
    int32_t runs; /* 0: there is none */
};

/* Of the peak of a job, with a network of a kind as memmodel_network_kind() has them. */
struct interval
interval_of(const struct memmodel_job *job, const char *kind, int64_t bytes);

/* ---- verdict.c ---- */

/* Of the peak of a job, which is -1 where it is not modelled. */
int
verdict_within(const struct memmodel_job *job, const struct interval *interval, int64_t bytes);

/* The verdict of the report's bytes, and its sentence; of a network, NULL for a trace. */
int
report_judge(memmodel_report *report, const memmodel_network *network);

/* Largest peak that is sure to be within the limit of the job. */
int64_t
report_sure_peak(const memmodel_report *report);

/* The sentence of the verdict anew, with its largest batch, of that symbol, and its changes. */
int
report_summarize(memmodel_report *report, const char *batch);

/* ---- solve.c ---- */

/* Largest value of a symbol, of that index, for which the query's job takes no more than `limit` bytes; 0: none does. */
int
query_max(struct query *query, const char *name, size_t symbol, int64_t limit, int64_t *max);

/* ---- what is estimated by its outputs alone ---- */

/* With the names, which may be the network's (fill.c). */
int
unmodelled_copy(struct arena *arena, const struct unmodelled *unmodelled, size_t count,
                struct memmodel_report_unmodelled **copy);

/* As reports have it (report_json.c); NULL: out of memory. */
struct json_t *
unmodelled_json(const struct memmodel_report_unmodelled *unmodelled, size_t count);

/* ---- gpu.c ---- */

/*
 * The result of a simulated trace on a GPU, live bytes as torch.cuda.memory_allocated() counts them: blocks as the
 * allocator rounds and splits them.
 */
int
result_of_gpu(const struct query *query, struct result *result);

/* ---- page.html and what it needs, made C by embed.py ---- */

/* The page in two halves: the report's data as JSON stand between them. */
extern const char page_before[], page_after[];

/* placement.c: the last step's blocks in one arena, as a member of the page's data. */
int
write_placement(struct text *page, const memmodel_report *report);

/* ---- layers.c, trace_report.c, lines.c, formulas.c ---- */

struct formula_space;

/* Fills the per-layer table and its total. */
int
report_add_layers(memmodel_report *report, const struct query *query, const struct result *result,
                  struct formula_space *space);

/* The same of a trace without a network. */
int
report_add_trace_layers(memmodel_report *report, const struct query *query, const struct result *result);

/* Fills the table of a recorded program's lines. */
int
report_add_lines(memmodel_report *report, const struct query *query, const struct result *result);

/* Fills the closed formulas and what they take for granted. */
int
report_add_formulas(memmodel_report *report, const struct query *query, struct formula_space *space);

#endif
