! SPDX-License-Identifier: MIT
!
! How many points of a grid belong to the Mandelbrot set, as in mandelbrot.c. Known answer: with
! argument `bad` (schedule(static), the default) the loop is unbalanced, with `good` (schedule(dynamic))
! not.
program mandelbrot
  implicit none
  integer, parameter :: rows = 200, columns = 200, limit = 4000
  integer :: row, total
  character(len=8) :: how

  call get_command_argument(1, how)
  total = 0
  if (how == 'good') then
!$omp parallel do schedule(dynamic, 4) num_threads(2) reduction(+ : total)
    do row = 1, rows
      total = total + members(row)
    end do
  else
!$omp parallel do schedule(static) num_threads(2) reduction(+ : total)
    do row = 1, rows
      total = total + members(row)
    end do
  end if
  print '(i0)', total
contains
  ! Rows go from outside of the set to its middle.
  integer function members(row)
    integer, intent(in) :: row
    integer :: column, i
    double precision :: x, y, a, b, t
    members = 0
    do column = 1, columns
      a = -2 + 2.5d0 * column / columns
      b = 1.5d0 - 1.5d0 * row / rows
      x = 0
      y = 0
      i = 0
      do while (i < limit .and. x * x + y * y <= 4)
        t = x * x - y * y + a
        y = 2 * x * y + b
        x = t
        i = i + 1
      end do
      if (i == limit) members = members + 1
    end do
  end function members
end program mandelbrot
