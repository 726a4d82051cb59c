! A plasma in a box: push the particles, deposit the charge, solve, smooth. The smoothing is new.
program plasma
  implicit none
  integer, parameter :: n = 50000, steps = 5
  real(8), allocatable :: x(:), v(:), field(:), old(:)
  integer :: i, step, sweep
  allocate(x(n), v(n), field(n), old(n))
  do i = 1, n
     x(i) = dble(mod(i * 7919, n)) / n
     v(i) = 0d0
     field(i) = dble(i) / n
  end do
  do step = 1, steps
     !$omp parallel do num_threads(2)
     do i = 1, n
        v(i) = v(i) + 1d-3 * sin(6.28d0 * x(i)) * field(i)
        x(i) = x(i) + 1d-3 * cos(v(i))
     end do
     !$omp end parallel do
     do sweep = 1, 3
        old = field
        do i = 2, n - 1
           field(i) = 0.5d0 * old(i) + 0.25d0 * (exp(log(old(i-1) + 1d0)) - 1d0) &
                + 0.25d0 * (exp(log(old(i+1) + 1d0)) - 1d0)
        end do
     end do
     !$omp parallel do num_threads(2)
     do i = 1, n
        field(i) = field(i) * 0.999d0 + 1d-3 * abs(sin(x(i)))
     end do
     !$omp end parallel do
  end do
  print '(2f12.6)', sum(x) / n, sum(field) / n
end program plasma
