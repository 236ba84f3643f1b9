/* codes.h - arrays of codes, whole numbers of 1, 2 or 4 bytes each. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint32_t heft_code_at(const void *cells, unsigned width, size_t i)
{
    return width == 1   ? ((const uint8_t *)cells)[i]
           : width == 2 ? ((const uint16_t *)cells)[i]
                        : ((const uint32_t *)cells)[i];
}

static inline void heft_code_put(void *cells, unsigned width, size_t i, uint32_t code)
{
    if (width == 1) ((uint8_t *)cells)[i] = (uint8_t)code;
    else if (width == 2) ((uint16_t *)cells)[i] = (uint16_t)code;
    else ((uint32_t *)cells)[i] = code;
}
