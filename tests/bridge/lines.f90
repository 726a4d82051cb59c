! SPDX-License-Identifier: MIT
!
! Constructs of OpenMP whose lines are known from their directives: behind other statements, in branches,
! in procedures of modules, and in those that are called from a region.
module parts
  implicit none
  integer :: total = 0
contains
  subroutine shared_out(a)
    real, intent(inout) :: a(:)
    integer :: i
!$omp do schedule(dynamic, 10)
    do i = 1, size(a)
      a(i) = a(i) + i
    end do
!$omp end do nowait
    call tell(0)
!$omp critical (telling)
    total = total + 1
!$omp end critical (telling)
  end subroutine

  subroutine tell(what)
    integer, intent(in) :: what
    if (what > 0) print '(i0)', what
  end subroutine

  recursive subroutine tree(depth)
    integer, intent(in) :: depth
    if (depth == 0) return
    !$omp task
    call tree(depth - 1)
    !$omp end task
    !$omp task
    call tree(depth - 1)
    !$omp end task
    !$omp taskwait
  end subroutine
end module

program lines
  use parts
  implicit none
  integer :: i, k, x, y
  real :: a(1000)
  character(len=8) :: how
  x = 0
  a = 0
  call get_command_argument(1, how)
  if (how == 'other') then
    !$omp parallel do num_threads(2) schedule(guided)
    do i = 1, 1000
      a(i) = i
    end do
  else
    !$omp parallel do num_threads(2) schedule(static) private(k)
    do i = 1, 1000
      do k = 1, 2
        a(i) = a(i) + k * i
      end do
    end do
  end if

  !$omp parallel num_threads(2) private(y)
  y = 1
  !$omp do schedule(static, 5)
  do i = 1, 1000
    a(i) = i
  end do
  !$omp end do
  call tell(0)
  !$omp critical
  x = x + y
  !$omp end critical
  y = y + 1
  !$omp barrier
  !$omp single
  x = x + 1
  !$omp end single
  !$omp master
  x = x + 1
  !$omp end master
  !$omp barrier
  !$omp sections
  !$omp section
  a(1) = 2
  !$omp section
  a(2) = 2
  !$omp section
  a(3) = 2
  !$omp end sections
  call shared_out(a)
  !$omp end parallel

  !$omp parallel do ordered schedule(dynamic) num_threads(2)
  do i = 1, 10
    a(i) = a(i) + i
    !$omp ordered
    x = x + 1
    !$omp end ordered
  end do

  !$omp parallel num_threads(2)
  !$omp single
  call tree(4)
  !$omp taskgroup
  !$omp task
  x = x + 3
  !$omp end task
  !$omp end taskgroup
  !$omp end single
  !$omp end parallel
  print '(i0, 1x, i0)', x, total
end program
