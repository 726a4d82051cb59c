! SPDX-License-Identifier: MIT
! As many calls of MPI as possible, in Fortran: a rank sends to itself.
program calls
  use mpi
  implicit none
  integer :: i, rounds, error, out, in, total
  character(len=16) :: argument
  rounds = 300000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) rounds
  end if
  total = 0
  call mpi_init(error)
  do i = 1, rounds
    out = i
    call mpi_sendrecv(out, 1, MPI_INTEGER, 0, 0, in, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, error)
    total = ieor(total, in)
  end do
  print *, total
  call mpi_finalize(error)
end program calls
