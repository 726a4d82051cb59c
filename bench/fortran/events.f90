! SPDX-License-Identifier: MIT
!
! Two million calls, all of which fit onto a timeline: prints the processor time that they took, in
! nanoseconds for each beginning and end.
program events
  implicit none
  integer, parameter :: calls = 2000000
  real(8) :: x, force, start, end
  integer :: i

  x = 1
  call cpu_time(start)
  do i = 1, calls
    x = force(x, 2d0)
  end do
  call cpu_time(end)
  print '(f0.3)', (end - start) * 1d9 / (2 * calls) + 0 * x
end program events
