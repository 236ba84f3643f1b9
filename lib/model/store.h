/* store.h - models to and from files.
 *
 * In the file's metadata, for people and other programs: "heft" (the version that wrote it),
 * "method", and as JSON "parameters", "preparation", "training", "extra" and "schema" (target,
 * classes, the number of attributes and, up to a thousand, their names and kinds). heft itself
 * reads "method" and the tensors, where strings are NAME.bytes and NAME.ends (file.h), A
 * attributes, K classes, V codes of an attribute:
 *
 *   parameter.name, parameter.value   strings; the method's options as used
 *   setting                strings: smoothing, prior
 *   target, class          strings: 1, K
 *   prep.spec              U64 impute, cutting, bins, scaling, unseen as zero, sparse (prep.h)
 *   prep.mdl_scale         F64
 *   attr.name              strings A
 *   attr.kind              U8 A; 0 numeric, 1 nominal
 *   attr.n_values          U32 A; attr.value strings, all nominal attributes' end to end
 *   attr.has_fill          U8 A; attr.fill F64 A; absent when nothing is imputed
 *   attr.shift, attr.factor  F64 A; absent when nothing is scaled
 *   attr.cut               U8 A; attr.n_cuts U32 A; attr.cuts F64; absent when nothing is cut
 *   log_prior, bias        F64 K; -inf: the class takes no part; bias may be absent
 *   lik.kind, lik.silent   U8 A; 0 table, 1 normal, 2 rounded normal, 3 kernel
 *   lik.table              F64 (V + 2) x K of each table, code-major: the values, missing, unseen
 *   lik.mean, lik.sd       F64 K of each normal and rounded normal
 *   lik.precision          F64 1 of each rounded normal
 *   lik.start              U64 K + 1, lik.width F64 K of each kernel; lik.point, lik.log_mass F64
 *   weight.shape           U8 1: 0 all 1, 1 by attribute, 2 by class, 3 by value
 *   weight.folded          U8 1: the likelihoods hold the weights already
 *   weight.prior           F64 1
 *   weight                 F64 A, A x K, or one a value; weight.offset U64 A + 1 by value
 *   training.number        F64 rows, iterations, evaluations, first and last objective, seconds
 *   training.flag          U8 iterative, converged; training.stopped_by strings 0 or 1
 *   fact.name, fact.text   strings; fact.number F64; fact.is_text U8
 *   suffstats.class            F64 K: weight of the rows by class; this and the following, for
 *                          merging, may be absent (stats/suffstats.h)
 *   suffstats.value            F64 (V + 2) x K of each coded attribute, as lik.table: counts
 *   suffstats.filled           U8 A: 1 where a training cell was imputed
 *   suffstats.sum              F64 7 of each numeric attribute and class: weight, 1 when the values
 *                          differ, first value a, sum of x - a (two numbers to be added), sum of
 *                          (x - a)^2 (two numbers); a is 0 in sparse models
 *   suffstats.scale            F64 of each numeric attribute: what its values were multiplied by
 *   suffstats.start            U64 K + 1 of each numeric attribute; suffstats.point,
 * suffstats.weight F64: its distinct values by class, and their weight suffstats.pair F64 x K:
 * counts of two values (stats/pairs.h)
 *
 * A method's private state follows, by names of its own. */
#ifndef HEFT_MODEL_STORE_H
#define HEFT_MODEL_STORE_H

#include "model/model.h"
#include "model/safetensors.h"

enum { HEFT_N_SPEC = 6, HEFT_N_TRAINING = 6 }; /* lengths of prep.spec and training.number */

/* The same model gives the same bytes. ENUMERIC when it holds what could not be loaded again. */
heft_status heft_store_save(heft_ctx *ctx, const heft_model *model, const char *path);
/* The bytes of that file; free with heft_free. */
heft_status heft_store_save_bytes(heft_ctx *ctx, const heft_model *model, char **bytes,
                                  size_t *length);
/* store_suffstats.c: the parts suffstats.* alone. */
heft_status heft_store_save_suffstats(heft_ctx *ctx, const heft_model *model, heft_file *file);
heft_status heft_store_load_suffstats(heft_ctx *ctx, const heft_file *file, heft_model *model);

/* All of the file is checked; EUNSUPPORTED when its method is unknown. Free with heft_model_free.
 */
typedef const heft_method *heft_method_fn(const char *name); /* NULL: there is none */

heft_status heft_store_load(heft_ctx *ctx, const char *path, heft_method_fn *find,
                            heft_model **out);
heft_status heft_store_load_bytes(heft_ctx *ctx, const char *label, const void *bytes,
                                  size_t length, heft_method_fn *find, heft_model **out);

#endif
