! Nothing to remove: independent blocks as tasks, many more than threads.
program blocks
  implicit none
  integer, parameter :: n = 64, m = 300
  real(8) :: block(m, n)
  integer :: i
  do i = 1, n
     block(:, i) = dble(i)
  end do
  !$omp parallel num_threads(2)
  !$omp single
  do i = 1, n
     !$omp task firstprivate(i) shared(block)
     call relax(block(:, i))
     !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  print '(f16.6)', sum(block)
contains
  subroutine relax(x)
    real(8), intent(inout) :: x(m)
    integer :: k, j
    do k = 1, 100
       do j = 1, m
          x(j) = 0.5d0 * x(j) + cos(x(j) + k)
       end do
    end do
  end subroutine relax
end program blocks
