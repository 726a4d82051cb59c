// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as a Chrome trace. What is read is written as a trace.
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "kpx-bridge/imports/imports.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_text(data, size, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL, *notes = NULL, path[PATH_MAX];
    size_t length;
    empty_folder();
    snprintf(path, sizeof path, "%s", put_file("input.json", data, size));
    FILE *out = open_memstream(&notes, &length);
    kpx_activities *m = kpx_activities_create();
    bool good = kpx_import_chrome(m, path, out, &error);
    if (good == (error != NULL))
        abort();
    if (!good && !strstr(error, ": line ") && !strstr(error, ": no slices"))
        abort();
    if (good) {
        snprintf(path, sizeof path, "%s/output.paf", folder);
        if (!kpx_write(m, path, "input", NULL, true, 0, "", &error))
            abort();
    }
    kpx_activities_destroy(m);
    fclose(out);
    free(notes);
    free(error);
    return 0;
}
