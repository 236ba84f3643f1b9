/* fuzz_folds.c - files of folds. The first byte is the number of rows. Held to be true: every
 * repeat uses each fold; what was read, written again, reads the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "learn/folds.h"

typedef struct folds {
    heft_arena     arena;
    heft_fold_file file;
    heft_status    st;
} folds;

static folds read_folds(const char *path, size_t rows)
{
    folds      f = {.st = HEFT_OK};
    heft_error err;
    heft_ctx   ctx;
    heft_ctx_init(&ctx, &err, 1, 1, NULL);
    f.st = heft_folds_read(&ctx, path, rows, &f.arena, &f.file);
    heft_ctx_clear(&ctx);
    fuzz_error(f.st, &err);
    return f;
}

static const char *written(const folds *f, size_t rows)
{
    heft_buf buf = {0};
    for (size_t i = 0; i < rows; i++)
        for (size_t r = 0; r < f->file.n_repeats; r++)
            heft_buf_printf(&buf, r + 1 < f->file.n_repeats ? "%d," : "%d\n",
                            f->file.fold[r * rows + i]);
    const char *path = fuzz_file(1, buf.data, buf.length);
    heft_buf_clear(&buf);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const size_t rows = data[0];
    folds        a = read_folds(fuzz_file(0, data + 1, size - 1), rows);
    if (a.st == HEFT_OK) {
        fuzz_need(a.file.n_folds >= 2 && a.file.n_repeats >= 1, "%zu folds, %zu repeats",
                  a.file.n_folds, a.file.n_repeats);
        for (size_t k = 0; k < rows * a.file.n_repeats; k++)
            fuzz_need(a.file.fold[k] < a.file.n_folds, "fold %d of %zu", a.file.fold[k],
                      a.file.n_folds);
        folds b = read_folds(written(&a, rows), rows);
        fuzz_need(b.st == HEFT_OK && b.file.n_folds == a.file.n_folds &&
                      b.file.n_repeats == a.file.n_repeats,
                  "written and read");
        fuzz_need(memcmp(a.file.fold, b.file.fold, rows * a.file.n_repeats * sizeof *a.file.fold) ==
                      0,
                  "other folds");
        heft_arena_clear(&b.arena);
    }
    heft_arena_clear(&a.arena);
    return 0;
}
