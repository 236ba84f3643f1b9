/* registry.h - the list of methods (methods.def). */
#pragma once

#include "model/method.h"

#define HEFT_DEFAULT_METHOD "auto"

size_t             heft_methods_count(void);
const heft_method *heft_methods_at(size_t i);
const heft_method *heft_methods_find(const char *name); /* name or alias */
/* Lists the names of the methods for which `which` holds (NULL: all), separated by commas, for
 * messages. */
void heft_methods_list(bool (*which)(const heft_method *method), char *out, size_t size);
/* Finds the method of this name (NULL: the default one). Returns EINVAL, with the names there are,
 * if there is none. */
heft_status heft_method_of(heft_ctx *ctx, const char *name, const heft_method **out);
