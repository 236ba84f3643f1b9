/* render_marks.c - formats from standard input, each ended by a zero byte: for each of them its
 * text for the program, for C and for Python, ended likewise. For tests/cli/message_syntax.py. */
#include <stdio.h>

#include "base/marks.h"

int main(void)
{
    static const heft_syntax syntaxes[] = {HEFT_SYNTAX_PROGRAM, HEFT_SYNTAX_C, HEFT_SYNTAX_PYTHON};
    char                     format[4096], out[4096];
    size_t                   n = 0;
    for (int c = getchar(); c != EOF && n < sizeof format; c = getchar()) {
        format[n++] = (char)c;
        if (c) continue;
        for (size_t k = 0; k < 3; k++) {
            fputs(heft_render_as(syntaxes[k], out, sizeof out, format), stdout);
            putchar(0);
        }
        n = 0;
    }
    return n != 0;
}
