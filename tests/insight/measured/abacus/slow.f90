! An abacus that two ranks share: the beads of a row are added up one by one.
program abacus
  use mpi
  implicit none
  integer, parameter :: n = 2000, rows = 12
  real(8) :: beads(n), sums(n)
  integer :: rank, ierr, i, k, row
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  sums = rank
  do row = 1, rows
     do i = 1, n
        beads(i) = sums(i)*0.5d0
        do k = 1, 12
           beads(i) = beads(i)*0.999d0 + 1d-3*k
        end do
     end do
     do i = 1, n
        call MPI_Allreduce(beads(i), sums(i), 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                           MPI_COMM_WORLD, ierr)
     end do
  end do
  if (rank == 0) print '(f12.6)', sums(n)
  call MPI_Finalize(ierr)
end program abacus
