! SPDX-License-Identifier: MIT
! Calls: a function that is called 100,000,000 times and does little, from a loop that is
! begun often. It is in a file of its own, force.f90, as such functions mostly are.
program calls
  real(8), external :: force
  real(8) :: x(2000), f(2000)
  integer :: i, j, s
  x = [(modulo(7919d0 * i, 1000d0), i = 1, 2000)]
  f = 0
  do s = 1, 25
    do i = 1, 2000
      do j = 1, 2000
        f(i) = f(i) + force(x(i), x(j))
      end do
    end do
  end do
  print '(f0.3)', sum(f)
end program calls
