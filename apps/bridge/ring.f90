! SPDX-License-Identifier: MIT
!
! A number goes around a ring of ranks, and each adds one to it.
! Known answer: each rank but the one that has it waits.
program ring
  use mpi
  implicit none
  integer :: rank, ranks, error, count

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  count = 0
  if (rank > 0) then
    call MPI_Recv(count, 1, MPI_INTEGER, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end if
  count = count + 1
  call MPI_Send(count, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, MPI_COMM_WORLD, error)
  if (rank == 0) then
    call MPI_Recv(count, 1, MPI_INTEGER, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    print '(i0)', count
  end if
  call MPI_Finalize(error)
end program ring
