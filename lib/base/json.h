/* json.h - text for JSON documents. What users call things need not be UTF-8; JSON must be. */
#pragma once

#include "base/text.h"

/* Bytes (1 to 4) of the UTF-8 character that [s, s + n) begins with; 0 when it begins with none. */
size_t heft_utf8_at(const char *s, size_t n);
bool   heft_utf8_valid(const char *text);

/* A JSON string, quoted and escaped. Bytes that are not UTF-8 are taken as Latin-1. */
void heft_buf_json(heft_buf *buf, const char *text);
/* A JSON number; null for what JSON cannot say. */
void heft_buf_json_number(heft_buf *buf, double x);
