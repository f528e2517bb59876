/*
 * Every public function, callback and alias has the type that include/memmodel-api.json says, and bindings believe.
 * Written from include/memmodel/.
 */
#include <memmodel.h>

#define SAME(type, expected, name) _Static_assert(__builtin_types_compatible_p(type, expected), name)

/* clang-format off */
SAME(memmodel_weight, int64_t, "memmodel_weight");
SAME(memmodel_weight_callback, int (*)(void *user, memmodel_weight weight), "memmodel_weight_callback");
SAME(__typeof__(&memmodel_box_new), int (*)(const struct memmodel_box_options *options, memmodel_box **box), "memmodel_box_new");
SAME(__typeof__(&memmodel_box_fill), int (*)(memmodel_box *box, const memmodel_weight *weights, size_t count), "memmodel_box_fill");
SAME(__typeof__(&memmodel_box_each), void (*)(const memmodel_box *box, memmodel_weight_callback callback, void *user), "memmodel_box_each");
SAME(__typeof__(&memmodel_box_name), const char *(*)(const memmodel_box *box), "memmodel_box_name");
SAME(__typeof__(&memmodel_box_ref), memmodel_box *(*)(memmodel_box *box), "memmodel_box_ref");
SAME(__typeof__(&memmodel_box_unref), void (*)(memmodel_box *box), "memmodel_box_unref");
