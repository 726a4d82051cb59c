! A survey: rank 0 makes the map, all others wait for it.
program survey
  use mpi
  implicit none
  integer, parameter :: n = 1200
  real(8) :: map(n), part, total
  integer :: rank, size, ierr, i, k, round
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  total = 0
  do round = 1, 16
     if (rank == 0) then
        do i = 1, n
           map(i) = height(i, round)
        end do
     end if
     call MPI_Bcast(map, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
     part = 0
     do i = rank + 1, n, size
        do k = 1, 600
           part = part + sin(map(i) * k)
        end do
     end do
     total = total + part
  end do
  call MPI_Reduce(total, part, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f14.4)', part
  call MPI_Finalize(ierr)
contains
  real(8) function height(i, round)
    integer, intent(in) :: i, round
    integer :: j
    height = 0
    do j = 1, 800
       height = height + cos(dble(i) * j / n) / (j + round)
    end do
  end function height
end program survey
