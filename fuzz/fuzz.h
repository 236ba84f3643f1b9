/* fuzz.h - what the fuzz targets share: a target is LLVMFuzzerTestOneInput; a wrong answer, not
 * only a crash, ends the process with a sentence. Bytes become files that need no disk. */
#ifndef HEFT_FUZZ_H
#define HEFT_FUZZ_H

#include <stdint.h>

#include "data/table.h"
#include "heft_evaluate.h"
#include "heft_inspect.h"
#include "heft_memory.h"
#include "heft_methods.h"
#include "heft_stream.h"

int    LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Says what does not hold, and aborts. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void fuzz_need(bool holds, const char *format, ...);

/* A status and its sentence fit: none when all is well, else one printable line. */
void fuzz_error(heft_status st, const heft_error *err);

/* Places 0 to 3 each name one file in memory; putting bytes makes it anew. The path stays valid. */
enum { FUZZ_FILES = 4 };
const char *fuzz_file(int place, const void *bytes, size_t size);

/* As `what` if they are equal in every name, value, cell and weight; the tables' own names aside.
 */
void fuzz_same_table(const heft_table *a, const heft_table *b, const char *what);
/* As above, but values are compared as text: codes and unused values may differ. */
void fuzz_same_cells(const heft_table *a, const heft_table *b, const char *what);
/* Whether the rows of `block` are those of `whole` from row `from` on. */
void fuzz_same_block(const heft_table *whole, const heft_table *block, size_t from);
/* Finite, not negative, every row sums to 1. */
void fuzz_distributions(const double *p, size_t n_rows, size_t n_class);
void fuzz_json(const char *text, const char *what); /* valid JSON */

/* The bytes in lines: fuzz_line copies the next one, without its end, cut at size - 1 and at a NUL;
 * false when there is none. */
typedef struct fuzz_text {
    const char *at, *end;
} fuzz_text;
bool fuzz_line(fuzz_text *text, char *out, size_t size);

#endif
