/* version.c - the version of the library, as meson.build states it. */
#include "heft.h"

const char *heft_version(void)
{
    return HEFT_VERSION;
}
