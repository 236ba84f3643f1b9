/* arrow_damage_test.c - damaged arrays, streams that fail and options that do not fit are refused
 * with a clear sentence, and nothing is released that is not ours. */
#include "arrowed.h"

typedef void damage_fn(struct ArrowSchema *schema, struct ArrowArray *batch);

/* Refused with these words; the batch stays the caller's. */
static void refuse(damage_fn *damage, heft_status code, const char *part)
{
    struct ArrowSchema schema = schema_of(every, COLUMNS);
    struct ArrowArray batch = batch_of(every, COLUMNS, 0, ROWS, (shape){2, 1, false}), good = batch;
    heft_table       *t = NULL;
    damage(&schema, &batch);
    const heft_status st = heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err);
    assert_null(t);
    if (st != code || !strstr(err.text, part))
        fail_msg("status %d '%s' in place of %d '%s'", st, err.text, code, part);
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(n_released + 1, n_made);
    good.release(&good);
}

#define CHILD(name) batch->children[place(#name)]
static size_t place(const char *name)
{
    for (size_t j = 0; j < COLUMNS; j++)
        if (strcmp(every[j].name, name) == 0) return j;
    fail();
    return 0;
}

/* Each kind of damage is undone by nobody: what it changes must not be what is freed. */
#define DAMAGE(name, change)                                                                       \
    static void name(struct ArrowSchema *schema, struct ArrowArray *batch)                         \
    {                                                                                              \
        (void)schema, (void)batch;                                                                 \
        change;                                                                                    \
    }
DAMAGE(released, batch->release = NULL)
DAMAGE(negative_length, batch->length = -1)
DAMAGE(huge_offset, batch->offset = INT64_MAX)
DAMAGE(fewer_columns, batch->n_children--)
DAMAGE(no_columns, batch->children = NULL)
DAMAGE(no_buffers, batch->n_buffers = 0)
DAMAGE(long_batch, batch->length++)
DAMAGE(schema_released, schema->release = NULL)
DAMAGE(not_a_struct, schema->format = "l")
DAMAGE(no_format, children[3].format = NULL)
DAMAGE(bad_name, children[3].name = "\xff")
DAMAGE(twice, children[3].name = "i8")
DAMAGE(dates, children[3].format = "tdD")
DAMAGE(nested, children[3].format = "+l")
DAMAGE(run_ends, children[3].format = "+r")
DAMAGE(bytes, children[3].format = "z")
DAMAGE(long_decimal, children[3].format = "d:76,2,256")
DAMAGE(dated_dictionary, dictionaries[place("words")].format = "tdD")
DAMAGE(short_index, children[place("words")].format = "g")
DAMAGE(index_beyond, ((int8_t *)CHILD(words)->buffers[1])[3] = 3)
DAMAGE(index_below, ((int8_t *)CHILD(words)->buffers[1])[3] = -1)
DAMAGE(offset_decreases, ((int32_t *)CHILD(text)->buffers[1])[4] = 1000)
DAMAGE(offset_below, ((int32_t *)CHILD(text)->buffers[1])[3] = -1)
DAMAGE(not_utf8, ((char *)CHILD(text)->buffers[2])[0] = (char)0xff)
DAMAGE(zero_byte, ((char *)CHILD(large)->buffers[2])[1] = 0)
DAMAGE(view_length, ((int32_t *)CHILD(view)->buffers[1])[4 * 3] = -1)
DAMAGE(view_buffer, ((int32_t *)CHILD(view)->buffers[1])[4 * 5 + 2] = 2)
DAMAGE(view_end, ((int32_t *)CHILD(view)->buffers[1])[4 * 5 + 3] = 30)
DAMAGE(infinite, ((double *)CHILD(full)->buffers[1])[5] = INFINITY)

static unsigned char bits[8];
static void          null_row(struct ArrowSchema *schema, struct ArrowArray *batch)
{
    static const void *buffers[1] = {bits};
    (void)schema;
    bits[0] = 0xfb; /* the second row, behind one that is not there */
    batch->buffers = buffers;
    batch->null_count = 1;
}

static void damaged_arrays_are_refused(void **state)
{
    (void)state;
    static const struct {
        damage_fn  *damage;
        heft_status code;
        const char *part;
    } all[] = {
        {released, HEFT_EFORMAT, "it was released before"},
        {negative_length, HEFT_EFORMAT, "its length or offset is out of range"},
        {huge_offset, HEFT_EFORMAT, "its length or offset is out of range"},
        {fewer_columns, HEFT_EFORMAT, "its number of columns is not that of the schema"},
        {no_columns, HEFT_EFORMAT, "it has no columns"},
        {no_buffers, HEFT_EFORMAT, "a record batch has one buffer"},
        {long_batch, HEFT_EFORMAT, "a column is shorter than the batch"},
        {null_row, HEFT_EFORMAT, "row 2 of a record batch is null as a whole"},
        {schema_released, HEFT_EINVAL, "the schema was released"},
        {not_a_struct, HEFT_EINVAL, "type 'l', not a struct of columns (pass a table"},
        {no_format, HEFT_EINVAL, "the schema of column 4 is damaged"},
        {bad_name, HEFT_EINVAL, "the schema of column 4 is damaged, or its name is not UTF-8"},
        {twice, HEFT_EFORMAT, "columns 1 and 4 are both named 'i8'"},
        {dates, HEFT_EUNSUPPORTED,
         "column 'u16' holds dates or times: the Arrow type 'tdD' is neither numbers nor text "
         "(make "
         "them numbers: cast the column to int64, or leave it out)"},
        {nested, HEFT_EUNSUPPORTED, "column 'u16' is nested"},
        {run_ends, HEFT_EUNSUPPORTED, "column 'u16' is run-end encoded"},
        {bytes, HEFT_EUNSUPPORTED, "column 'u16' holds bytes"},
        {long_decimal, HEFT_EUNSUPPORTED, "column 'u16' holds long decimals"},
        {dated_dictionary, HEFT_EUNSUPPORTED, "column 'words' holds dates or times"},
        {short_index, HEFT_EUNSUPPORTED, "column 'words' has a type"},
        {index_beyond, HEFT_EFORMAT, "column 'words': element 2 of the Arrow array is no index"},
        {index_below, HEFT_EFORMAT, "column 'words': element 2 of the Arrow array is no index"},
        {offset_decreases, HEFT_EFORMAT, "column 'text': element 3 of the Arrow array has offsets"},
        {offset_below, HEFT_EFORMAT, "column 'text': element 2 of the Arrow array has offsets"},
        {not_utf8, HEFT_EFORMAT, "column 'text': element 2 of the Arrow array is not UTF-8"},
        {zero_byte, HEFT_EFORMAT, "has a byte of value zero in it"},
        {view_length, HEFT_EFORMAT, "column 'view': element 2 of the Arrow array has a negative"},
        {view_buffer, HEFT_EFORMAT,
         "column 'view': element 4 of the Arrow array points to no buffer"},
        {view_end, HEFT_EFORMAT, "column 'view': element 4 of the Arrow array ends behind"},
        {infinite, HEFT_EINVAL, "column 'full', row 3: not a finite number"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        refuse(all[k].damage, all[k].code, all[k].part);
}

/* A child is damaged in place, and mended before it is freed. */
static void damaged_columns_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        struct ArrowSchema schema = schema_of(every, COLUMNS);
        struct ArrowArray  batch = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
        const size_t       j = place(k < 3 ? "f64" : k < 5 ? "words" : "view");
        struct ArrowArray *child = batch.children[j], good = *child, inner;
        const void        *buffers[5] = {0};
        heft_table        *t = NULL;
        if (good.dictionary) inner = *good.dictionary;
        memcpy(buffers, good.buffers, (size_t)good.n_buffers * sizeof *buffers);
        if (k == 0) child->n_buffers = 3;
        if (k == 1) child->buffers[0] = NULL; /* but there are nulls */
        if (k == 2) child->buffers[1] = NULL;
        if (k == 3) child->dictionary = NULL;
        if (k == 4) good.dictionary->length = -3;
        if (k == 5) child->n_buffers = 2;
        if (k == 6) child->buffers[4] = NULL;
        const heft_status st = heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err);
        memcpy(good.buffers, buffers, (size_t)good.n_buffers * sizeof *buffers);
        *child = good;
        if (good.dictionary) *good.dictionary = inner;
        assert_int_equal(st, HEFT_EFORMAT);
        assert_non_null(strstr(err.text, "the Arrow array is damaged"));
        assert_non_null(strstr(err.text, every[j].name));
        assert_null(t);
        batch.release(&batch);
    }
}

/* A column that is left out may be anything; other errors are those of a file. */
static void options_are_checked(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(small, 3);
    struct ArrowArray  batch = batch_of(small, 3, 0, ROWS, (shape){0});
    heft_table        *t = NULL;
    static const struct {
        heft_source how;
        const char *part;
    } all[] = {
        {{.target = "klass"},
         "heft_source.target: there is no column 'klass' (did you mean 'class'?)"},
        {{.weight = "nulls"}, "Arrow data:4: column 'nulls': '' is not a weight"},
        {{.numeric = "class", .target = "x"}, "Arrow data:1: column 'class': 'a' is not a number"},
        {{.positive = "c"}, "heft_source.positive: there is no class 'c'"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        assert_true(heft_table_from_arrow(&schema, &batch, 1, &all[k].how, &t, &err) != HEFT_OK);
        if (!strstr(err.text, all[k].part)) fail_msg("%s", err.text);
    }
    children[1].format = "+l";
    OK(heft_table_from_arrow(&schema, &batch, 1, &(heft_source){.drop = "nulls"}, &t, &err));
    assert_int_equal(heft_table_attributes(t), 1);
    heft_table_free(t);
    assert_int_equal(heft_table_from_arrow(NULL, &batch, 1, NULL, &t, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_from_arrow(&schema, NULL, 1, NULL, &t, &err), HEFT_EINVAL);
    assert_int_equal(heft_table_from_arrow_stream(NULL, NULL, &t, &err), HEFT_EINVAL);
}

static void streams_may_fail(void **state)
{
    (void)state;
    for (size_t at = 0; at < 5; at++) {
        feed f = {.schema = schema_of(small, 3), .n = 3, .fail_at = at == 4 ? 100 : at + 1};
        for (size_t k = 0; k < 3; k++)
            f.batches[k] = batch_of(small, 3, 2 * k, 2 * k + 2, (shape){0});
        struct ArrowArrayStream s = stream_of(&f);
        heft_table             *t = NULL;
        assert_int_equal(heft_table_from_arrow_stream(&s, NULL, &t, &err), HEFT_EIO);
        assert_string_equal(err.text, "the Arrow stream failed: the server is gone");
        assert_null(t);
        assert_int_equal(f.n_released, 0);
        s.release(&s); /* the caller's to do; the batches it still has go with it */
        assert_int_equal(heft_table_from_arrow_stream(&s, NULL, &t, &err), HEFT_EINVAL);
        assert_int_equal(n_released, n_made);
    }
}

/* Whichever allocation fails: ENOMEM, the caller has what it had, and nothing leaks. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    const heft_source how = {.nominal = kinds, .run = RUN(.threads = 1)};
    for (int way = 0; way < 3; way++)
        for (size_t n = 1;; n++) {
            feed f = {.schema = schema_of(every, COLUMNS), .n = way ? 2 : 1};
            f.batches[0] = batch_of(every, COLUMNS, 0, way ? 3 : ROWS, (shape){0});
            if (way) f.batches[1] = batch_of(every, COLUMNS, 3, ROWS, (shape){1, 2, true});
            struct ArrowArrayStream s = stream_of(&f);
            heft_table             *t = NULL;
            heft_fail_alloc_at(n, false);
            const heft_status st =
                way == 2 ? heft_table_from_arrow_stream(&s, &how, &t, &err)
                         : heft_table_from_arrow(&f.schema, f.batches, f.n, &how, &t, &err);
            heft_fail_alloc_at(0, false);
            if (st == HEFT_OK) {
                assert_true(n > 50);
                heft_table_free(t);
                break;
            }
            assert_int_equal(st, HEFT_ENOMEM);
            assert_null(t);
            if (way == 2) s.release(&s);
            for (size_t k = 0; k < f.n; k++) {
                if (way < 2) f.batches[k].release(&f.batches[k]);
                assert_null(f.batches[k].release);
            }
            assert_int_equal(n_released, n_made);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(damaged_arrays_are_refused), COUNTED(damaged_columns_are_refused),
        COUNTED(options_are_checked),        COUNTED(streams_may_fail),
        COUNTED(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
