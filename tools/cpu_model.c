/* cpu_model.c - which vector instructions the processor has, for __builtin_cpu_supports and for the
 * versions of a function that the loader chooses among (lib/base/wide.h).
 *
 * gcc's and clang's run-time libraries define these symbols; zig's does not, so that tools/wheels
 * links this file. The places of the bits are part of the ABI of both compilers. */
#include <cpuid.h>
#include <stdint.h>

struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model __attribute__((visibility("hidden")));
unsigned __cpu_features2[3] __attribute__((visibility("hidden")));

int __cpu_indicator_init(void) __attribute__((visibility("hidden"), constructor(101)));

typedef struct feature {
    unsigned char place, reg, bit; /* in our words; in what CPUID answers */
    unsigned char needs;           /* of the system: 0 nothing, 1 AVX's registers, 2 AVX-512's */
} feature;

enum { ECX1, EDX1, EBX7, ECX7, REGISTERS };

static const feature features[] = {
    {0, EDX1, 15, 0},  {1, EDX1, 23, 0},  {2, ECX1, 23, 0},  {3, EDX1, 25, 0},  {4, EDX1, 26, 0},
    {5, ECX1, 0, 0},   {6, ECX1, 9, 0},   {7, ECX1, 19, 0},  {8, ECX1, 20, 0},  {9, ECX1, 28, 1},
    {10, EBX7, 5, 1},  {14, ECX1, 12, 1}, {15, EBX7, 16, 2}, {16, EBX7, 3, 0},  {17, EBX7, 8, 0},
    {18, ECX1, 25, 0}, {19, ECX1, 1, 0},  {20, EBX7, 31, 2}, {21, EBX7, 30, 2}, {22, EBX7, 17, 2},
    {23, EBX7, 28, 2}, {26, ECX7, 1, 2},  {27, EBX7, 21, 2}, {30, ECX7, 14, 2}, {31, ECX7, 6, 2},
    {32, ECX7, 8, 0},  {33, ECX7, 10, 1}, {34, ECX7, 11, 2}, {35, ECX7, 12, 2},
};

/* Which registers the system keeps: 0, 1 or 2 as above. */
static unsigned kept(unsigned ecx1)
{
    uint32_t low, high;
    if (!(ecx1 >> 27 & 1)) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return (low & 6) != 6 ? 0 : (low & 0xe6) == 0xe6 ? 2 : 1;
}

int __cpu_indicator_init(void)
{
    unsigned eax, ebx, ecx, edx, answer[REGISTERS] = {0};
    if (__cpu_model.vendor) return 0;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return -1;
    answer[ECX1] = ecx;
    answer[EDX1] = edx;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        answer[EBX7] = ebx;
        answer[ECX7] = ecx;
    }
    const unsigned system = kept(answer[ECX1]);
    for (unsigned k = 0; k < sizeof features / sizeof *features; k++) {
        const feature *f = &features[k];
        if (f->needs > system || !(answer[f->reg] >> f->bit & 1)) continue;
        if (f->place < 32) __cpu_model.features[0] |= 1u << f->place;
        else __cpu_features2[0] |= 1u << (f->place - 32);
    }
    __cpu_model.vendor = 3; /* other: only the features are told */
    return 0;
}
