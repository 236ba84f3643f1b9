/* heft_methods.h - lists of what heft offers: methods, data formats, export formats.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEFT_METHODS_H
#define HEFT_METHODS_H

#include "heft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heft_option_info { /* a parameter of a method */
    const char *name;
    const char *fallback; /* the default, as text */
    const char *range;    /* what is accepted     */
    const char *help;
} heft_option_info;

typedef struct heft_method_info {
    const char                    *name;
    const char                    *alias;    /* comma-separated, or ""                           */
    const char                    *title;    /* one line                                         */
    const char                    *source;   /* paper and equations                              */
    const char                    *family;   /* base, filter, wrapper, embedded, lazy, structural */
    const char                    *prepare;  /* default preparation, as command-line options     */
    const char                    *exports;  /* formats for all its models, as "c, json", or ""  */
    const heft_option_info *const *options;  /* NULL-terminated                                  */
    bool                           sparse;   /* works on sparse tables as they are               */
    bool                           weights;  /* accepts instance weights                         */
    bool                           missing;  /* accepts missing cells without imputing them      */
    bool                           explains; /* its score is a sum over attributes; see votes    */
    bool                           merges;   /* models of parts can be merged (heft_ranks.h)     */
    bool                           ranks;    /* trains on rows that are spread over ranks        */
    bool keeps_rows;                         /* its models contain the training rows             */
    bool stops;                              /* accepts heft_config.time_limit                   */
    bool votes; /* 3 or more classes: class pairs vote, and only multiclass=direct is explained */
    const char
        *references; /* papers that `source` names: authors, year, title; a line each, or "" */
} heft_method_info;

HEFT_API size_t                  heft_method_count(void);
HEFT_API const heft_method_info *heft_method_at(size_t index);       /* NULL past the end */
HEFT_API const heft_method_info *heft_method_find(const char *name); /* name or alias     */

/* Check the method, its parameters and the preparation before any data are read: HEFT_OK, or the
 * error with which heft_fit would refuse them for all data. */
HEFT_API heft_status heft_config_check(const heft_config *config, heft_error *err);
/* The files that heft_fit reads besides the data, because a parameter names them: *path is that of
 * number `index`, to be freed with heft_text_free; NULL past the end. */
HEFT_API heft_status heft_config_file(const heft_config *config, size_t index, char **path,
                                      heft_error *err);

typedef struct heft_format_info { /* a format of data files */
    const char *name;             /* as in heft_source.format                             */
    const char *endings;          /* of file names, separated by blanks; they are names too */
    const char *about;            /* one line                                             */
    bool        written;          /* heft writes it, too                                  */
} heft_format_info;

HEFT_API const heft_format_info *heft_format_at(size_t index); /* NULL past the end */

typedef struct heft_export_info { /* a format of heft_export_text and heft_export_file */
    const char *name;             /* "c"      */
    const char *ending;           /* ".c"     */
    const char *about;            /* one line */
    bool        binary;           /* not text */
} heft_export_info;

HEFT_API const heft_export_info *heft_export_at(size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
