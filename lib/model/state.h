/* state.h - what a model file holds, as tables: one heft_tensor per tensor. The tables drive
 * saving, loading, validation and the description in docs/formats.md.
 *
 * A heft_state describes one struct, the root: the model itself, its sufficient statistics, or the
 * private state of a method. A tensor is the concatenation of one block per record. The records are
 * the elements of an array in the root (`each`: attributes, pairs, ...), or the root alone. The
 * block is a member of the record (HEFT_VALUE) or the array that a member points to (HEFT_ARRAY).
 * Its length is the product of `dims`, and 0 where `where` does not hold; both are functions of
 * what stands earlier in the tables, so that ragged data need no lengths of their own.
 *
 * Fields are loaded in the order of the table. Each is checked as soon as it is read, so that later
 * dims, checks and hooks can rely on it. Nothing is allocated before the tensor in the file has the
 * length that is asked for. Saving makes the same checks in the same order. */
#pragma once

#include "model/safetensors.h"

typedef struct heft_at { /* the record for which a dim or a check is evaluated */
    const heft_model *model;
    const void       *root;
    size_t            r; /* index of the record; 0 if the root is the only one */
} heft_at;

typedef struct heft_dim {
    const char *name;
    size_t (*of)(const heft_at *at);
} heft_dim;

/* Defines a dim by an expression in `at`. */
#define HEFT_DIM(id, text, expr)                                                                   \
    static size_t id##_of(const heft_at *at)                                                       \
    {                                                                                              \
        (void)at;                                                                                  \
        return (size_t)(expr);                                                                     \
    }                                                                                              \
    static const heft_dim id = {text, id##_of}

/* Defines a check of one record by an expression in `at` that must hold. */
#define HEFT_MUST(id, expr, text)                                                                  \
    static const char *id(const heft_at *at)                                                       \
    {                                                                                              \
        return (expr) ? NULL : (text);                                                             \
    }

extern const heft_dim heft_dim_attrs, heft_dim_classes; /* A and K of the model */

typedef struct heft_each { /* an array of records in the root */
    const char *what;      /* a word for one record; "attribute" says that record j is attribute
                              j */
    size_t at, stride, count_at; /* offsets of the array and of its size_t length */
    bool   in_place;             /* whether the array is in the root itself, not behind a
                                    pointer */
    bool optional;               /* whether the array is made only if an optional field of it
                                    is in the file */
} heft_each;

#define HEFT_EACH(root, array, count)                                                              \
    .at = offsetof(root, array), .stride = sizeof *((root *)0)->array,                             \
    .count_at = offsetof(root, count)

typedef struct heft_loading { /* argument of hooks; they report errors by heft_file_damaged */
    heft_ctx        *ctx;
    const heft_file *file;
    heft_model      *model;
    heft_arena      *arena; /* arena of the model */
} heft_loading;

typedef heft_status heft_load_hook(const heft_loading *l, void *root);

typedef enum heft_content {
    HEFT_NUMBERS,
    HEFT_TEXTS, /* char *; NULL is saved as "" */
    HEFT_DICTS  /* heft_dict *, one per record: its texts, and NAME.sizes with several records */
} heft_content;

typedef enum heft_order {
    HEFT_UNORDERED,
    HEFT_RISING,  /* each number of a block is above the one before */
    HEFT_OFFSETS, /* numbers begin with 0 and never decrease */
    HEFT_DISTINCT /* texts: no two are equal */
} heft_order;

struct heft_state;

typedef struct heft_tensor_place { /* place of the member in its record (HEFT_VALUE, HEFT_ARRAY) */
    size_t at, size;
    bool   pointer;
} heft_tensor_place;

typedef struct heft_tensor_length { /* length that defines a number of the root (HEFT_COUNTS) */
    bool   counts;
    size_t at, least, most;
} heft_tensor_length;

typedef struct heft_tensor_absence { /* what replaces an optional tensor that is absent */
    double          fallback;        /* value of every record */
    const heft_dim *needed;          /* the tensor is not optional if this is above 0; NULL:
                                        never */
} heft_tensor_absence;

/* Real numbers that are whole multiples of a step, as whole numbers in the file: x / step, plus
 * half the range of `type`. Where the first record has step 0, and in files of older versions, they
 * are F64. */
typedef struct heft_tensor_packing {
    heft_dtype type;
    double (*step)(const heft_at *at); /* NULL: the numbers are never packed */
} heft_tensor_packing;

typedef struct heft_tensor_memory {
    bool scratch; /* whether it is loaded to scratch memory, from which a hook takes what it
                     needs */
    size_t              slack; /* number of zeros allocated after the array */
    heft_tensor_packing packed;
} heft_tensor_memory;

typedef struct heft_tensor_part { /* not a tensor: a struct in the root, or behind a pointer */
    const struct heft_state *state;
    bool                     own; /* whether the method describes it: its private state */
} heft_tensor_part;

typedef struct heft_tensor {
    const char *name; /* name of the tensor; NULL ends the table */
    heft_dtype  type; /* type in the file; integers are converted from and to the size of
                         the member */
    heft_tensor_place  member;
    const char        *help;
    heft_content       content;
    const heft_each   *each;
    const heft_dim    *where, *dims[3];
    heft_tensor_length length;
    double             lo, hi;   /* bounds of every number; both 0: any finite number */
    bool               infinite; /* -inf is allowed */
    const heft_dim    *below;    /* every number must be below this; NULL: no such limit */
    heft_order         order;
    bool               optional; /* whether it may be absent: a pointer is then NULL, or all values
                                    are `fallback` */
    heft_tensor_absence absent;
    heft_tensor_memory  memory;
    const char *(*check)(const heft_at *at); /* returns NULL, or what is wrong with one record */
    heft_load_hook *then;                    /* hook that runs after the field is loaded and
                                                valid */
    heft_tensor_part part;
} heft_tensor;

#define HEFT_VALUE(record, field)                                                                  \
    .member = {offsetof(record, field), sizeof((record *)0)->field, false}
#define HEFT_ARRAY(record, field)                                                                  \
    .member = {offsetof(record, field), sizeof *((record *)0)->field, true}
#define HEFT_COUNTS(root, field)      .length.counts = true, .length.at = offsetof(root, field)
#define HEFT_PART(root, field, which) .member.at = offsetof(root, field), .part.state = (which)

typedef struct heft_state {
    const char     *title; /* title in the documentation; private states of methods have none */
    size_t          size;  /* size of the root */
    heft_load_hook *begin; /* hook that sets what dims need and the file does not have; NULL:
                              nothing */
    const heft_tensor *fields;
    heft_load_hook    *end;      /* hook that derives what the file does not have; NULL: nothing */
    bool               optional; /* whether the pointer to the root is NULL if the file has none of
                                    its tensors */
} heft_state;

enum { HEFT_FAULT = 384 }; /* bytes of a message that names a tensor */

/* Returns NULL, or a message that says why loading would refuse the state. */
const char *heft_state_fault(const heft_state *state, const heft_model *model, const void *root,
                             char out[HEFT_FAULT]);
/* Puts the tensors of `root` into the file. Fails with ENUMERIC, naming the tensor, if loading
 * would refuse them; `label` is for that message. */
heft_status heft_state_save(heft_ctx *ctx, const heft_state *state, const heft_model *model,
                            const void *root, const char *label, heft_file *file);
/* Loads the tensors of a state. Fails with EFORMAT, naming the tensor, if the file lacks something
 * or something is out of bounds. */
heft_status heft_state_load(const heft_loading *l, const heft_state *state, void *root);
/* Whether a tensor of this name is in the tables. */
bool heft_state_knows(const heft_state *state, const heft_model *model, const char *tensor);
