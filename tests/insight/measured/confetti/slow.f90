! Confetti: every piece falls by a task of its own.
program confetti
  implicit none
  integer, parameter :: n = 8000
  integer :: i, k
  real(8) :: place(n), x
  !$omp parallel private(x)
  !$omp single
  !$omp taskloop private(k, x) grainsize(1)
  do i = 1, n
     x = i
     do k = 1, 400
        x = x*0.9999d0 + 1d-4*k
     end do
     place(i) = x
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
  print '(f12.6)', sum(place)/n
end program confetti
