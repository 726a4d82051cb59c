// SPDX-License-Identifier: MIT
//
// What is found in sources in Fortran. A source stands beside what is expected of it: a line per loop,
//   UNIT SEQ LABEL T LINE LAST-LINE
// and per statement that reads or writes, UNIT SEQ KIND NUMBER LINE.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/fortran/scan.h"

typedef struct {
    const char *what;
    kpx_scan_form form;
    const char *source, *expected;
} scan_case;

static const scan_case cases[] = {
    {"labels that loops share, and jumps out and within",
     {.fixed = true},
     "      PROGRAM P\n"
     "      DO 10 I=1,10\n"
     "      D O 1 0 J = 1 , 1 0\n"
     "      IF (I.EQ.J) GO TO 10\n"
     "   10 CONTINUE\n"
     "      DO 20, K = 1,\n"
     "C     a comment\n"
     "     &   5\n"
     "      DO 15 L = 1, 2\n"
     "   15 IF (K-3) 20, 30, 20\n"
     "   20 CONTINUE\n"
     "   30 DO 40 I = 1.5\n"
     "   40 DO10I = 1.2\n"
     "      END\n",
     "p 1 10 1 2 5\np 2 10 1 3 5\np 3 20 0 6 11\np 4 15 0 9 10\n"},
    {"texts that look like statements",
     {.fixed = true},
     "      SUBROUTINE S(A)\n"
     "      CHARACTER*20 A\n"
     "      A = 'DO 10 I=1,10'\n"
     "      A = 'it''s ! no comment' ! but this\n"
     " 100  FORMAT (5HREAD(,I5,'WRITE (6)')\n"
     "      READ(5) = 3\n"
     "      WRITE (6,100,ERR=7) A; READ *, A\n"
     "      PRINT 100, 5HEND D\n"
     "      REWIND 12\n"
     "    7 BACKSPACE (UNIT=13)\n"
     "      END\n",
     "s 1 write 6 7\ns 2 read * 7\ns 3 print * 8\ns 4 rewind 12 9\ns 5 backspace 13 10\n"},
    {"names of loops and blocks",
     {.fixed = false},
     "module m\n"
     "  interface\n"
     "    subroutine not_here(x)\n"
     "    end subroutine\n"
     "  end interface\n"
     "contains\n"
     "  pure integer function f(x) result(r)\n"
     "    a: do i = 1, 10; b: do j = 1, 10\n"
     "      if (x > j) cycle a\n"
     "    end do b; end do a\n"
     "    c: block\n"
     "      do i = 1, 3\n"
     "        d: if (x > 1) then\n"
     "          if (x > 2) exit d\n"
     "        end if d\n"
     "      end do\n"
     "      do i = 1, 3\n"
     "        exit c\n"
     "      end do\n"
     "    end block c\n"
     "    do concurrent (i = 1:3)\n"
     "    end do\n"
     "    do while (x & ! goes on\n"
     "      & > 1)\n"
     "    enddo\n"
     "  contains\n"
     "    subroutine g\n"
     "      do\n"
     "        return\n"
     "      end do\n"
     "    end\n"
     "  end function\n"
     "end module\n",
     "f 1 0 1 8 10\nf 2 0 0 8 10\nf 3 0 1 12 16\nf 4 0 0 17 19\nf 5 0 0 23 25\ng 1 0 0 28 30\n"},
    {"a program that does not say so, and is cut off",
     {.fixed = false},
     "integer :: do = 1\n"
     "#ifdef X\n"
     "do i = 1, 2\n"
     "  open (newunit=u, file='a')\n"
     "  call s(1, *20)\n"
     "  write (unit=u, fmt=*) &\n",
     "main 1 0 0 3 7\nmain 1 open u 4\nmain 2 write u 6\n"},
};

static char *found_in(const scan_case *c)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    kpx_scan *s = kpx_scan_fortran(c->source, strlen(c->source), c->form);
    for (uint32_t i = 0; i < s->loops.n; i++) {
        const kpx_do_loop *l = &s->loops.at[i];
        if (l->kind != KPX_DO_CONCURRENT)
            fprintf(out, "%s %" PRIu32 " %" PRIu32 " %d %" PRIu32 " %" PRIu32 "\n",
                    s->units.at[l->unit].name, l->seq, l->label, l->definite, l->line, l->last_line);
    }
    for (uint32_t i = 0; i < s->ios.n; i++) {
        const kpx_io_statement *io = &s->ios.at[i];
        fprintf(out, "%s %" PRIu32 " %s %s %" PRIu32 "\n", s->units.at[io->unit].name, io->seq, io->kind,
                io->number, io->line);
    }
    kpx_scan_destroy(s);
    fclose(out);
    return text;
}

int main(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *found = found_in(&cases[i]);
        if (strcmp(found, cases[i].expected) != 0) {
            printf("FAILED: %s\n--- found\n%s--- expected\n%s", cases[i].what, found, cases[i].expected);
            failures++;
        }
        free(found);
    }
    return failures > 0;
}
