/*
 * A shared library, byte by byte: System V ABI. One segment that can be read and run (headers, tables of symbols, code)
 * and one that can be written (for each function a record for memmodel_cuda_generic(), the dynamic section, the one
 * address that the loader fills in).
 */
#include "device/stand_in.h"

#include "base/file.h"
#include "base/text.h"

#include <string.h>

#ifdef __linux__
#include <elf.h>
#endif

#if defined(__linux__) && defined(__x86_64__)

enum { PAGE = 4096, SEGMENTS = 4, STUB = 32, RECORD_HEAD = 8, FIRST_FUNCTION = 2, HASH_HEAD = 2, DYNAMIC_ENTRIES = 12 };
static const char generic[] = "memmodel_cuda_generic";

/* Where each part begins, in the file and in memory, which agree. */
struct layout {
    size_t hash, symbols, strings, relocations, code, code_end, records, dynamic, target, end;
    size_t string_bytes, record_bytes;
};

struct writer {
    memmodel_context *context;
    const char *soname, *needed;
    const char *library; /* whose functions they are */
    const char **names;  /* those to be made */
    size_t count;
    struct layout layout;
    unsigned char *bytes;
};

static size_t
round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t
record_size(const char *name)
{
    return round_up(RECORD_HEAD + strlen(name) + 1, RECORD_HEAD);
}

static size_t
buckets_of(const struct writer *writer)
{
    return writer->count + 1;
}

/* Symbols: none, the generic function, then the functions; the first string is empty. */
static void
lay_out(struct writer *writer)
{
    struct layout *l = &writer->layout;
    size_t symbols = writer->count + FIRST_FUNCTION;

    l->string_bytes =
        1 + sizeof generic + strlen(writer->needed) + 1 + strlen(writer->soname) + 1 + strlen(writer->library) + 1;
    l->record_bytes = 0;
    for (size_t i = 0; i < writer->count; i++) {
        l->string_bytes += strlen(writer->names[i]) + 1;
        l->record_bytes += record_size(writer->names[i]);
    }
    l->hash = round_up(sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr), sizeof(uint64_t));
    l->symbols = round_up(l->hash + (HASH_HEAD + buckets_of(writer) + symbols) * sizeof(uint32_t), sizeof(uint64_t));
    l->strings = l->symbols + symbols * sizeof(Elf64_Sym);
    l->relocations = round_up(l->strings + l->string_bytes, sizeof(uint64_t));
    l->code = round_up(l->relocations + sizeof(Elf64_Rela), STUB);
    l->code_end = l->code + writer->count * STUB;
    l->records = round_up(l->code_end, PAGE);
    l->dynamic = round_up(l->records + l->record_bytes, sizeof(uint64_t));
    l->target = l->dynamic + DYNAMIC_ENTRIES * sizeof(Elf64_Dyn);
    l->end = l->target + sizeof(uint64_t);
}

static void
put(struct writer *writer, size_t at, const void *bytes, size_t count)
{
    memcpy(writer->bytes + at, bytes, count);
}

static void
put_word(struct writer *writer, size_t at, uint32_t value)
{
    put(writer, at, &value, sizeof value);
}

/* ---- headers ---- */

static void
put_header(struct writer *writer)
{
    Elf64_Ehdr header = {.e_type = ET_DYN,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_phoff = sizeof header,
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = SEGMENTS};

    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    put(writer, 0, &header, sizeof header);
}

static Elf64_Phdr
segment(uint32_t type, uint32_t flags, size_t start, size_t end)
{
    return (Elf64_Phdr){.p_type = type,
                        .p_flags = flags,
                        .p_offset = start,
                        .p_vaddr = start,
                        .p_paddr = start,
                        .p_filesz = end - start,
                        .p_memsz = end - start,
                        .p_align = type == PT_LOAD ? PAGE : sizeof(uint64_t)};
}

static void
put_segments(struct writer *writer)
{
    const struct layout *l = &writer->layout;
    Elf64_Phdr segments[SEGMENTS] = {
        segment(PT_LOAD, PF_R | PF_X, 0, l->code_end),
        segment(PT_LOAD, PF_R | PF_W, l->records, l->end),
        segment(PT_DYNAMIC, PF_R | PF_W, l->dynamic, l->target),
        {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W}, /* without it the loader makes stacks executable */
    };

    put(writer, sizeof(Elf64_Ehdr), segments, sizeof segments);
}

static void
put_dynamic(struct writer *writer, size_t soname, size_t needed)
{
    const struct layout *l = &writer->layout;
    Elf64_Dyn entries[DYNAMIC_ENTRIES] = {
        {DT_SONAME, {soname}},
        {DT_NEEDED, {needed}},
        {DT_HASH, {l->hash}},
        {DT_STRTAB, {l->strings}},
        {DT_SYMTAB, {l->symbols}},
        {DT_STRSZ, {l->string_bytes}},
        {DT_SYMENT, {sizeof(Elf64_Sym)}},
        {DT_RELA, {l->relocations}},
        {DT_RELASZ, {sizeof(Elf64_Rela)}},
        {DT_RELAENT, {sizeof(Elf64_Rela)}},
        {DT_NULL, {0}},
    };
    Elf64_Rela target = {.r_offset = l->target, .r_info = ELF64_R_INFO(1ULL, R_X86_64_GLOB_DAT)};

    put(writer, l->dynamic, entries, sizeof entries);
    put(writer, l->relocations, &target, sizeof target);
}

/* ---- symbols ---- */

static size_t
put_string(struct writer *writer, size_t *end, const char *string)
{
    size_t place = *end;

    put(writer, writer->layout.strings + place, string, strlen(string) + 1);
    *end += strlen(string) + 1;
    return place;
}

/* System V ABI, "Hash Table". */
static uint32_t
hash_of(const char *name)
{
    uint32_t hash = 0;

    for (; *name; name++) {
        uint32_t high;

        hash = (hash << 4) + (unsigned char)*name;
        high = hash & 0xf0000000U;
        hash = (hash ^ (high >> 24)) & ~high;
    }
    return hash;
}

/* As many buckets as functions; a bucket has the last of its functions, and each of these the one before. */
static void
put_hash(struct writer *writer, uint32_t number, const char *name)
{
    const struct layout *l = &writer->layout;
    size_t buckets = buckets_of(writer);
    uint32_t first;
    size_t bucket = l->hash + (HASH_HEAD + hash_of(name) % buckets) * sizeof(uint32_t);
    size_t chain = l->hash + (HASH_HEAD + buckets + number) * sizeof(uint32_t);

    memcpy(&first, writer->bytes + bucket, sizeof first);
    put_word(writer, chain, first);
    put_word(writer, bucket, number);
}

static void
put_symbol(struct writer *writer, uint32_t number, size_t name, size_t address, size_t size)
{
    Elf64_Sym symbol = {.st_name = (uint32_t)name,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                        .st_shndx = address ? 1 : SHN_UNDEF,
                        .st_value = address,
                        .st_size = size};

    put(writer, writer->layout.symbols + number * sizeof symbol, &symbol, sizeof symbol);
}

/* ---- code ---- */

/* lea rsi, record; lea rdx, name of the library; jmp [target]: the first argument stays, the next two are ours. */
static void
put_stub(struct writer *writer, size_t at, size_t record, size_t library)
{
    const struct layout *l = &writer->layout;
    static const unsigned char lea_rsi[] = {0x48, 0x8d, 0x35}, lea_rdx[] = {0x48, 0x8d, 0x15}, jump[] = {0xff, 0x25};
    enum { LEA = 7, JUMP = 6, AFTER_BOTH = 2 * LEA, OPERAND = 3, JUMP_OPERAND = 2 };

    put(writer, at, lea_rsi, sizeof lea_rsi);
    put_word(writer, at + OPERAND, (uint32_t)(record - (at + LEA)));
    put(writer, at + LEA, lea_rdx, sizeof lea_rdx);
    put_word(writer, at + LEA + OPERAND, (uint32_t)(library - (at + AFTER_BOTH)));
    put(writer, at + AFTER_BOTH, jump, sizeof jump);
    put_word(writer, at + AFTER_BOTH + JUMP_OPERAND, (uint32_t)(l->target - (at + AFTER_BOTH + JUMP)));
}

static void
put_functions(struct writer *writer, size_t library, size_t *strings)
{
    size_t record = writer->layout.records, code = writer->layout.code;

    for (size_t i = 0; i < writer->count; i++) {
        const char *name = writer->names[i];
        uint32_t number = (uint32_t)i + FIRST_FUNCTION;

        put_symbol(writer, number, put_string(writer, strings, name), code, STUB);
        put_hash(writer, number, name);
        put(writer, record + RECORD_HEAD, name, strlen(name) + 1);
        put_stub(writer, code, record, library);
        record += record_size(name);
        code += STUB;
    }
}

static void
fill(struct writer *writer)
{
    size_t strings = 1, soname, needed, library;

    put_header(writer);
    put_segments(writer);
    put_word(writer, writer->layout.hash, (uint32_t)buckets_of(writer));
    put_word(writer, writer->layout.hash + sizeof(uint32_t), (uint32_t)writer->count + FIRST_FUNCTION);
    soname = put_string(writer, &strings, writer->soname);
    needed = put_string(writer, &strings, writer->needed);
    library = put_string(writer, &strings, writer->library);
    put_symbol(writer, 1, put_string(writer, &strings, generic), 0, 0);
    put_functions(writer, writer->layout.strings + library, &strings);
    put_dynamic(writer, soname, needed);
}

/* Names that begin with "_" are the compiler's and C++'s, but for those of the runtime that compiled code calls. */
static bool
is_interface(const char *name)
{
    return name[0] != '_' || strncmp(name, "__cuda", strlen("__cuda")) == 0;
}

static int
write_library(struct writer *writer, const char *path)
{
    int status;

    lay_out(writer);
    writer->bytes = memory_allocate_zeroed(writer->context, writer->layout.end, 1);
    if (!writer->bytes)
        return MEMMODEL_ERROR_NO_MEMORY;
    fill(writer);
    status = file_write(writer->context, path, (const char *)writer->bytes, writer->layout.end);
    memory_release(writer->context, writer->bytes);
    return status;
}

int
stand_in_write(memmodel_context *context, const struct stand_in *stand_in, const struct elf_names *names,
               const struct elf_names *written)
{
    struct writer writer = {.context = context,
                            .soname = stand_in->soname,
                            .needed = stand_in->needed,
                            .library = names->soname ? names->soname : ""};
    int status;

    writer.names = memory_allocate(context, (names->count + 1) * sizeof *writer.names);
    if (!writer.names)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < names->count; i++)
        if (is_interface(names->names[i]) && !elf_names_has(written, names->names[i]))
            writer.names[writer.count++] = names->names[i];
    status = write_library(&writer, stand_in->path);
    memory_release(context, writer.names);
    return status;
}

#else

int
stand_in_write(memmodel_context *context, const struct stand_in *stand_in, const struct elf_names *names,
               const struct elf_names *written)
{
    (void)names;
    (void)written;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, stand_in->soname,
                         "simulated GPUs are there on Linux on x86-64 only");
}

#endif
