-- Generated from the headers: the library as LuaJIT's ffi sees it. Not edited by hand.
return [[
typedef int64_t memmodel_weight;
typedef struct memmodel_box memmodel_box;
struct memmodel_box_options;
typedef int (*memmodel_weight_callback)(void *user, memmodel_weight weight);
struct memmodel_box_options {
    size_t size;
    const char *name;
    int64_t limit_bytes;
    memmodel_weight max[8];
    int32_t lid;
    int32_t reserved;
    const double *shares;
    size_t share_count;
};
int memmodel_box_new(const struct memmodel_box_options *options, memmodel_box **box);
int memmodel_box_fill(memmodel_box *box, const memmodel_weight *weights, size_t count);
void memmodel_box_each(const memmodel_box *box, memmodel_weight_callback callback, void *user);
const char *memmodel_box_name(const memmodel_box *box);
memmodel_box *memmodel_box_ref(memmodel_box *box);
void memmodel_box_unref(memmodel_box *box);
]]
