! Ink dries on a long strip: wetting and drying are routines of a module, and one region has all strips.
module strip_module
  implicit none
  integer, parameter :: cells = 3000
  type strip
    real(8) :: wet(cells), dry(cells)
  end type
contains
  subroutine soak(s)
    type(strip), intent(inout) :: s
    integer :: i
    do i = 2, cells - 1
      s%dry(i) = s%wet(i) + 0.2d0 * (s%wet(i - 1) - 2 * s%wet(i) + s%wet(i + 1))
    end do
  end subroutine
  subroutine settle(s)
    type(strip), intent(inout) :: s
    integer :: i
    do i = 2, cells - 1
      s%wet(i) = s%dry(i) / (1d0 + 1d-3 * s%dry(i))
    end do
  end subroutine
end module

program scribe
  use strip_module
  implicit none
  type(strip) :: ink(8)
  integer :: k, step
  do k = 1, 8
    ink(k)%wet = 0
    ink(k)%wet(cells / 2 - 50 * k:cells / 2 + 50 * k) = 1
    ink(k)%dry = 0
  end do
  !$omp parallel do private(step)
  do k = 1, 8
    do step = 1, 800
      call soak(ink(k))
      call settle(ink(k))
    end do
  end do
  print '(f12.6)', sum([(sum(ink(k)%wet), k = 1, 8)])
end program
