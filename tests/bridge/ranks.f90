! SPDX-License-Identifier: MIT
program ranks
  use mpi
  integer :: error, rank, i
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  do i = 1, 10 * (rank + 1)
    call work
  end do
  if (rank == 1) write (7 + rank, *) rank
  call mpi_finalize(error)
contains
  subroutine work
  end subroutine
end program
