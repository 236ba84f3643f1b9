/* settings_table.h - rows of an option table from the library's list of settings. Inside the
 * initialiser of a table:
 *
 *     #define IF_DATA ROW
 *     #include "settings_table.h"
 *
 * gives the settings of the group DATA, one row each. To change some rows of a group, define
 * IF_DATA as a macro of your own with the parameters of ROW. There is no include guard, because
 * every table includes this file again. The list of settings, lib/base/settings.def, is the only
 * file of lib that the program includes besides the public headers. */
#ifndef ROW
#define ROW(owner, field, name, letter, kind, least, value, help)                                  \
    {name, letter, CLI_##kind, PLACE_##kind(owner, field), value, help, least},
#define NO_ROW(owner, field, name, letter, kind, least, value, help)

/* The member of struct cli that holds a value: the library's own struct, or cli.given if a command
 * has to convert the value first. */
#define IN_heft_runtime        run
#define IN_heft_source         source
#define IN_heft_config         config
#define IN_heft_eval_plan      plan
#define IN_heft_export_options exporting
#define IN_heft_predictions    given

#define PLACE(owner, field)           offsetof(cli, IN_##owner.field)
#define PLACE_FLAG(owner, field)      PLACE(owner, field)
#define PLACE_TEXT(owner, field)      PLACE(owner, field)
#define PLACE_WORD(owner, field)      PLACE(owner, field)
#define PLACE_FORMAT(owner, field)    PLACE(owner, field)
#define PLACE_METHOD(owner, field)    PLACE(owner, field)
#define PLACE_YES_NO(owner, field)    PLACE(owner, field)
#define PLACE_CHARACTER(owner, field) PLACE(owner, field)
#define PLACE_QUOTE(owner, field)     PLACE(owner, field)
#define PLACE_NUMBER(owner, field)    PLACE(owner, field)
#define PLACE_SIZE(owner, field)      PLACE(owner, field)
#define PLACE_SEED(owner, field)      PLACE(owner, field)
#define PLACE_SECONDS(owner, field)   PLACE(owner, field)
#define PLACE_PARAM(owner, field)     0
#define PLACE_OBJECT(owner, field)    offsetof(cli, given.field)
#define PLACE_OBJECTS(owner, field)   offsetof(cli, given.field)
#define PLACE_SWITCH(owner, field)    offsetof(cli, given.field)
#endif

#ifndef IF_TRAIN
#define IF_TRAIN NO_ROW
#endif
#ifndef IF_DRAW
#define IF_DRAW NO_ROW
#endif
#ifndef IF_DATA
#define IF_DATA NO_ROW
#endif
#ifndef IF_SELECT
#define IF_SELECT NO_ROW
#endif
#ifndef IF_PREPARE
#define IF_PREPARE NO_ROW
#endif
#ifndef IF_UNSEEN
#define IF_UNSEEN NO_ROW
#endif
#ifndef IF_ESTIMATE
#define IF_ESTIMATE NO_ROW
#endif
#ifndef IF_DECIDE
#define IF_DECIDE NO_ROW
#endif
#ifndef IF_BALANCE
#define IF_BALANCE NO_ROW
#endif
#ifndef IF_EVALUATE
#define IF_EVALUATE NO_ROW
#endif
#ifndef IF_PREDICT
#define IF_PREDICT NO_ROW
#endif
#ifndef IF_FORMAT
#define IF_FORMAT NO_ROW
#endif
#ifndef IF_EXPORT
#define IF_EXPORT NO_ROW
#endif
#ifndef IF_GENERAL
#define IF_GENERAL NO_ROW
#endif

#define HEFT_SETTING(group, owner, field, name, letter, kind, least, value, python, fallback,      \
                     help)                                                                         \
    IF_##group(owner, field, name, letter, kind, least, value, help)
#include "../lib/base/settings.def"

#undef IF_TRAIN
#undef IF_DRAW
#undef IF_DATA
#undef IF_SELECT
#undef IF_PREPARE
#undef IF_UNSEEN
#undef IF_ESTIMATE
#undef IF_DECIDE
#undef IF_BALANCE
#undef IF_EVALUATE
#undef IF_PREDICT
#undef IF_FORMAT
#undef IF_EXPORT
#undef IF_GENERAL
