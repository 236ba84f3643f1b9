/* text.c - numbers, quoting and growing strings.
 *
 * Numbers are converted with integer arithmetic: of a decimal m * 10^k, m times a 128-bit power of
 * ten gives the double. Only where the number is the middle between two doubles, or too near to it
 * to say, and for denormals, strtod decides, on text without a decimal point, which means the same
 * in every locale. No floating-point mode, extended register or locale has a say. */
#include "base/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

/* ---- text to double ---- */

/* The top 128 bits of a * b, both with the top bit set, and so the result; cut off. The exponent
 * is one less where the product was below 2^191. */
static heft_wide top_of_product(heft_wide a, uint64_t b, int *exponent)
{
    const heft_wide low = (heft_wide)(uint64_t)a * b, high = (a >> 64) * b + (uint64_t)(low >> 64);
    const bool      shift = !(high >> 127);
    *exponent -= shift;
    return shift ? high << 1 | ((uint64_t)low >> 63) : high;
}

/* The double of the bits `top` with the leading one of value 2^exponent, rounded up or not. */
static double rounded(uint64_t top, bool up, int exponent)
{
    uint64_t bits = (top >> 11) + up;
    double   x;
    bits += (uint64_t)(exponent + 1022) << 52; /* the leading bit, or a carry, adds the rest */
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* m * 10^k correctly rounded, or false when this arithmetic cannot tell.
 *
 * The 128 bits found are the true ones less an error below 3 units: under 1 of the power, doubled
 * by a shift, and under 1 cut off. 75 bits are rounded away; only when these lie less than 3 below
 * the middle, or on it, can the true value lie on another side of it than the one found. */
static bool decimal_to_double(uint64_t m, int k, double *out)
{
    enum { MIDDLE = 0x400, MASK = 0x7ff, DOUBT = 3 };
#if FLT_EVAL_METHOD == 0
    if (m <= (uint64_t)1 << 53 && k >= -22 && k <= 22) { /* both exact: rounded once */
        *out = k < 0 ? (double)m / heft_powers_of_ten[-k] : (double)m * heft_powers_of_ten[k];
        return true;
    }
#endif
    if (m == 0) return *out = 0, true;
    if (k < HEFT_LOWEST_POWER || k > HEFT_HIGHEST_POWER) return false;
    const int zeros = __builtin_clzll(m);
    int       exponent = heft_power_log2(k) + 64 - zeros; /* the exponent of the leading bit */
    heft_wide top = top_of_product(heft_power_of_ten(k), m << zeros, &exponent);
    if (exponent < -1022 || exponent > 1022) return false;
    const heft_wide middle = (heft_wide)MIDDLE << 64;
    const heft_wide rest = top & (((heft_wide)(MASK + 1) << 64) - 1);
    if (rest <= middle && rest + DOUBT > middle) return false;
    *out = rounded((uint64_t)(top >> 64), rest > middle, exponent);
    return true;
}

/* digits[0..n-1] * 10^k by the C library. */
static heft_number decimal_by_library(char *digits, size_t n, int k, double *out)
{
    const int kept = errno;
    snprintf(digits + n, 16, "e%d", k);
    const double x = strtod(digits, NULL);
    errno = kept;
    if (isinf(x)) return HEFT_NUM_OVERFLOW;
    *out = x;
    return HEFT_NUM_OK;
}

/* A mantissa of any length: [s, end) holds digits and at most one point; k is the exponent as
 * written. 800 digits and a mark of what follows are more than the 767 that can matter. */
static heft_number long_decimal(const char *s, const char *end, int64_t k, double *out)
{
    enum { MOST = 800 };
    char     digits[MOST + 32];
    size_t   n = 0;
    uint64_t m = 0;
    bool     point = false, more = false;
    for (; s < end; s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        k -= point;
        if (n == 0 && *s == '0') continue;
        if (n == MOST) {
            k++;
            more = more || *s != '0';
            continue;
        }
        if (n < 19) m = m * 10 + (uint64_t)(*s - '0');
        digits[n++] = *s;
    }
    if (more) digits[n++] = '1', k--;
    if (n == 0 || k + (int64_t)n < -400) return *out = 0, HEFT_NUM_OK;
    if (k + (int64_t)n > 400) return HEFT_NUM_OVERFLOW;
    if (n <= 19 && decimal_to_double(m, (int)k, out)) return HEFT_NUM_OK;
    /* more digits: the number lies between the first 19 and one more of the last of them */
    double next;
    if (n > 19 && decimal_to_double(m, (int)k + (int)n - 19, out) &&
        decimal_to_double(m + 1, (int)k + (int)n - 19, &next) && *out == next)
        return HEFT_NUM_OK;
    return decimal_by_library(digits, n, (int)k, out);
}

static const char *skip_digits(const char *p, const char *end, uint64_t *value)
{
    uint64_t m = *value;
    for (; end - p >= 8; p += 8) {
        const uint64_t eight = heft_load8(p) ^ HEFT_EACH_BYTE('0');
        if (!heft_are_digits(eight)) break;
        m = m * 100000000 + heft_eight_digits(eight);
    }
    for (; p < end && (unsigned)(*p - '0') <= 9; p++) m = m * 10 + (uint64_t)(*p - '0');
    *value = m; /* wraps around after 19 digits: then long_decimal reads them again */
    return p;
}

/* The digits after an 'e', or NULL. A huge exponent stays huge. */
static const char *read_exponent(const char *p, const char *end, int64_t *out)
{
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return NULL;
    int64_t k = 0;
    for (; p < end && (unsigned)(*p - '0') <= 9; p++)
        if (k < (int64_t)1 << 52) k = k * 10 + (*p - '0');
    *out = negative ? -k : k;
    return (unsigned)(p[-1] - '0') <= 9 ? p : NULL;
}

heft_number heft_parse_double(const char *s, const char *end, double *out)
{
    const bool negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    uint64_t    m = 0;
    int64_t     k = 0;
    const char *p = skip_digits(s, end, &m);
    size_t      n = (size_t)(p - s), after_point = 0;
    if (p < end && *p == '.') {
        const char *from = ++p;
        p = skip_digits(from, end, &m);
        after_point = (size_t)(p - from);
        n += after_point;
    }
    if (n == 0) return HEFT_NUM_NOT;
    const char *mantissa_end = p;
    if (p < end && (*p == 'e' || *p == 'E') && !(p = read_exponent(p + 1, end, &k)))
        return HEFT_NUM_NOT;
    if (p != end) return HEFT_NUM_NOT;
    double            x = 0;
    const int64_t     power = k - (int64_t)after_point;
    const heft_number what = n <= 19 && power >= HEFT_LOWEST_POWER && power <= HEFT_HIGHEST_POWER &&
                                     decimal_to_double(m, (int)power, &x)
                                 ? HEFT_NUM_OK
                                 : long_decimal(s, mantissa_end, k, &x);
    if (what == HEFT_NUM_OK) *out = negative ? -x : x;
    return what;
}

heft_number heft_parse_marked(char mark, const char *s, const char *end, double *out)
{
    enum { LONGEST = 400 };
    const size_t length = (size_t)(end - s);
    char         own[LONGEST];
    if (mark == '.') return heft_parse_double(s, end, out);
    if (length > LONGEST || memchr(s, '.', length)) return HEFT_NUM_NOT;
    for (size_t k = 0; k < length; k++) own[k] = s[k] == mark ? '.' : s[k];
    return heft_parse_double(own, own + length, out);
}

/* ---- growing strings ---- */

static bool reserve(heft_buf *buf, size_t length)
{
    if (buf->failed) return false;
    if (length < buf->capacity - buf->length) return true; /* one byte is left for the final 0 */
    size_t want = buf->capacity ? buf->capacity : 256;
    while (want - buf->length <= length && want <= SIZE_MAX / 4) want *= 2;
    char *data = want - buf->length > length ? heft_resize(buf->data, want, 1) : NULL;
    buf->failed = !data;
    if (!data) return false;
    buf->data = data;
    buf->capacity = want;
    return true;
}

void heft_buf_add(heft_buf *buf, const char *text, size_t length)
{
    if (!reserve(buf, length)) return;
    if (length) memcpy(buf->data + buf->length, text, length);
    buf->length += length;
    HEFT_KNOWN(buf->data);
    buf->data[buf->length] = 0;
}

char *heft_buf_space(heft_buf *buf, size_t length)
{
    return reserve(buf, length) ? buf->data + buf->length : NULL;
}

void heft_buf_text(heft_buf *buf, const char *text)
{
    heft_buf_add(buf, text, strlen(text));
}

void heft_buf_printf(heft_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    if (n < 0) {
        buf->failed = true;
    } else if (reserve(buf, (size_t)n)) {
        vsnprintf(buf->data + buf->length, (size_t)n + 1, format, again);
        buf->length += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void heft_buf_double(heft_buf *buf, double x)
{
    char *to = heft_buf_space(buf, 32);
    if (to) buf->length += heft_format_double(to, x);
}

void heft_buf_fixed(heft_buf *buf, double x, int decimals)
{
    enum { MOST = 60 };
    char text[DBL_MAX_10_EXP + MOST + 32];
    if (decimals < 0) decimals = 0;
    if (decimals > MOST) decimals = MOST;
    if (!isfinite(x)) x = 0;
    const int n = snprintf(text, sizeof text, "%.*f", decimals, x);
    /* Whatever the locale puts between them: leading digits, and `decimals` digits at the end. */
    size_t whole = text[0] == '-';
    while ((unsigned)(text[whole] - '0') <= 9) whole++;
    heft_buf_add(buf, text, whole);
    if (decimals == 0) return;
    heft_buf_add(buf, ".", 1);
    heft_buf_add(buf, text + n - decimals, (size_t)decimals);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

void heft_buf_csv(heft_buf *buf, const char *text, char delimiter)
{
    heft_buf_csv_cell(buf, text, strlen(text), delimiter);
}

void heft_buf_csv_cell(heft_buf *buf, const char *text, size_t n, char delimiter)
{
    const bool edge = n > 0 && (is_blank(text[0]) || is_blank(text[n - 1]));
    bool       quote = n == 0 || edge || (n > 2 && memcmp(text, "\xef\xbb\xbf", 3) == 0);
    for (size_t i = 0; i < n && !quote; i++)
        quote = text[i] == delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    if (!quote) {
        heft_buf_add(buf, text, n);
        return;
    }
    heft_buf_add(buf, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') heft_buf_add(buf, text + i, 1);
        heft_buf_add(buf, text + i, 1);
    }
    heft_buf_add(buf, "\"", 1);
}

/* The character that follows the backslash inside a quoted ARFF text; 0 if c stands for itself. */
static char arff_escape(char c)
{
    static const char special[] = "\n\r\t'\"\\%", escape[] = "nrt'\"\\%";
    const char       *at = c ? strchr(special, c) : NULL;
    return at ? escape[at - special] : 0;
}

void heft_buf_arff(heft_buf *buf, const char *text)
{
    bool quote = !*text || strcmp(text, "?") == 0;
    for (const char *p = text; *p && !quote; p++)
        quote = arff_escape(*p) || strchr(" ,{}", *p) || (unsigned char)*p < ' ' || *p == 127;
    if (!quote) {
        heft_buf_text(buf, text);
        return;
    }
    heft_buf_add(buf, "'", 1);
    for (const char *p = text; *p; p++) {
        const char escaped[2] = {'\\', arff_escape(*p)};
        if (escaped[1]) heft_buf_add(buf, escaped, 2);
        else heft_buf_add(buf, p, 1);
    }
    heft_buf_add(buf, "'", 1);
}

void heft_buf_clear(heft_buf *buf)
{
    heft_free(buf->data);
    memset(buf, 0, sizeof *buf);
}

heft_status heft_buf_take(heft_ctx *ctx, heft_buf *buf, char **out)
{
    *out = NULL;
    if (!buf->failed && !buf->data) heft_buf_add(buf, "", 0);
    if (buf->failed) {
        const size_t wanted = buf->capacity * 2;
        heft_buf_clear(buf);
        return heft_no_memory(ctx, wanted, 1);
    }
    *out = buf->data;
    memset(buf, 0, sizeof *buf);
    return HEFT_OK;
}

/* ---- for people ---- */

size_t heft_buf_utf8(heft_buf *buf, const char *s, size_t n)
{
    const size_t  k = heft_utf8_at(s, n);
    const uint8_t c = (uint8_t)*s;
    const char    latin[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};
    heft_buf_add(buf, k ? s : latin, k ? k : sizeof latin);
    return k ? k : 1;
}

const char *heft_count_of(char out[HEFT_COUNT_SIZE], size_t n, const char *noun)
{
    const size_t length = strlen(noun);
    const char  *ending = length && noun[length - 1] == 's' ? "es" : "s"; /* class, pass */
    snprintf(out, HEFT_COUNT_SIZE, "%zu %s%s", n, noun, n == 1 ? "" : ending);
    return out;
}

bool heft_span_is_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++) {
        const char x = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        const char y = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] + 32) : word[i];
        if (x != y || !x) return false;
    }
    return !word[length];
}

bool heft_same_word(const char *a, const char *b)
{
    return heft_span_is_word(a, strlen(a), b);
}

/* ---- lists ---- */

heft_status heft_split(heft_ctx *ctx, heft_arena *arena, const char *text, char delimiter,
                       char ***items, size_t *n)
{
    const size_t length = text ? strlen(text) : 0;
    size_t       most = 1;
    char        *to;
    *items = NULL;
    *n = 0;
    if (length == 0) return HEFT_OK;
    for (const char *p = text; *p; p++) most += *p == delimiter;
    HEFT_ALLOC(ctx, arena, *items, most);
    HEFT_ALLOC(ctx, arena, to, length + most);
    for (const char *p = text;; p++) {
        (*items)[(*n)++] = to;
        while (is_blank(*p) && *p != delimiter) p++;
        if (*p == '"') {
            for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
                if (*p == '"') p++;
                *to++ = *p;
            }
            if (*p++ != '"')
                return heft_fail(ctx, HEFT_EINVAL,
                                 "list '%s': a quotation mark is not closed (add a \")",
                                 HEFT_SHOW_PART(text, length, 80));
        }
        const char *kept = to;
        while (*p && *p != delimiter) *to++ = *p++;
        while (to > kept && is_blank(to[-1])) to--;
        *to++ = 0;
        if (!*p) return HEFT_OK;
    }
}
