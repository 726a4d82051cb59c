! SPDX-License-Identifier: MIT
!
! Grains that move in a box, in Fortran 90: a module with contained procedures, named loops left by
! EXIT and CYCLE, a recursive function, loops within continued lines, I/O to a new unit. What is
! measured of it is known from its text.
module grains
  implicit none
  integer, parameter :: n = 200
  real(8) :: x(n), v(n)
contains
  subroutine start
    integer :: i
    do i = 1, n; x(i) = i; v(i) = mod(i, 7) - 3; end do
  end subroutine start

  subroutine move(steps)
    integer, intent(in) :: steps
    integer :: s, i
    do s = 1, &
         steps
      do i = 1, n
        x(i) = x(i) + 0.01d0 * v(i)
      end do
      call reflect
    end do
  contains
    subroutine reflect
      where (x < 0) v = -v
      x = abs(x)
    end subroutine reflect
  end subroutine move

  integer function pairs(limit)
    real(8), intent(in) :: limit
    integer :: i, j
    pairs = 0
    outer: do i = 1, n
      inner: do j = i + 1, n
        if (pairs >= 100) exit outer
        if (abs(x(i) - x(j)) > limit) cycle inner
        pairs = pairs + 1
      end do inner
    end do outer
  end function pairs

  recursive integer function tree(depth) result(leaves)
    integer, intent(in) :: depth
    integer :: k
    if (depth == 0) then
      leaves = 1
      return
    end if
    leaves = 0
    do k = 1, 2
      leaves = leaves + tree(depth - 1)
    end do
  end function tree
end module grains

program main
  use grains
  implicit none
  integer :: unit, found, count
  character(len=20) :: text
  call start
  call move(25)
  found = pairs(1000d0)
  open (newunit=unit, file='grains.out', status='replace')
  write (unit, '(i6)') found
  close (unit)
  write (text, '(i6)') found
  count = 0
  do
    count = count + 1
    if (count == 12) exit
  end do
  print '(a,i5,i4)', trim(text), tree(6), count
end program main
