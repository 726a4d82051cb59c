! SPDX-License-Identifier: MIT
!
! A pipeline of ranks, as in pipeline.c. Known answer: the second rank takes three times as long for a
! piece as the others, so the ranks behind it wait for it.
program pipeline
  use mpi_f08
  implicit none
  integer, parameter :: pieces = 40
  integer :: rank, ranks, i, k
  double precision :: sum, piece, all

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  sum = 0
  piece = 1
  do i = 1, pieces
    if (rank > 0) call MPI_Recv(piece, 1, MPI_DOUBLE_PRECISION, rank - 1, i, MPI_COMM_WORLD, &
                                MPI_STATUS_IGNORE)
    do k = 1, merge(900000, 300000, rank == 1)
      piece = piece * 0.999999d0 + 1d-6
    end do
    if (rank + 1 < ranks) call MPI_Send(piece, 1, MPI_DOUBLE_PRECISION, rank + 1, i, MPI_COMM_WORLD)
    sum = sum + piece
  end do
  call MPI_Reduce(sum, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(f0.3)', all
  call MPI_Finalize
end program pipeline
