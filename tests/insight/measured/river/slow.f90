! A river through basins: each rank routes the flow of its basin, and needs what the basin above sends for
! all days of the year.
module basin
  implicit none
  integer, parameter :: days = 365, cells = 9000
  real(8) :: inflow(days), outflow(days), store(cells)
contains
  subroutine route(first, last)
    integer, intent(in) :: first, last
    integer :: d, c
    real(8) :: q
    do d = first, last
      q = inflow(d)
      do c = 1, cells
        store(c) = 0.97d0 * store(c) + 0.02d0 * q + 1d-3 * sin(q + c)
        q = 0.9d0 * q + 0.1d0 * store(c)
      end do
      outflow(d) = q
    end do
  end subroutine
end module

program river
  use mpi
  use basin
  implicit none
  integer :: rank, ranks, ierr
  real(8) :: total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  store = rank
  inflow = 1
  if (rank > 0) call MPI_Recv(inflow, days, MPI_DOUBLE_PRECISION, rank - 1, 1, MPI_COMM_WORLD, &
    MPI_STATUS_IGNORE, ierr)
  call route(1, days)
  if (rank < ranks - 1) call MPI_Send(outflow, days, MPI_DOUBLE_PRECISION, rank + 1, 1, MPI_COMM_WORLD, ierr)
  call MPI_Reduce(sum(outflow), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f14.6)', total
  call MPI_Finalize(ierr)
end program
