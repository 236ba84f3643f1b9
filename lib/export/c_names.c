/* c_names.c - names of C for names of users, and C in single precision. */
#include "export/c_names.h"

#include <string.h>

/* ---- names ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Words that a member of a struct cannot be called: keywords of C23 and C++20, macros of the
 * headers, and what compilers define. They are one string with blanks around each word. */
static const char words[] =
    " EOF I INFINITY MATH_ERRNO NAN NULL DECIMAL_DIG alignas alignof and and_eq asm auto"
    " bitand bitor bool break case catch char char16_t char32_t char8_t class co_await"
    " co_return co_yield compl concept const const_cast consteval constexpr constinit continue"
    " decltype default delete do double dynamic_cast else enum errno explicit export extern"
    " false float for friend goto i386 if inline int linux long mutable namespace new noexcept"
    " not not_eq nullptr operator or or_eq private protected public register reinterpret_cast"
    " requires restrict return short signed sizeof static static_assert static_cast struct"
    " switch template this thread_local throw true try typedef typeid typename typeof"
    " typeof_unqual union unix unsigned using virtual void volatile wchar_t while xor xor_eq"
    " ";
static const char *const beginnings[] = {"DBL_",  "FLT_",   "FP_", "HUGE_VAL",
                                         "LDBL_", "MODEL_", "M_"};

static bool is_reserved(const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at++)
        if (at[-1] == ' ' && at[n] == ' ') return true;
    for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
        if (strncmp(name, beginnings[k], strlen(beginnings[k])) == 0) return true;
    return false;
}

/* Writes a text as a name of C: characters that C does not allow become underscores, and a name
 * begins with a letter. */
static void put_name(heft_buf *out, const char *text, size_t length)
{
    enum { LONGEST = 60 };
    if (length == 0 || !is_letter(text[0])) heft_buf_text(out, "x");
    for (size_t k = 0; k < length && k < LONGEST; k++)
        heft_buf_add(out, is_letter(text[k]) || is_digit(text[k]) ? &text[k] : "_", 1);
}

/* Copies a name to scratch memory and frees the buffer. */
static heft_status keep_name(heft_ctx *ctx, heft_buf *name, char **out)
{
    heft_status st = HEFT_OK;
    char       *text = NULL;
    HEFT_TRY(heft_buf_take(ctx, name, &text));
    HEFT_TRY(heft_arena_copy(ctx, &ctx->scratch, text, out));
done:
    heft_free(text);
    return st;
}

heft_status heft_c_member(heft_ctx *ctx, const char *text, heft_dict *taken, char **out)
{
    heft_buf name = {0};
    uint32_t code;
    char    *plain;
    put_name(&name, text, strlen(text));
    HEFT_CHECK(keep_name(ctx, &name, &plain));
    const char *before = is_reserved(plain) ? "x_" : "";
    size_t      k = 1;
    do { /* name, name_2, name_3, ... */
        heft_buf_printf(&name, "%s%s", before, plain);
        if (k++ > 1) heft_buf_printf(&name, "_%zu", k - 1);
        HEFT_CHECK(keep_name(ctx, &name, out));
    } while (heft_dict_find(taken, *out, strlen(*out)) != HEFT_DICT_NONE);
    return heft_dict_add(ctx, taken, *out, strlen(*out), &code);
}

heft_status heft_c_prefix(heft_ctx *ctx, const char *path, char **out)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    heft_buf    name = {0};
    put_name(&name, base, dot ? (size_t)(dot - base) : strlen(base));
    heft_buf_text(&name, "_");
    return keep_name(ctx, &name, out);
}

/* ---- single precision ---- */

static const char *const singles[][2] = {
    {"double", "float"},
    {"DBL_MAX", "FLT_MAX"},
    {"DBL_MIN", "FLT_MIN"},
    {"exp", "expf"},
    {"log", "logf"},
    {"sqrt", "sqrtf"},
    {"fabs", "fabsf"},
    {"fmin", "fminf"},
    {"fmax", "fmaxf"},
    {"erfc", "erfcf"},
    {"frexp", "frexpf"},
    {"ldexp", "ldexpf"},
    {"nearbyint", "nearbyintf"},
    {"1e140", "1e18f"}, /* as a float, its square is finite */
    {"1e-75", "1e-37f"},
    {"0x1p500", "0x1p60f"},
    {"0x1p-500", "0x1p-60f"},
    {"1022", "126"},
};

/* Returns where the word or number that begins at `from` ends. */
static size_t token_end(const char *line, size_t from, size_t length)
{
    size_t k = from;
    while (k < length) {
        const char c = line[k], before = k > from ? line[k - 1] : '0';
        const bool sign = (c == '-' || c == '+') && is_digit(line[from]) && strchr("eEpP", before);
        if (!is_letter(c) && !is_digit(c) && c != '_' && c != '.' && !sign) break;
        if (c == '.' && !is_digit(line[from])) break;
        k++;
    }
    return k;
}

static bool is_real(const char *token, size_t length)
{
    if (!is_digit(token[0]) || token[length - 1] == 'f') return false;
    for (size_t k = 0; k < length; k++)
        if (token[k] == '.' || ((token[k] == 'e' || token[k] == 'p') && k > 0)) return true;
    return false;
}

void heft_c_single(heft_buf *out, const char *line, size_t length)
{
    for (size_t k = 0; k < length;) {
        const char *token = line + k;
        if (!is_letter(*token) && !is_digit(*token) && *token != '_') {
            heft_buf_add(out, token, 1);
            k++;
            continue;
        }
        const size_t n = token_end(line, k, length) - k;
        const char  *as = NULL;
        for (size_t m = 0; m < sizeof singles / sizeof *singles; m++)
            if (strlen(singles[m][0]) == n && memcmp(singles[m][0], token, n) == 0)
                as = singles[m][1];
        if (as) heft_buf_text(out, as);
        else heft_buf_add(out, token, n);
        if (!as && is_real(token, n)) heft_buf_text(out, "f");
        k += n;
    }
}
