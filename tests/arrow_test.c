/* arrow_test.c - record batches become the table of a CSV file with the same cells: every type,
 * nulls, offsets, several batches; who releases what, and when. */
#include "arrowed.h"

/* One batch or several, with any offsets, by the array or by the stream. */
static void every_type_is_the_table_of_the_text(void **state)
{
    (void)state;
    static const size_t cuts[][3] = {{7, 7, 7}, {3, 7, 7}, {0, 1, 7}, {2, 4, 6}};
    const heft_source   how = {.nominal = kinds, .target = "class"};
    heft_table         *text = csv_table(every, COLUMNS, &how);
    for (size_t c = 0; c < 4; c++)
        for (size_t pad = 0; pad <= 9; pad += 3)
            for (int streamed = 0; streamed < 2; streamed++) {
                feed        f = {.schema = schema_of(every, COLUMNS)};
                heft_table *t = NULL;
                size_t      lo = 0;
                for (size_t k = 0; k < 4 && lo < ROWS; k++) {
                    const size_t hi = k < 3 ? cuts[c][k] : ROWS;
                    f.batches[f.n++] =
                        batch_of(every, COLUMNS, lo, hi, (shape){pad, pad / 3, false});
                    lo = hi;
                }
                struct ArrowArrayStream s = stream_of(&f);
                if (streamed) OK(heft_table_from_arrow_stream(&s, &how, &t, &err));
                else OK(heft_table_from_arrow(&f.schema, f.batches, f.n, &how, &t, &err));
                assert_sound(t);
                assert_same_table(text, t);
                if (streamed) assert_null(s.release);
                assert_int_equal(f.n_released, streamed);
                for (size_t k = 0; k < f.n; k++) assert_null(f.batches[k].release);
                heft_table_free(t);
                assert_int_equal(n_released, n_made);
            }
    heft_table_free(text);
}

/* Roles and kinds are asked for as of a file, and a model of either table is the same. */
static void roles_are_those_of_a_file(void **state)
{
    (void)state;
    static const heft_source ways[] = {
        {.nominal = kinds},
        {.nominal = kinds, .target = "bool", .drop = "text,view"},
        {.nominal = "words,numbers,wide,i8,u64,f64,i64", .weight = "full"},
        {.nominal = "words,numbers", .numeric = "wide", .positive = "yes"},
        {.nominal = kinds, .missing = "red,0.5,127,False"},
        {.nominal = kinds, .no_target = true},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        struct ArrowSchema schema = schema_of(every, COLUMNS);
        struct ArrowArray  batch = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
        heft_table        *text = csv_table(every, COLUMNS, &ways[k]), *t = NULL;
        OK(heft_table_from_arrow(&schema, &batch, 1, &ways[k], &t, &err));
        assert_sound(t);
        if (k == 1) assert_int_equal(heft_table_classes(t), 2);
        assert_same_table(text, t);
        heft_table_free(t);
        heft_table_free(text);
    }
}

static void models_are_the_same_bits(void **state)
{
    (void)state;
    const heft_source how = {.nominal = kinds};
    heft_table       *tables[2] = {csv_table(every, COLUMNS, &how)};
    double            p[2][ROWS * 2];
    struct ArrowArray batch = batch_of(every, COLUMNS, 0, ROWS, (shape){4, 1, false}), again;
    for (int k = 0; k < 2; k++) {
        heft_model        *model = NULL;
        heft_table        *rows = NULL;
        struct ArrowSchema schema = schema_of(every, COLUMNS);
        if (k) OK(heft_table_from_arrow(&schema, &batch, 1, &how, &tables[1], &err));
        OK(heft_fit(tables[k], &(heft_config){.method = "nb"}, &model, &err));
        /* rows for the model; a column that it does not know may have any type */
        const char *const format = children[22].format;
        again = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
        children[22].format = "tdD";
        children[22].name = "when";
        OK(heft_table_from_arrow(&schema, &again, 1, &(heft_source){.like = model}, &rows, &err));
        children[22].format = format;
        OK(heft_predict_proba(model, rows, p[k], &err));
        heft_table_free(rows);
        heft_table_free(tables[k]);
        heft_model_free(model);
    }
    assert_memory_equal(p[0], p[1], sizeof p[0]);
}

/* Values are those that rows have, as in a file: entries of a dictionary that no row has do not
 * count, nor does their order, and neither does a boolean that does not occur. */
static void unused_values_do_not_count(void **state)
{
    (void)state;
    static const spec two[] = {
        {"size",
         "c",
         "u",
         {"small", "medium", "large", "huge"},
         {"large", X, "small", "large", X, "small", X}},
        {"grown", "b", NULL, {0}, {"True", "True", X, "True", X, "True", "True"}},
        {"class", "c", "u", {"maybe", "yes", "no"}, {"yes", "no", "no", "yes", X, "no", "yes"}}};
    heft_table *text = csv_table(two, 3, NULL);
    for (int turned = 0; turned < 2; turned++) {
        struct ArrowSchema schema = schema_of(two, 3);
        struct ArrowArray  batches[2] = {batch_of(two, 3, 0, 3, (shape){1, 1, false}),
                                         batch_of(two, 3, 3, ROWS, (shape){0, 2, turned})};
        heft_table        *t = NULL;
        OK(heft_table_from_arrow(&schema, batches, 2, NULL, &t, &err));
        assert_sound(t);
        assert_same_table(text, t);
        assert_int_equal(heft_dict_size(t->cols[0].dict), 2);
        assert_int_equal(heft_dict_size(t->cols[1].dict), 1);
        assert_int_equal(heft_table_classes(t), 2);
        assert_string_equal(heft_table_class_name(t, 0), "no");
        double cells[ROWS];
        OK(heft_table_cells(t, 0, cells, &err));
        assert_true(cells[0] == 0 && isnan(cells[1]) && cells[2] == 1);
        assert_int_equal(heft_table_cells(t, 2, cells, &err), HEFT_EINVAL);
        heft_table_free(t);
    }
    heft_table_free(text);
}

/* Texts are as they are: only nulls are missing, and what `missing` lists. */
static void marks_are_texts(void **state)
{
    (void)state;
    static const spec two[] = {{"t", "u", NULL, {0}, {"NA", "?", "", X, "nan", "-", "a"}},
                               {"class", "u", NULL, {0}, {"a", "b", "a", "b", "?", "NA", ""}}};
    for (int marks = 0; marks < 2; marks++) {
        struct ArrowSchema schema = schema_of(two, 2);
        struct ArrowArray  batch = batch_of(two, 2, 0, ROWS, (shape){0});
        heft_table        *t = NULL;
        const heft_source  how = {.missing = marks ? "-,a" : NULL};
        OK(heft_table_from_arrow(&schema, &batch, 1, &how, &t, &err));
        assert_sound(t);
        assert_int_equal(t->cols[0].n_missing, marks ? 3 : 1);
        assert_int_equal(heft_dict_size(t->cols[0].dict), marks ? 4 : 6);
        assert_int_equal(t->target->n_missing, marks ? 2 : 0);
        heft_table_free(t);
    }
}

/* The numbers of a single batch stay where they are, until the table is freed. */
static void numbers_are_not_copied(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(small, 3);
    struct ArrowArray  batch = batch_of(small, 3, 0, ROWS, (shape){2, 3, false});
    double            *cells = (double *)batch.children[0]->buffers[1] + 5;
    heft_table        *t = NULL;
    cells[1] = NAN;
    OK(heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err));
    assert_sound(t);
    assert_ptr_equal(t->cols[0].cells, cells);
    assert_int_equal(t->cols[0].n_missing, 1);
    assert_int_equal(t->cols[1].n_missing, 1);
    assert_null(batch.release);
    assert_int_equal(n_released, 0);
    heft_table_free(t);
    assert_int_equal(n_released, 1);

    feed                    f = {.schema = schema_of(small, 3),
                                 .n = 1,
                                 .batches = {batch_of(small, 3, 0, ROWS, (shape){0})}};
    struct ArrowArrayStream s = stream_of(&f);
    const void             *at = f.batches[0].children[0]->buffers[1];
    OK(heft_table_from_arrow_stream(&s, NULL, &t, &err));
    assert_ptr_equal(t->cols[0].cells, at);
    assert_int_equal(f.n_released, 1); /* a batch outlives its stream */
    assert_int_equal(n_released, 1);
    heft_table_free(t);
    assert_int_equal(n_released, 2);

    /* nothing to lend: everything is released at once */
    batch = batch_of(small + 1, 2, 0, ROWS, (shape){0});
    schema = schema_of(small + 1, 2);
    OK(heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err));
    assert_int_equal(n_released, 3);
    heft_table_free(t);
}

static void free_odd(struct ArrowArray *a)
{
    a->buffers[1] = (const char *)a->buffers[1] - 1;
    free_array(a);
}

/* Buffers that are not aligned are read all the same. */
static void unaligned_buffers_are_copied(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(every, COLUMNS);
    struct ArrowArray  batch = batch_of(every, COLUMNS, 0, ROWS, (shape){0});
    const heft_source  how = {.nominal = kinds};
    heft_table        *t = NULL, *text = csv_table(every, COLUMNS, &how);
    for (size_t j = 0; j < COLUMNS; j++) {
        struct ArrowArray *child = batch.children[j];
        char              *odd = zeros(16 * (ROWS + 1) + 1);
        memcpy(odd + 1, child->buffers[1], child->n_buffers == 3 ? 64 : 112);
        free((void *)child->buffers[1]);
        child->buffers[1] = odd + 1;
        child->release = free_odd;
    }
    OK(heft_table_from_arrow(&schema, &batch, 1, &how, &t, &err));
    assert_same_table(text, t);
    heft_table_free(t);
    heft_table_free(text);
}

/* Without rows, without batches, without columns. */
static void tables_may_be_empty(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of(every, COLUMNS);
    struct ArrowArray  batches[2] = {batch_of(every, COLUMNS, 3, 3, (shape){1, 1, false}),
                                     batch_of(every, COLUMNS, 0, 0, (shape){0})};
    heft_table        *t = NULL;
    for (size_t n = 0; n < 2; n++) {
        OK(heft_table_from_arrow(&schema, batches + n, 1 - n, NULL, &t, &err));
        assert_sound(t);
        assert_int_equal(heft_table_rows(t), 0);
        assert_int_equal(heft_table_attributes(t), COLUMNS - 1);
        heft_table_free(t);
    }
    schema.n_children = 0;
    batches[1].n_children = 0; /* its columns are freed by hand below */
    struct ArrowArray bare = batches[1];
    bare.length = 5;
    bare.n_children = 0;
    bare.children = NULL;
    bare.buffers = zeros(sizeof *bare.buffers);
    OK(heft_table_from_arrow(&schema, &bare, 1, &(heft_source){.no_target = true}, &t, &err));
    assert_int_equal(heft_table_rows(t), 5);
    heft_table_free(t);
    batches[1].n_children = COLUMNS;
    batches[1].release(&batches[1]);
    n_made++;
}

/* More rows than are handed over at a time. */
static void long_batches_are_read_in_parts(void **state)
{
    (void)state;
    enum { MANY = 150000 };
    static const spec  one[] = {{"n", "i", NULL, {0}, {0}}, {"class", "u", NULL, {0}, {0}}};
    struct ArrowSchema schema = schema_of(one, 2);
    struct ArrowArray  batch = batch_of(one, 2, 0, 0, (shape){0});
    int32_t           *n = zeros(MANY * 4), *ends = zeros((MANY + 1) * 4);
    for (int32_t i = 0; i < MANY; i++) n[i] = i, ends[i + 1] = i + 1;
    char *text = zeros(MANY);
    for (int32_t i = 0; i < MANY; i++) text[i] = i < 100000 ? 'b' : 'a';
    const void *const own[] = {n, ends, text};
    batch.length = batch.children[0]->length = batch.children[1]->length = MANY;
    for (int k = 0; k < 3; k++) {
        const void **at = &batch.children[k > 0]->buffers[k ? k : 1];
        free((void *)*at);
        *at = own[k];
    }
    heft_table *t = NULL;
    OK(heft_table_from_arrow(&schema, &batch, 1, NULL, &t, &err));
    assert_sound(t);
    for (size_t i = 0; i < MANY; i++) assert_true(number_at(t, i, 0) == (double)i);
    assert_string_equal(class_at(t, 99999), "b");
    assert_string_equal(class_at(t, 100000), "a");
    heft_table_free(t);
}

/* The cells of sparse rows. */
static void cells_of_sparse_rows(void **state)
{
    (void)state;
    const size_t   start[] = {0, 1, 1, 3};
    const uint32_t col[] = {1, 0, 1};
    const double   val[] = {2, 3, NAN};
    heft_table    *t = NULL;
    double         cells[3];
    OK(heft_table_create(3, &t, &err));
    OK(heft_table_add_sparse(t, 2, start, col, val, NULL, &err));
    OK(heft_table_cells(t, 1, cells, &err));
    assert_true(cells[0] == 2 && cells[1] == 0 && isnan(cells[2]));
    heft_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(every_type_is_the_table_of_the_text),
        COUNTED(roles_are_those_of_a_file),
        COUNTED(models_are_the_same_bits),
        COUNTED(unused_values_do_not_count),
        COUNTED(marks_are_texts),
        COUNTED(numbers_are_not_copied),
        COUNTED(unaligned_buffers_are_copied),
        COUNTED(tables_may_be_empty),
        COUNTED(long_batches_are_read_in_parts),
        COUNTED(cells_of_sparse_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
