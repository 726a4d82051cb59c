C SPDX-License-Identifier: MIT
C     Loops: 8,000 sweeps over a square. The inner loop is begun 4,080,000
C     times and takes a part of a microsecond.
      PROGRAM STENCIL
      INTEGER N, I, J, K
      PARAMETER (N = 512)
      REAL*8 A(N,N), B(N,N), S
      DO 10 J = 1, N
      DO 10 I = 1, N
   10 A(I,J) = MOD(I * J, 17)
      DO 20 K = 1, 4000
         CALL SWEEP(A, B, N)
         CALL SWEEP(B, A, N)
   20 CONTINUE
      S = 0
      DO 30 J = 1, N
      DO 30 I = 1, N
   30 S = S + A(I,J)
      PRINT '(F0.3)', S
      END
      SUBROUTINE SWEEP(A, B, N)
      INTEGER N, I, J
      REAL*8 A(N,N), B(N,N)
      DO 40 J = 2, N - 1
      DO 40 I = 2, N - 1
   40 B(I,J) = 0.25D0 * (A(I-1,J) + A(I+1,J) + A(I,J-1) + A(I,J+1))
      END
