/*
 * The dynamic symbols of a shared library: System V ABI, chapter 5, and its supplement for the hash of GNU systems. The
 * file is mapped, since some are of half a gigabyte, and nothing in it is believed before it was compared with its size.
 */
#include "device/elf_names.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

struct image {
    const unsigned char *bytes;
    size_t size;
};

/* What the dynamic section says; file offsets. */
struct dynamic {
    uint64_t symbols, strings, string_bytes, gnu_hash, hash, soname;
};

/* Part of the file, or NULL if it does not lie within. */
static const void *
part(const struct image *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->size && bytes <= image->size - offset ? image->bytes + (size_t)offset : NULL;
}

static const Elf64_Ehdr *
header_of(const struct image *image)
{
    const Elf64_Ehdr *header = part(image, 0, sizeof *header);

    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_type != ET_DYN || header->e_machine != MACHINE || header->e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    return header;
}

static const Elf64_Phdr *
segments_of(const struct image *image, size_t *count)
{
    const Elf64_Ehdr *header = header_of(image);

    *count = header ? header->e_phnum : 0;
    return header ? part(image, header->e_phoff, *count * sizeof(Elf64_Phdr)) : NULL;
}

/* Where in the file an address of the loaded library is; the file's size if nowhere. */
static uint64_t
offset_of(const struct image *image, uint64_t address)
{
    size_t count;
    const Elf64_Phdr *segments = segments_of(image, &count);

    for (size_t i = 0; segments && i < count; i++)
        if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
            address - segments[i].p_vaddr < segments[i].p_filesz)
            return segments[i].p_offset + (address - segments[i].p_vaddr);
    return image->size;
}

static void
note_entry(const struct image *image, const Elf64_Dyn *entry, struct dynamic *dynamic)
{
    switch (entry->d_tag) {
    case DT_SYMTAB:
        dynamic->symbols = offset_of(image, entry->d_un.d_ptr);
        break;
    case DT_STRTAB:
        dynamic->strings = offset_of(image, entry->d_un.d_ptr);
        break;
    case DT_STRSZ:
        dynamic->string_bytes = entry->d_un.d_val;
        break;
    case DT_GNU_HASH:
        dynamic->gnu_hash = offset_of(image, entry->d_un.d_ptr);
        break;
    case DT_HASH:
        dynamic->hash = offset_of(image, entry->d_un.d_ptr);
        break;
    case DT_SONAME:
        dynamic->soname = entry->d_un.d_val;
        break;
    default:
        break;
    }
}

static bool
read_dynamic(const struct image *image, struct dynamic *dynamic)
{
    size_t count;
    const Elf64_Phdr *segments = segments_of(image, &count);

    for (size_t i = 0; segments && i < count; i++) {
        uint64_t entries = segments[i].p_filesz / sizeof(Elf64_Dyn);
        const Elf64_Dyn *list =
            segments[i].p_type == PT_DYNAMIC ? part(image, segments[i].p_offset, entries * sizeof *list) : NULL;

        for (uint64_t k = 0; list && k < entries && list[k].d_tag != DT_NULL; k++)
            note_entry(image, &list[k], dynamic);
    }
    return dynamic->symbols > 0 && part(image, dynamic->strings, dynamic->string_bytes) != NULL;
}

static uint32_t
word(const struct image *image, uint64_t offset)
{
    const void *found = part(image, offset, sizeof(uint32_t));
    uint32_t value = 0;

    if (found)
        memcpy(&value, found, sizeof value);
    return value;
}

/* One more than the last symbol's number, from the hash of GNU systems: buckets of first numbers, chains up to an odd one. */
static uint64_t
count_by_gnu_hash(const struct image *image, uint64_t at)
{
    enum { HEADER = 16, BLOOM_WORD = 8, WORD = 4 };
    uint64_t buckets = word(image, at), first = word(image, at + WORD), bloom = word(image, at + 2 * WORD);
    uint64_t lists = at + HEADER + bloom * BLOOM_WORD, chains = lists + buckets * WORD, last = 0;

    if (bloom > image->size || buckets > image->size || !part(image, lists, buckets * WORD))
        return 0;
    for (uint64_t i = 0; i < buckets; i++)
        if (word(image, lists + i * WORD) > last)
            last = word(image, lists + i * WORD);
    if (last < first)
        return first;
    while (part(image, chains + (last - first) * WORD, WORD) && !(word(image, chains + (last - first) * WORD) & 1))
        last++;
    return last + 1;
}

static uint64_t
count_symbols(const struct image *image, const struct dynamic *dynamic)
{
    enum { CHAINS = 4 }; /* where a System V hash has the number of symbols */

    return dynamic->gnu_hash > 0 ? count_by_gnu_hash(image, dynamic->gnu_hash)
           : dynamic->hash > 0   ? word(image, dynamic->hash + CHAINS)
                                 : 0;
}

/* The text at that place of the strings; NULL if it does not end within. */
static const char *
string_at(const struct image *image, const struct dynamic *dynamic, uint64_t place)
{
    const char *strings = part(image, dynamic->strings, dynamic->string_bytes);

    if (!strings || place >= dynamic->string_bytes ||
        !memchr(strings + place, 0, (size_t)(dynamic->string_bytes - place)))
        return NULL;
    return strings + place;
}

int
elf_names_add(struct elf_names *names, const char *name)
{
    if (array_reserve(names->context, &names->names, &names->capacity, names->count + 1, sizeof *names->names))
        return MEMMODEL_ERROR_NO_MEMORY;
    names->names[names->count] = memory_copy_text(names->context, name);
    if (!names->names[names->count])
        return MEMMODEL_ERROR_NO_MEMORY;
    names->count++;
    return 0;
}

static bool
is_exported(const Elf64_Sym *symbol)
{
    int type = ELF64_ST_TYPE(symbol->st_info);

    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
           (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE || type == STT_GNU_IFUNC);
}

static int
collect(struct elf_names *names, const struct image *image, const struct dynamic *dynamic)
{
    uint64_t count = count_symbols(image, dynamic);
    const Elf64_Sym *symbols = count <= image->size ? part(image, dynamic->symbols, count * sizeof *symbols) : NULL;
    const char *soname = dynamic->soname ? string_at(image, dynamic, dynamic->soname) : "";
    int status = 0;

    if (!symbols || !soname)
        return MEMMODEL_ERROR_PARSE;
    names->soname = memory_copy_text(names->context, soname);
    for (uint64_t i = 0; names->soname && i < count && status == 0; i++) {
        const char *name = is_exported(&symbols[i]) ? string_at(image, dynamic, symbols[i].st_name) : NULL;

        if (name && *name)
            status = elf_names_add(names, name);
    }
    return names->soname ? status : MEMMODEL_ERROR_NO_MEMORY;
}

static int
read_image(struct elf_names *names, const struct image *image, const char *path)
{
    struct dynamic dynamic = {0};
    int status = read_dynamic(image, &dynamic) ? collect(names, image, &dynamic) : MEMMODEL_ERROR_PARSE;

    if (status == MEMMODEL_ERROR_PARSE)
        return context_error(names->context, status, path, "not a shared library of this machine");
    return status;
}

int
elf_names_read(struct elf_names *names, const char *path)
{
    struct image image = {0};
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    void *bytes = MAP_FAILED;
    int status;

    if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0)
        bytes = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
        status = context_error(names->context, MEMMODEL_ERROR_IO, path, "cannot read: %s", strerror(errno));
    } else {
        image = (struct image){bytes, (size_t)found.st_size};
        status = read_image(names, &image, path);
        munmap(bytes, image.size);
    }
    if (file >= 0)
        close(file);
    return status;
}

bool
elf_names_has(const struct elf_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0)
            return true;
    return false;
}

void
elf_names_release(struct elf_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        memory_release(names->context, names->names[i]);
    memory_release(names->context, names->names);
    memory_release(names->context, names->soname);
    *names = ELF_NAMES_INIT(names->context);
}
