/* A machine with a stack of values, as a pickle wants it, for the instructions that plain data need. */
#include "base/pickle.h"

#include <string.h>

struct machine {
    struct pickle *pickle;
    size_t next; /* offset of what is not read yet */
    struct pickle_value *stack, *memo;
    size_t *marks;
    size_t stack_count, stack_capacity, memo_count, memo_capacity, mark_count, mark_capacity;
    bool done;
};

struct instruction {
    int (*run)(struct machine *machine, const struct instruction *instruction);
    int64_t argument; /* bytes of its operand, or what it makes */
};

static int
refuse(const struct machine *machine, const char *why)
{
    return context_error(machine->pickle->context, MEMMODEL_ERROR_PARSE, machine->pickle->name, "byte %zu: %s",
                         machine->next, why);
}

/* ---- operands: little-endian ---- */

/* The next `count` bytes, or NULL. */
static const char *
take(struct machine *machine, uint64_t count)
{
    const char *bytes = machine->pickle->bytes + machine->next;

    if (count > machine->pickle->length - machine->next)
        return NULL;
    machine->next += (size_t)count;
    return bytes;
}

static uint64_t
little_endian(const char *bytes, size_t count)
{
    uint64_t number = 0;

    for (size_t i = count; i-- > 0;)
        number = number << 8 | (unsigned char)bytes[i];
    return number;
}

static int
read_count(struct machine *machine, int64_t bytes, uint64_t *count)
{
    const char *operand = take(machine, (uint64_t)bytes);

    if (!operand)
        return refuse(machine, "the pickle ends in an operand");
    *count = little_endian(operand, (size_t)bytes);
    return 0;
}

/* ---- the stack ---- */

static int
push(struct machine *machine, struct pickle_value value)
{
    int status = array_reserve(machine->pickle->context, &machine->stack, &machine->stack_capacity,
                               machine->stack_count + 1, sizeof *machine->stack);

    if (!status)
        machine->stack[machine->stack_count++] = value;
    return status;
}

static size_t
bottom(const struct machine *machine)
{
    return machine->mark_count ? machine->marks[machine->mark_count - 1] : 0;
}

/* The value on top, NULL if there is none above the last mark. */
static struct pickle_value *
top(struct machine *machine)
{
    return machine->stack_count > bottom(machine) ? &machine->stack[machine->stack_count - 1] : NULL;
}

/* Room for `more` items: the old ones stay in the arena until the end. */
static int
grow(struct machine *machine, struct pickle_list *list, size_t more)
{
    size_t capacity = list->capacity ? list->capacity : 4;
    struct pickle_value *items;

    while (capacity < list->count + more)
        capacity *= 2;
    if (capacity == list->capacity)
        return 0;
    items = arena_allocate(&machine->pickle->arena, capacity * sizeof *items);
    if (!items)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (list->count)
        memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->capacity = capacity;
    return 0;
}

/* Moves the values from `first` to the top of the stack into the list. */
static int
append_from(struct machine *machine, struct pickle_list *list, size_t first)
{
    size_t count = machine->stack_count - first;
    int status = count ? grow(machine, list, count) : 0;

    if (status || !count)
        return status;
    memcpy(list->items + list->count, machine->stack + first, count * sizeof *list->items);
    list->count += count;
    machine->stack_count = first;
    return 0;
}

static int
push_list(struct machine *machine, enum pickle_kind kind)
{
    struct pickle_value value = {.kind = kind};

    value.list = arena_allocate(&machine->pickle->arena, sizeof *value.list);
    if (!value.list)
        return MEMMODEL_ERROR_NO_MEMORY;
    *value.list = (struct pickle_list){.items = NULL};
    return push(machine, value);
}

/* ---- instructions ---- */

static int
skip(struct machine *machine, const struct instruction *instruction)
{
    uint64_t ignored;

    return read_count(machine, instruction->argument, &ignored);
}

static int
stop(struct machine *machine, const struct instruction *instruction)
{
    (void)instruction;
    if (machine->stack_count != 1 || machine->mark_count != 0)
        return refuse(machine, "the pickle does not end with one value");
    machine->done = true;
    return 0;
}

static int
mark(struct machine *machine, const struct instruction *instruction)
{
    int status = array_reserve(machine->pickle->context, &machine->marks, &machine->mark_capacity,
                               machine->mark_count + 1, sizeof *machine->marks);

    (void)instruction;
    if (!status)
        machine->marks[machine->mark_count++] = machine->stack_count;
    return status;
}

static int
empty(struct machine *machine, const struct instruction *instruction)
{
    return push_list(machine, (enum pickle_kind)instruction->argument);
}

static int
none(struct machine *machine, const struct instruction *instruction)
{
    (void)instruction;
    return push(machine, (struct pickle_value){.kind = PICKLE_NONE});
}

static int
truth(struct machine *machine, const struct instruction *instruction)
{
    return push(machine, (struct pickle_value){.kind = PICKLE_BOOL, .integer = instruction->argument});
}

static int
push_integer(struct machine *machine, int64_t number)
{
    return push(machine, (struct pickle_value){.kind = PICKLE_INTEGER, .integer = number});
}

static int
integer(struct machine *machine, const struct instruction *instruction)
{
    uint64_t number = 0;
    int status = read_count(machine, instruction->argument, &number);

    if (status)
        return status;
    return push_integer(machine, instruction->argument == 4 ? (int32_t)(uint32_t)number : (int64_t)number);
}

/* Two's complement of as many bytes as it says. */
static int
long_integer(struct machine *machine, const struct instruction *instruction)
{
    uint64_t count = 0, number = 0;
    int status = read_count(machine, instruction->argument, &count);

    if (!status && count > 9)
        return refuse(machine, "an integer does not fit in 64 bits");
    if (!status && count == 9 && machine->next + 9 <= machine->pickle->length &&
        machine->pickle->bytes[machine->next + 8] != 0)
        return refuse(machine, "an integer does not fit in 64 bits");
    if (!status)
        status = read_count(machine, (int64_t)count, &number);
    if (status)
        return status;
    if (count > 0 && count < 8 && number >> (8 * count - 1))
        number |= UINT64_MAX << (8 * count);
    return push_integer(machine, (int64_t)number); /* handles above 2^63 stay distinct as negative numbers */
}

/* IEEE 754, big-endian. */
static int
number(struct machine *machine, const struct instruction *instruction)
{
    struct pickle_value value = {.kind = PICKLE_NUMBER};
    const char *bytes = take(machine, 8);
    uint64_t bits = 0;

    (void)instruction;
    if (!bytes)
        return refuse(machine, "the pickle ends in a number");
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | (unsigned char)bytes[i];
    memcpy(&value.number, &bits, sizeof bits);
    return push(machine, value);
}

static int
text(struct machine *machine, const struct instruction *instruction)
{
    struct pickle_value value = {.kind = PICKLE_TEXT};
    uint64_t length = 0;
    int status = read_count(machine, instruction->argument, &length);

    if (status)
        return status;
    if (length > UINT32_MAX)
        return refuse(machine, "a text is too long");
    value.length = (uint32_t)length;
    value.text = take(machine, length);
    return value.text ? push(machine, value) : refuse(machine, "the pickle ends in a text");
}

/* ---- into lists and dictionaries ---- */

static int
expect_list(struct machine *machine, struct pickle_value *value, enum pickle_kind kind)
{
    if (value && value->kind == kind)
        return 0;
    return refuse(machine, "there is no list or dictionary to add to");
}

static int
append_one(struct machine *machine, const struct instruction *instruction)
{
    size_t items = instruction->argument == PICKLE_DICT ? 2 : 1, first;
    int status;

    if (machine->stack_count < bottom(machine) + items + 1)
        return refuse(machine, "there is nothing to add");
    first = machine->stack_count - items;
    status = expect_list(machine, &machine->stack[first - 1], (enum pickle_kind)instruction->argument);
    return status ? status : append_from(machine, machine->stack[first - 1].list, first);
}

static int
pop_mark(struct machine *machine, size_t *first)
{
    if (machine->mark_count == 0)
        return refuse(machine, "there is no mark");
    *first = machine->marks[--machine->mark_count];
    return 0;
}

static int
append_many(struct machine *machine, const struct instruction *instruction)
{
    size_t first = 0;
    int status = pop_mark(machine, &first);

    if (status)
        return status;
    if (instruction->argument == PICKLE_DICT && (machine->stack_count - first) % 2 != 0)
        return refuse(machine, "a key has no value");
    status = expect_list(machine, first > bottom(machine) ? &machine->stack[first - 1] : NULL,
                         (enum pickle_kind)instruction->argument);
    return status ? status : append_from(machine, machine->stack[first - 1].list, first);
}

/* A tuple is a list here. */
static int
tuple_from(struct machine *machine, size_t first)
{
    struct pickle_value made;
    int status = push_list(machine, PICKLE_LIST);

    if (status)
        return status;
    made = machine->stack[--machine->stack_count];
    status = append_from(machine, made.list, first);
    return status ? status : push(machine, made);
}

static int
tuple(struct machine *machine, const struct instruction *instruction)
{
    size_t first = 0;
    int status = pop_mark(machine, &first);

    (void)instruction;
    return status ? status : tuple_from(machine, first);
}

static int
short_tuple(struct machine *machine, const struct instruction *instruction)
{
    size_t count = (size_t)instruction->argument;

    if (machine->stack_count < bottom(machine) + count)
        return refuse(machine, "there is too little for a tuple");
    return tuple_from(machine, machine->stack_count - count);
}

/* ---- what is used again ---- */

static int
remember(struct machine *machine, uint64_t place)
{
    const struct pickle_value *value = top(machine);
    size_t count = machine->memo_count;
    int status;

    if (!value)
        return refuse(machine, "there is nothing to remember");
    if (place >= machine->pickle->length)
        return refuse(machine, "a place to remember at is beyond any use");
    if (place >= count) {
        status = array_reserve(machine->pickle->context, &machine->memo, &machine->memo_capacity, (size_t)place + 1,
                               sizeof *machine->memo);
        if (status)
            return status;
        memset(machine->memo + count, 0, ((size_t)place + 1 - count) * sizeof *machine->memo);
        machine->memo_count = (size_t)place + 1;
    }
    machine->memo[place] = *value;
    return 0;
}

static int
memoize(struct machine *machine, const struct instruction *instruction)
{
    (void)instruction;
    return remember(machine, machine->memo_count);
}

static int
put(struct machine *machine, const struct instruction *instruction)
{
    uint64_t place = 0;
    int status = read_count(machine, instruction->argument, &place);

    return status ? status : remember(machine, place);
}

static int
get(struct machine *machine, const struct instruction *instruction)
{
    uint64_t place = 0;
    int status = read_count(machine, instruction->argument, &place);

    if (status)
        return status;
    if (place >= machine->memo_count)
        return refuse(machine, "nothing is remembered there");
    return push(machine, machine->memo[place]);
}

/* ---- the machine ---- */

static const struct instruction instructions[256] = {
    ['.'] = {stop, 0},
    ['('] = {mark, 0},
    ['}'] = {empty, PICKLE_DICT},
    [']'] = {empty, PICKLE_LIST},
    [')'] = {empty, PICKLE_LIST},
    ['N'] = {none, 0},
    ['K'] = {integer, 1},
    ['M'] = {integer, 2},
    ['J'] = {integer, 4},
    ['G'] = {number, 0},
    ['U'] = {text, 1},
    ['X'] = {text, 4},
    ['a'] = {append_one, PICKLE_LIST},
    ['e'] = {append_many, PICKLE_LIST},
    ['s'] = {append_one, PICKLE_DICT},
    ['u'] = {append_many, PICKLE_DICT},
    ['t'] = {tuple, 0},
    ['q'] = {put, 1},
    ['r'] = {put, 4},
    ['h'] = {get, 1},
    ['j'] = {get, 4},
    [0x80] = {skip, 1}, /* PROTO */
    [0x85] = {short_tuple, 1},
    [0x86] = {short_tuple, 2},
    [0x87] = {short_tuple, 3},
    [0x88] = {truth, 1},
    [0x89] = {truth, 0},
    [0x8a] = {long_integer, 1},
    [0x8c] = {text, 1},
    [0x8d] = {text, 8},
    [0x94] = {memoize, 0},
    [0x95] = {skip, 8}, /* FRAME */
};

static int
step(struct machine *machine)
{
    const struct instruction *instruction;
    const char *code = take(machine, 1);

    if (!code)
        return refuse(machine, "the pickle has no end");
    instruction = &instructions[(unsigned char)*code];
    if (instruction->run)
        return instruction->run(machine, instruction);
    return context_error(machine->pickle->context, MEMMODEL_ERROR_PARSE, machine->pickle->name,
                         "byte %zu: instruction 0x%02x is none of plain data", machine->next - 1,
                         (unsigned)(unsigned char)*code);
}

int
pickle_parse(struct pickle *pickle, memmodel_context *context, const char *name, const char *bytes, size_t length)
{
    struct machine machine = {.pickle = pickle};
    int status = 0;

    *pickle = (struct pickle){.context = context, .name = name, .bytes = bytes, .length = length};
    pickle->arena = ARENA_INIT(context);
    while (!status && !machine.done) {
        status = context_check(context, 1);
        if (!status)
            status = step(&machine);
    }
    if (!status)
        pickle->root = machine.stack[0];
    else
        pickle_release(pickle);
    memory_release(context, machine.stack);
    memory_release(context, machine.memo);
    memory_release(context, machine.marks);
    return status;
}

void
pickle_release(struct pickle *pickle)
{
    arena_release(&pickle->arena);
}

/* ---- what was read ---- */

bool
pickle_is_text(const struct pickle_value *value, const char *text)
{
    return value && value->kind == PICKLE_TEXT && value->length == strlen(text) &&
           memcmp(value->text, text, value->length) == 0;
}

const struct pickle_value *
pickle_get(const struct pickle_value *dict, const char *key)
{
    if (!dict || dict->kind != PICKLE_DICT)
        return NULL;
    for (size_t i = 0; i + 1 < dict->list->count; i += 2)
        if (pickle_is_text(&dict->list->items[i], key))
            return &dict->list->items[i + 1];
    return NULL;
}

const struct pickle_list *
pickle_get_list(const struct pickle_value *dict, const char *key)
{
    const struct pickle_value *value = pickle_get(dict, key);

    return value && value->kind == PICKLE_LIST ? value->list : NULL;
}

int64_t
pickle_get_integer(const struct pickle_value *dict, const char *key, int64_t otherwise)
{
    const struct pickle_value *value = pickle_get(dict, key);

    return value && value->kind == PICKLE_INTEGER ? value->integer : otherwise;
}
