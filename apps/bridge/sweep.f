C SPDX-License-Identifier: MIT
C
C     A relaxation in Fortran 77 with what programs of that time have: DO
C     loops that end at a label that they share, loops that a GOTO or a
C     RETURN leaves, a DO WHILE, an ENTRY, an alternate return, and I/O
C     to a scratch file. It prints the figures that follow from its
C     text, so that what is measured of it is known.
C
      PROGRAM SWEEP
      REAL*8 A(64,64), R
      INTEGER I, J, K, N, FOUND
      N = 64
      DO 10 J = 1, N
      DO 10 I = 1, N
      A(I,J) = I + J
   10 CONTINUE
      DO 20 K = 1, 50
         CALL RELAX(A, N)
   20 CONTINUE
C     Left by GOTO in its seventh turn
      DO 30 I = 1, 100
         IF (I .EQ. 7) GOTO 40
   30 CONTINUE
   40 CALL SEARCH(A, N, 30.5D0, FOUND)
      CALL AGAIN(A, N)
      CALL CHECK(A, N, *50)
      WRITE (*,*) 'not reached'
   50 R = 0
      K = 0
      DO WHILE (R .LT. 10)
         R = R + 1
         K = K + 1
      END DO
      CALL STORE(A, N)
      PRINT *, FOUND, K, INT(A(2,2))
      END
C
      SUBROUTINE RELAX(A, N)
      INTEGER N, I, J
      REAL*8 A(N,N)
      DO 100 J = 2, N - 1
      DO 100 I = 2, N - 1
  100 A(I,J) = 0.25D0 * (A(I-1,J) + A(I+1,J) + A(I,J-1) + A(I,J+1))
      RETURN
      ENTRY AGAIN(A, N)
      DO 110 I = 1, N, 9
  110 A(I,1) = A(I,1) + 1
      END
C
      SUBROUTINE SEARCH(A, N, X, FOUND)
      INTEGER N, I, J, FOUND
      REAL*8 A(N,N), X
      FOUND = 0
      DO 210 J = 1, N
         DO 200 I = 1, N
            FOUND = FOUND + 1
            IF (A(I,J) .GT. X) RETURN
  200    CONTINUE
  210 CONTINUE
      END
C
      SUBROUTINE CHECK(A, N, *)
      INTEGER N
      REAL*8 A(N,N)
      IF (A(1,1) .GT. 0) RETURN 1
      END
C
      SUBROUTINE STORE(A, N)
      INTEGER N, I, IO
      REAL*8 A(N,N), B
      OPEN (UNIT=12, STATUS='SCRATCH', FORM='UNFORMATTED')
      DO 300 I = 1, N
  300 WRITE (12) A(I,1)
      REWIND 12
      I = 0
  310 READ (12, END=320, IOSTAT=IO) B
      IF (IO .NE. 0) GOTO 320
      I = I + 1
      GOTO 310
  320 CLOSE (12)
      WRITE (*,'(I5)') I
      END
