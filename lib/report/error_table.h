/*
 * How far measurements of recorded trainings lay from what is predicted of them. Made by
 * test/frameworks/error_table.py, which says how; run it again where rules or recordings have changed.
 *
 * framework, device, metric, kind of network, runs, measured over predicted at 5 % and at 95 %, folders of test/data
 */
static const struct error_row error_rows[] = {
    {"pytorch", "cpu", MEMMODEL_METRIC_LIVE, "cnn", 179, 1.0000, 1.0000, "pytorch_models"},
    {"pytorch", "cpu", MEMMODEL_METRIC_LIVE, "transformer", 154, 1.0000, 1.0000, "pytorch_models"},
    {"pytorch", "cpu", MEMMODEL_METRIC_PROCESS, "cnn", 20, 0.9207, 1.2673, "case-study"},
    {"pytorch", "cuda", MEMMODEL_METRIC_LIVE, "cnn", 72, 0.9979, 1.1212, "pytorch_cuda"},
    {"pytorch", "cuda", MEMMODEL_METRIC_LIVE, "transformer", 24, 0.7970, 1.0577, "pytorch_cuda"},
    {"pytorch", "cuda", MEMMODEL_METRIC_PROCESS, "cnn", 72, 0.9905, 1.1263, "pytorch_cuda"},
    {"pytorch", "cuda", MEMMODEL_METRIC_PROCESS, "transformer", 24, 0.8175, 1.0828, "pytorch_cuda"},
    {"pytorch", "cuda", MEMMODEL_METRIC_RESERVED, "cnn", 125, 0.9543, 1.1453, "pytorch_cuda, xmem"},
    {"pytorch", "cuda", MEMMODEL_METRIC_RESERVED, "transformer", 81, 0.8660, 1.0755, "pytorch_cuda, xmem"},
};
