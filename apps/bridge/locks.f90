! SPDX-License-Identifier: MIT
!
! Two threads that do all their work in one critical section, as in locks.c. Known answer: no
! parallelism; a thread waits for the section half of the time.
program locks
  implicit none
  integer :: i, k
  double precision :: sum
  sum = 0
!$omp parallel num_threads(2) private(i, k)
  do i = 1, 200
!$omp critical
    do k = 1, 100000
      sum = sum + 1d0 / k
    end do
!$omp end critical
  end do
!$omp end parallel
  print '(f0.3)', sum
end program locks
