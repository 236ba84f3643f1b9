/* replay.c - run a fuzz target over files and folders of files without a fuzzer:
 *
 *   replay_TARGET PATH...      prints how many inputs were tried; 0 of them is a failure */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static size_t n_tried;

/* The place of libFuzzer's own: targets with a mutator refer to it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    return size < max_size ? size : max_size;
}

static bool run_file(const char *path)
{
    FILE    *in = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t   n = 0, room = 0, got = 1;
    bool     good = in != NULL;
    while (good && got > 0) {
        if (n == room) {
            uint8_t *more = realloc(bytes, room = room ? room * 2 : 4096);
            good = more != NULL;
            if (good) bytes = more;
        }
        if (good) n += got = fread(bytes + n, 1, room - n, in);
    }
    uint8_t *exact = good ? malloc(n ? n : 1) : NULL; /* so that a sanitizer sees its end */
    if (exact) {
        memcpy(exact, bytes, n);
        fprintf(stderr, "%s\n", path);
        LLVMFuzzerTestOneInput(exact, n);
        n_tried++;
    } else fprintf(stderr, "%s: cannot be read\n", path);
    free(exact);
    free(bytes);
    if (in) fclose(in);
    return exact != NULL;
}

static bool run_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return run_file(path);
    struct dirent **entry;
    const int       n = scandir(path, &entry, NULL, alphasort);
    bool            good = n >= 0;
    for (int i = 0; i < n; i++) {
        char full[4096];
        snprintf(full, sizeof full, "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.') good = run_path(full) && good;
        free(entry[i]);
    }
    if (n >= 0) free(entry);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc; i++) good = run_path(argv[i]) && good;
    printf("%zu inputs\n", n_tried);
    return good && n_tried > 0 ? 0 : 1;
}
