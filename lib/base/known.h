/* known.h - HEFT_KNOWN(fact): what holds here and the static analyzer, which sees one file at a
 * time, cannot know. Debug builds assert it; release builds (NDEBUG) contain nothing. */
#pragma once

#ifdef __clang_analyzer__
#define HEFT_KNOWN(fact) ((fact) ? (void)0 : __builtin_unreachable())
#else
#include <assert.h>
#define HEFT_KNOWN(fact) assert(fact)
#endif
