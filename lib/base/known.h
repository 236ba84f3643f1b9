/* known.h - HEFT_KNOWN(fact): what holds here and the static analyzer, which sees one file at a
 * time, cannot know. Nothing in a build. */
#ifndef HEFT_BASE_KNOWN_H
#define HEFT_BASE_KNOWN_H

#ifdef __clang_analyzer__
#define HEFT_KNOWN(fact) ((fact) ? (void)0 : __builtin_unreachable())
#else
#define HEFT_KNOWN(fact) ((void)0)
#endif

#endif
