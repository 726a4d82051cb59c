! SPDX-License-Identifier: MIT
!
! Messages and collectives by the module mpi_f08: blocking, not blocking, persistent, with wildcards.
program exchanges_f08
  use mpi_f08
  implicit none
  integer :: rank, ranks, values(4), got(4), total, i
  type(MPI_Request) :: requests(4), again
  type(MPI_Status) :: statuses(4), status
  type(MPI_Comm) :: copy

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  got = 0
  do i = 1, 2
    values(i) = 10 * rank + i
    call MPI_Irecv(got(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, i, copy, requests(i))
  end do
  do i = 1, 2
    call MPI_Isend(values(i), 1, MPI_INTEGER, mod(rank + 1, ranks), i, copy, requests(2 + i))
  end do
  call MPI_Waitall(4, requests, statuses)
  if (rank == 0) then
    call MPI_Send_init(values, 1, MPI_INTEGER, 1, 9, MPI_COMM_WORLD, again)
  else
    call MPI_Recv_init(got, 1, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, again)
  end if
  do i = 1, 3
    call MPI_Start(again)
    call MPI_Wait(again, status)
  end do
  call MPI_Request_free(again)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, copy)
  call MPI_Bcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Comm_free(copy)
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize
end program exchanges_f08
