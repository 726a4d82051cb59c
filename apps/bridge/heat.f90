! SPDX-License-Identifier: MIT
!
! Heat in a bar, as in heat.c. Prints how warm the middle is. Known answer: one loop does all the work,
! and both threads the same of it.
program heat
  implicit none
  integer, parameter :: cells = 200001, steps = 800
  double precision, allocatable :: bar(:, :)
  integer :: i, step, now, next

  allocate(bar(cells, 2))
  do i = 1, cells
    bar(i, :) = 1 - (dble(i - 1) / (cells - 1)) ** 2
  end do
!$omp parallel num_threads(2) private(step, now, next)
  do step = 1, steps
    now = 1 + mod(step - 1, 2)
    next = 3 - now
!$omp do schedule(static)
    do i = 2, cells - 1
      bar(i, next) = bar(i, now) + 0.25d0 * (bar(i - 1, now) - 2 * bar(i, now) + bar(i + 1, now))
    end do
!$omp end do
  end do
!$omp end parallel
  print '(f5.3)', bar(cells / 2 + 1, 1)
end program heat
