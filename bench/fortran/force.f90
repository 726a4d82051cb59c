! SPDX-License-Identifier: MIT
! Called by calls.f90.
real(8) function force(x, y)
  real(8), intent(in) :: x, y
  real(8) :: d
  d = abs(x - y) + 1
  force = 1 / (d * sqrt(d))
end function force
