! SPDX-License-Identifier: MIT
! Input and output: 400,000 records written and read with a format.
program lines
  integer :: i, k, unit
  real(8) :: x, s
  open (newunit=unit, status='scratch')
  do i = 1, 400000
    write (unit, '(i8,f12.4)') i, i / 3d0
  end do
  rewind unit
  s = 0
  do i = 1, 400000
    read (unit, '(i8,f12.4)') k, x
    s = s + x / k
  end do
  print '(f0.3)', s
end program lines
