/* reading.c - what the tests of readers and writers share. */
#include "reading.h"

heft_ctx ctx;
char     said[4096];

static void listen(void *user, heft_level level, const char *text)
{
    (void)user;
    const size_t n = strlen(said);
    if (level == HEFT_WARNING) snprintf(said + n, sizeof said - n, "%s\n", text);
}

const heft_host listener = {.log = listen};

int open_reading(void **state)
{
    said[0] = 0;
    heft_ctx_init(&ctx, &err, 1, 1, &listener);
    return open_folder(state);
}

int close_reading(void **state)
{
    heft_ctx_clear(&ctx);
    heft_chunk_bytes = (size_t)1 << 20;
    return close_folder(state);
}

const char *put_bytes(const char *name, const char *data, size_t n)
{
    return write_bytes(in_folder(name), data, n);
}

const char *put_text(const char *name, const char *text)
{
    return write_text(in_folder(name), text);
}

heft_table *read_as(const char *path, const heft_source *how, const heft_expect *expect)
{
    heft_table       *table = NULL;
    const heft_status st = heft_read_table(&ctx, path, how, expect, &table);
    if (st != HEFT_OK) fail_msg("%s", err.text);
    if (heft_table_check(&ctx, table) != HEFT_OK) fail_msg("%s", err.text);
    return table;
}

heft_table *read_text(const char *name, const char *text, const heft_source *how)
{
    return read_as(put_text(name, text), how, NULL);
}

void assert_refused(const char *name, const char *bytes, size_t n, const heft_source *how,
                    heft_status code, const char *part)
{
    heft_table       *table = NULL;
    const heft_status st = heft_read_table(&ctx, put_bytes(name, bytes, n), how, NULL, &table);
    assert_null(table);
    if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
    assert_int_equal(st, code);
    assert_null(strchr(err.text, '\n'));
}

void refuse_text(const char *name, const char *text, const heft_source *how, heft_status code,
                 const char *part)
{
    assert_refused(name, text, strlen(text), how, code, part);
}

double number_at(const heft_table *t, size_t i, size_t j)
{
    assert_int_equal(t->cols[j].kind, HEFT_NUMERIC);
    return ((const double *)t->cols[j].cells)[i];
}

static const char *text_of(const heft_column *col, size_t i)
{
    assert_int_equal(col->kind, HEFT_NOMINAL);
    const uint32_t code = heft_code_at(col->cells, col->width, i);
    return code < heft_dict_size(col->dict) ? heft_dict_text(col->dict, code) : "<missing>";
}

const char *value_at(const heft_table *t, size_t i, size_t j)
{
    return text_of(&t->cols[j], i);
}

const char *class_at(const heft_table *t, size_t i)
{
    return text_of(t->target, i);
}

void assert_same_column(const heft_column *a, const heft_column *b, size_t n)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->n_missing, b->n_missing);
    assert_true(heft_dict_equal(a->dict, b->dict));
    if (!a->cells || !b->cells) {
        assert_ptr_equal(a->cells, b->cells);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (a->kind == HEFT_NUMERIC) {
            const double x = ((const double *)a->cells)[i], y = ((const double *)b->cells)[i];
            assert_true(x == y || (isnan(x) && isnan(y)));
        } else {
            assert_int_equal(heft_code_at(a->cells, a->width, i),
                             heft_code_at(b->cells, b->width, i));
        }
    }
}

void assert_same_table(const heft_table *a, const heft_table *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_cols, b->n_cols);
    for (size_t j = 0; j < a->n_cols; j++) assert_same_column(&a->cols[j], &b->cols[j], a->n_rows);
    assert_int_equal(!a->target, !b->target);
    if (a->target) assert_same_column(a->target, b->target, a->n_rows);
    assert_int_equal(!a->weight, !b->weight);
    for (size_t i = 0; a->weight && i < a->n_rows; i++) assert_true(a->weight[i] == b->weight[i]);
    assert_int_equal(!a->sparse, !b->sparse);
    for (size_t i = 0; a->sparse && i <= a->n_rows; i++)
        assert_int_equal(a->sparse->start[i], b->sparse->start[i]);
    for (size_t k = 0; a->sparse && k < a->sparse->start[a->n_rows]; k++) {
        const double x = a->sparse->val[k], y = b->sparse->val[k];
        assert_int_equal(a->sparse->col[k], b->sparse->col[k]);
        assert_true(x == y || (isnan(x) && isnan(y)));
    }
}

void assert_cut_does_not_matter(const char *path, const heft_source *how)
{
    static const size_t sizes[] = {1, 2, 3, 7, 16, 61, 200, 1000};
    static char         first[sizeof said];
    said[0] = 0;
    heft_table *whole = read_as(path, how, NULL);
    strcpy(first, said);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int threads = 1; threads <= 4; threads += 3) {
            heft_chunk_bytes = sizes[k];
            ctx.threads = threads;
            said[0] = 0;
            heft_table *part = read_as(path, how, NULL);
            assert_same_table(whole, part);
            assert_string_equal(first, said);
            heft_table_free(part);
        }
    heft_chunk_bytes = (size_t)1 << 20;
    ctx.threads = 1;
    heft_table_free(whole);
}

void assert_refusal_does_not_move(const char *path, const heft_source *how)
{
    static const size_t sizes[] = {1, 5, 16, 100, (size_t)1 << 20};
    char                first[sizeof err.text] = "";
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int threads = 1; threads <= 4; threads += 3) {
            heft_table *table;
            heft_chunk_bytes = sizes[k];
            ctx.threads = threads;
            assert_int_not_equal(heft_read_table(&ctx, path, how, NULL, &table), HEFT_OK);
            if (!*first) strcpy(first, err.text);
            assert_string_equal(first, err.text);
        }
    heft_chunk_bytes = (size_t)1 << 20;
    ctx.threads = 1;
}

void assert_survives_no_memory(const char *path, const heft_source *how)
{
    for (size_t n = 1;; n++) {
        heft_table *table = NULL;
        heft_ctx_clear(&ctx);
        heft_fail_alloc_at(n, false);
        const heft_status st = heft_read_table(&ctx, path, how, NULL, &table);
        heft_fail_alloc_at(0, false);
        if (st == HEFT_OK) {
            assert_true(n > 10);
            heft_table_free(table);
            return;
        }
        assert_int_equal(st, HEFT_ENOMEM);
        assert_null(table);
    }
}

void assert_survives_damage(const char *name, const char *good, int rounds, uint64_t seed)
{
    static const char alphabet[] = "\"',;:{}?%@\\\n\r\t .-+0123456789eEabNA#|\xff\x01";
    char              text[1024];
    uint64_t          s = seed * 0x9e3779b97f4a7c15u + 1;
    for (int round = 0; round < rounds; round++) {
        size_t n = strlen(good);
        assert_true(n + 16 < sizeof text);
        memcpy(text, good, n);
        for (uint64_t edits = 1 + (s >> 60) % 6; edits; edits--) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            const size_t at = (size_t)(s >> 33) % n;
            const char   c = alphabet[(s >> 20) % (sizeof alphabet - 1)];
            switch ((s >> 8) % 4) {
            case 0:
                text[at] = c;
                break;
            case 1:
                memmove(text + at + 1, text + at, n - at);
                text[at] = c;
                n++;
                break;
            case 2:
                if (n > 1) memmove(text + at, text + at + 1, --n - at);
                break;
            default:
                if (at > 4) n = at;
            }
        }
        size_t digits = 0, most = 0; /* no index of a billion: that is a test of the machine */
        for (size_t i = 0; i < n; i++) {
            digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
            if (digits > most) most = digits;
        }
        if (most > 5) continue;
        heft_table *table = NULL;
        heft_chunk_bytes = round % 2 ? 16 : (size_t)1 << 20;
        const heft_status st = heft_read_table(&ctx, put_bytes(name, text, n), NULL, NULL, &table);
        if (st == HEFT_OK) {
            if (heft_table_check(&ctx, table) != HEFT_OK) fail_msg("%s", err.text);
            assert_true(table->n_rows > 0);
        } else {
            assert_null(table);
            assert_true(strlen(err.text) > 10);
        }
        heft_table_free(table);
        said[0] = 0;
    }
}
