/* marks.h - how messages name settings, so that each front end reads its own syntax.
 *
 * A message of the library can be read by a user of the program, who writes --discretize mdl, of
 * the C interface (.discretize = "mdl") and of the Python package (discretize='mdl'). Format
 * strings therefore contain marks:
 *
 *   mark                         program              C                       Python
 *   {discretize}                 --discretize         heft_config.discretize  discretize
 *   {discretize=mdl}             --discretize mdl     .discretize = "mdl"     discretize='mdl'
 *   {cv=%zu}                     --cv %zu             .folds = %zu            cv=%zu
 *   {positive=VALUE}             --positive VALUE     heft_source.positive    positive
 *   {missing='%s'}               --missing '%s'       .missing = "%s"         missing='%s'
 *   {method=nb}                  -m nb                .method = "nb"          heft.NB
 *   {param tol=1e-7}             -p tol=1e-7          .params "tol=1e-7"      tol=1e-7
 *   {command merge MODEL...}     heft merge MODEL...  heft_model_merge        heft.merge
 *   {advice NAME}, {advice NAME=%s}   the words of phrases.def
 *
 * A value that begins with a capital letter stands for something else, and only the program shows
 * it. The value of advice must be text (%s), because a front end may leave it out.
 *
 * Marks are rendered in the format before arguments are inserted: a column named {drop} or --drop
 * is shown as it is. Braces that hold no mark stay. settings.def and phrases.def list what a mark
 * can name; a test looks at every literal of the library. */
#pragma once

#include "heft_host.h"
#include "heft_methods.h"

/* Setting number `index` of settings.def; NULL past the end. */
const heft_setting_info *heft_setting(size_t index);
/* The setting with this name of `length` characters; NULL: there is none. */
const heft_setting_info *heft_setting_find(const char *name, size_t length);

/* Write `format` with its marks rendered into `out`, at most `size` bytes with the final zero. What
 * does not fit is cut, never inside a conversion such as %zu. Returns out. */
const char *heft_render(char *out, size_t size, const char *format);
/* heft_render for messages about a table that was read from a file: a Python user also names its
 * columns by arguments of heft.check, where the advice for a table in memory would speak of X. */
const char *heft_render_file(char *out, size_t size, const char *format);
const char *heft_render_as(heft_syntax syntax, char *out, size_t size, const char *format);

/* A text with marks, in memory of the enclosing block: for parts of a message that are chosen
 * apart, and inserted by %s. */
enum { HEFT_MARKED_SIZE = 256, HEFT_RENDERED_SIZE = 1024 };
#define HEFT_MARKED(text) heft_render((char[HEFT_MARKED_SIZE]){0}, HEFT_MARKED_SIZE, (text))

/* Does what snprintf does, with marks in the format. */
__attribute__((format(printf, 3, 4))) void heft_print(char *out, size_t size, const char *format,
                                                      ...);

/* A parameter of a method as the user spells it: lambda is lambda_ in Python. */
enum { HEFT_PARAM_SIZE = 64 };
const char *heft_param_word(char out[HEFT_PARAM_SIZE], const char *name);
#define HEFT_PARAM_WORD(name) heft_param_word((char[HEFT_PARAM_SIZE]){0}, (name))

void        heft_use_syntax(heft_syntax syntax);
heft_syntax heft_message_syntax(void);
