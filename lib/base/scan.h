/* scan.h - the characters that structure a text, found with the vectors that the processor has.
 *
 * There is one version for each width of vectors, and one for words of 8 bytes; all give the same
 * results, and the best one that the processor can run is chosen when the program runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct heft_text_facts {
    size_t n_lines; /* line ends */
    bool   quotes;  /* some '"' */
    bool   zeros;   /* some NUL */
    bool   ascii;   /* no byte above 127 */
} heft_text_facts;

enum { HEFT_SCAN_ROOM = 64 };

typedef struct heft_marks {
    size_t n, n_lines, n_quotes; /* all, and those of them that are line ends or quotes */
} heft_marks;

/* place[]: where the n bytes of text, less than 4 GiB, have `delimiter`, a line end or `quote`, in
 * order. `place` needs space for n + HEFT_SCAN_ROOM of them. */
void heft_scan_marks(const char *text, size_t n, char delimiter, char quote, uint32_t *place,
                     heft_marks *out);
void heft_scan_facts(const char *text, size_t n, heft_text_facts *out);

/* The versions, the best one first; the last one runs everywhere. For tests. */
typedef struct heft_scanner {
    const char *name;
    bool (*works)(void); /* on this processor */
    void (*marks)(const char *text, size_t n, char delimiter, char quote, uint32_t *place,
                  heft_marks *out);
    void (*facts)(const char *text, size_t n, heft_text_facts *out);
} heft_scanner;

extern const heft_scanner heft_scanners[];
extern const size_t       heft_n_scanners;
