/* heft_methods.h - lists of what heft offers: methods, settings, data formats, export formats.
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
    const char *range;    /* values that are accepted */
    const char *help;
} heft_option_info;

typedef struct heft_method_info {
    const char                    *name;
    const char                    *alias;   /* other names, comma-separated, or "" */
    const char                    *title;   /* one line */
    const char                    *source;  /* paper and equations */
    const char                    *family;  /* base, filter, wrapper, embedded, lazy, structural */
    const char                    *prepare; /* default preparation, as messages name settings */
    const char                    *exports; /* formats for all its models, as "c, json", or "" */
    const heft_option_info *const *options; /* NULL-terminated list of its parameters */
    bool                           sparse;  /* works on sparse tables as they are */
    bool                           weights; /* accepts instance weights */
    bool                           missing; /* accepts missing cells without imputing them */
    bool explains;   /* its score is a sum over attributes, so that rows can be explained; see
                        votes */
    bool merges;     /* models of separate rows can be merged (heft_ranks.h) */
    bool ranks;      /* trains on rows that are spread over ranks */
    bool keeps_rows; /* its models contain the training rows */
    bool stops;      /* accepts heft_config.time_limit */
    bool votes;      /* with 3 or more classes the class pairs vote, and only multiclass=direct
                        is explained */
    const char
        *references; /* papers that `source` names: authors, year, title; a line each, or "" */
} heft_method_info;

HEFT_API size_t                  heft_method_count(void);
HEFT_API const heft_method_info *heft_method_at(size_t index);       /* NULL past the end */
HEFT_API const heft_method_info *heft_method_find(const char *name); /* name or alias */

/* Check the method, its parameters and the preparation before any data are read: HEFT_OK, or the
 * error with which heft_fit would refuse them for all data. */
HEFT_API heft_status heft_config_check(const heft_config *config, heft_error *err);
/* The files that heft_fit reads besides the data, because a parameter names them: *path is the path
 * of file number `index`, to be freed with heft_text_free; NULL past the end. */
HEFT_API heft_status heft_config_file(const heft_config *config, size_t index, char **path,
                                      heft_error *err);

/* The values of a setting: what the program accepts, and the type of the field in C. */
typedef enum heft_setting_kind {
    HEFT_SETTING_FLAG,      /* bool; the program's option has no value */
    HEFT_SETTING_TEXT,      /* text, in the form that `value` shows */
    HEFT_SETTING_WORD,      /* text: one of the words of `value` */
    HEFT_SETTING_FORMAT,    /* text: the name of a data format (heft_format_at) */
    HEFT_SETTING_METHOD,    /* text: the name of a method (heft_method_at) */
    HEFT_SETTING_PARAM,     /* NULL-terminated list of NAME=VALUE */
    HEFT_SETTING_YES_NO,    /* int: 1 for yes, -1 for no */
    HEFT_SETTING_CHARACTER, /* char */
    HEFT_SETTING_QUOTE,     /* char, or HEFT_NO_QUOTE for the word none */
    HEFT_SETTING_NUMBER,    /* whole number, `least` or more */
    HEFT_SETTING_SIZE,      /* size_t: number of bytes, at least `least` MiB */
    HEFT_SETTING_SEED,      /* uint64_t above 0 */
    HEFT_SETTING_SECONDS,   /* double above 0 */
    HEFT_SETTING_OBJECT,    /* the program makes the value of the field from a text: a table
                               or a model from the name of a file, or a number */
    HEFT_SETTING_OBJECTS,   /* as HEFT_SETTING_OBJECT; the option may be repeated */
    HEFT_SETTING_SWITCH     /* as HEFT_SETTING_OBJECT; the option has no value */
} heft_setting_kind;

/* A setting of reading, preparing, training, deciding, predicting, evaluating or exporting. */
typedef struct heft_setting_info {
    const char *group;  /* TRAIN, DRAW, DATA, SELECT, PREPARE, UNSEEN, ESTIMATE, DECIDE,
                           BALANCE, EVALUATE, PREDICT, FORMAT, EXPORT, GENERAL */
    const char *owner;  /* name of the struct in C: "heft_config" */
    const char *field;  /* name of the field in this struct: "class_weight" */
    const char *name;   /* option of the program, without dashes: "class-weight" */
    const char *value;  /* words to choose from, with | between them, or a placeholder; words in
                           capitals stand for something else; NULL for flags */
    const char *python; /* argument in the Python package; "=": `name` with underscores;
                           NULL: Python does not have it */
    const char       *fallback; /* the default as text; NULL: `help` says it, or there is none */
    const char       *help;     /* what the setting does */
    heft_setting_kind kind;
    char              letter; /* short option of the program, or 0 */
    int               least;  /* smallest value, in the unit that `kind` tells */
} heft_setting_info;

HEFT_API const heft_setting_info *heft_setting_at(size_t index); /* NULL past the end */

typedef struct heft_format_info { /* a format of data files */
    const char *name;             /* as in heft_source.format */
    const char *endings;          /* endings of file names, separated by blanks; they can be
                                     given as names too */
    const char *about;            /* one line */
    bool        written;          /* heft can also write this format */
} heft_format_info;

HEFT_API const heft_format_info *heft_format_at(size_t index); /* NULL past the end */

typedef struct heft_export_info { /* a format of heft_export_text and heft_export_file */
    const char *name;             /* "c" */
    const char *ending;           /* ".c" */
    const char *about;            /* one line */
    bool        binary;           /* the output is bytes, not text */
} heft_export_info;

HEFT_API const heft_export_info *heft_export_at(size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
