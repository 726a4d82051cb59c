// SPDX-License-Identifier: MIT
//
// libFuzzer target: any text as the file of a program, which is analysed, compiled and checked as `fleng -check`
// does it, in the notation that its first letter tells. A program without an error has code.
#include <stdlib.h>

#include "fleng/analyse/analyse.h"
#include "fleng/check/check.h"
#include "fleng/compile/compile.h"
#include "fleng/reader/messages.h"
#include "folder.h"
#include "mutate.h"
#include "vm/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_text(data, size, capacity, seed);
}

static const char *file_of(const uint8_t *data, size_t size)
{
    empty_folder();
    return put_file(size > 0 && data[0] == ':' ? "input.kl1" : "input.fl", data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    if (!ready)
        vm_memory_init();
    ready = true;
    const char *path = file_of(data, size);
    fl_messages *messages = fl_messages_create();
    fl_program *program = fl_analyse(&path, 1, size % 3 == 0 ? "main" : NULL, messages);
    if (fl_error_count(messages) == 0 && !fl_compile(program, size % 5 == 0, messages) &&
        fl_error_count(messages) == 0)
        abort();
    fl_check_program(program, messages);
    free(size % 2 == 0 ? fl_messages_text(messages, size % 4 == 0) : fl_messages_json(messages));
    free(fl_first_message(messages, 1, 1));
    fl_messages_destroy(messages);
    return 0;
}
