/* One node to layers, or to known elements. */
#ifndef IMPORT_ONNX_OPS_H
#define IMPORT_ONNX_OPS_H

struct import;

/* Its error is left in import->status. */
void
import_node(struct import *import);

#endif
