/* reading.h - what the tests of readers and writers share: a reader that keeps what was said, and
 * comparison of tables. */
#ifndef HEFT_TESTS_READING_H
#define HEFT_TESTS_READING_H

#include "fixture.h"

#include "base/text.h"
#include "data/input.h"
#include "data/read.h"

extern heft_ctx        ctx;
extern char            said[4096]; /* all warnings since the test began */
extern const heft_host listener;   /* writes there */

/* A folder and a context for one test. */
int open_reading(void **state);
int close_reading(void **state);
#define IN_READING(f) cmocka_unit_test_setup_teardown(f, open_reading, close_reading)
#undef IN_FOLDER /* it makes no context */

/* A file of the folder; its path. */
const char *put_bytes(const char *name, const char *data, size_t n);
const char *put_text(const char *name, const char *text);
/* The table of a file that must be readable and valid. */
heft_table *read_as(const char *path, const heft_source *how, const heft_expect *expect);
heft_table *read_text(const char *name, const char *text, const heft_source *how);
/* Reading must fail with this code and a one-line message that holds `part`. */
void   assert_refused(const char *name, const char *bytes, size_t n, const heft_source *how,
                      heft_status code, const char *part);
void   refuse_text(const char *name, const char *text, const heft_source *how, heft_status code,
                   const char *part);
double number_at(const heft_table *t, size_t i, size_t j);
const char *value_at(const heft_table *t, size_t i, size_t j);
const char *class_at(const heft_table *t, size_t i);
void        assert_same_column(const heft_column *a, const heft_column *b, size_t n);
/* Equal in every name, value, cell and weight; the names of the tables aside. */
void assert_same_table(const heft_table *a, const heft_table *b);
/* The same table for every chunk size and number of threads, and the same words. */
void assert_cut_does_not_matter(const char *path, const heft_source *how);
/* The same message for every chunk size and number of threads. */
void assert_refusal_does_not_move(const char *path, const heft_source *how);
/* Whichever allocation fails, reading says ENOMEM and leaks nothing. */
void assert_survives_no_memory(const char *path, const heft_source *how);
/* Thousands of damaged copies of a good file: each is refused with a message or gives a valid
 * table. */
void assert_survives_damage(const char *name, const char *good, int rounds, uint64_t seed);

#endif
