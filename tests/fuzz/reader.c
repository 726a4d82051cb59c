// SPDX-License-Identifier: MIT
//
// libFuzzer target: the reader takes any bytes; and a term that it took, written again, is read as
// the same term.
#include "fleng/reader/parse.h"
#include "fleng/reader/source.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_text(data, size, capacity, seed);
}

// Text of the one term in `text`; NULL if it cannot be read.
static const char *text_again(const char *text)
{
    fl_source *source = fl_source_from_text("again", text, strlen(text));
    const char *at = source->text, *end = at + source->length;
    fl_term *term;
    uint32_t n;
    fl_variable *variables;
    if (fl_read_term(source, &at, end, &term, &n, &variables, NULL) != 1)
        return NULL;
    return fl_term_text(term, variables, 0);
}

static void check_sentence(const fl_sentence *sentence)
{
    const char *text = fl_term_text(sentence->term, sentence->variables, 0);
    const char *again = text_again(text);
    if (!again || strcmp(text, again) != 0) {
        fprintf(stderr, "read:  %s\nagain: %s\n", text, again ? again : "(not readable)");
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    if (!ready)
        vm_memory_init();
    ready = true;
    fl_messages *messages = fl_messages_create();
    fl_source *source = fl_source_from_text("fuzz", (const char *)data, size);
    fl_reader reader;
    fl_reader_begin(&reader, source, source->text, source->text + size, messages);
    fl_sentence sentence;
    int result;
    while ((result = fl_reader_next(&reader, &sentence)) != 0)
        if (result > 0)
            check_sentence(&sentence);
    free(fl_messages_text(messages, size % 2 == 0));
    fl_messages_destroy(messages);
    return 0;
}
