/*
 * Where every public field lies and which number every name has, as programs compiled with a released version rely on.
 * Written from include/memmodel/; a block of a released version never changes, see doc/internals/abi.md.
 */
#include <memmodel.h>

#include <stddef.h>
#include <stdint.h>

/* clang-format off */

/* The first number holds where pointers have 64 bits, the second on 32-bit x86, which aligns int64_t to 4 bytes. */
#if UINTPTR_MAX > UINT32_MAX
#define PLACE(wide, narrow) (wide)
#elif defined(__i386__)
#define PLACE(wide, narrow) (narrow)
#endif

#define VALUE(name, value) _Static_assert((name) == (value), #name)

#ifdef PLACE
#define FIELD(type, field, wide, narrow) \
    _Static_assert(offsetof(struct type, field) == PLACE(wide, narrow), #type "." #field)
#define BYTES(type, wide, narrow) _Static_assert(sizeof(struct type) >= PLACE(wide, narrow), #type)
#else
#define FIELD(type, field, wide, narrow) _Static_assert(1, "")
#define BYTES(type, wide, narrow) _Static_assert(1, "")
#endif

/* 0.1 */

VALUE(MEMMODEL_OK, 0);
VALUE(MEMMODEL_ERROR_NO_MEMORY, -1);
VALUE(MEMMODEL_ERROR_FULL, -2);

VALUE(MEMMODEL_LID_FLAT, 0);
VALUE(MEMMODEL_LID_ROUND, 3);

FIELD(memmodel_box_options, size, 0, 0);
FIELD(memmodel_box_options, name, 8, 4);
FIELD(memmodel_box_options, limit_bytes, 16, 8);
FIELD(memmodel_box_options, max, 24, 16);
FIELD(memmodel_box_options, lid, 88, 80);
FIELD(memmodel_box_options, reserved, 92, 84);
BYTES(memmodel_box_options, 96, 88);

/* 0.2 */

FIELD(memmodel_box_options, shares, 96, 88);
FIELD(memmodel_box_options, share_count, 104, 92);
BYTES(memmodel_box_options, 112, 96);
