/* registry.h - the list of methods (methods.def). */
#ifndef HEFT_METHODS_REGISTRY_H
#define HEFT_METHODS_REGISTRY_H

#include "model/method.h"

#define HEFT_DEFAULT_METHOD "auto"

size_t             heft_methods_count(void);
const heft_method *heft_methods_at(size_t i);
const heft_method *heft_methods_find(const char *name); /* name or alias */

#endif
