! A survey: every rank makes a part of the map.
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
     do i = 1 + rank * n / size, (rank + 1) * n / size
        map(i) = height(i, round)
     end do
     call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, map, n / size, MPI_DOUBLE_PRECISION, &
          MPI_COMM_WORLD, ierr)
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
