// SPDX-License-Identifier: MIT
//
// The characters of strings.
#include "vm/term/text.h"

#include "base/utf8.h"

// Every character of a narrow string is one byte. The first caller finds out; several workers may
// do so at the same time, since all find the same.
static bool is_narrow(const vm_string *string)
{
    vm_string *s = (vm_string *)string;
    uint8_t known = __atomic_load_n(&s->narrow, __ATOMIC_RELAXED);
    if (known == 0) {
        known = 1;
        for (size_t i = 0; i < s->length && known == 1; i++)
            known = (unsigned char)s->text[i] < 0x80 ? 1 : 2;
        __atomic_store_n(&s->narrow, known, __ATOMIC_RELAXED);
    }
    return known == 1;
}

size_t vm_string_count(const vm_string *s)
{
    return is_narrow(s) ? s->length : utf8_count(s->text, s->length);
}

size_t vm_string_offset(const vm_string *s, size_t i)
{
    if (is_narrow(s))
        return i < s->length ? i : s->length;
    return utf8_offset(s->text, s->length, i);
}

bool vm_string_code(const vm_string *s, size_t i, uint32_t *ret)
{
    size_t at = vm_string_offset(s, i);
    if (at == s->length)
        return false;
    *ret = utf8_next(s->text, s->length, &at);
    return true;
}
