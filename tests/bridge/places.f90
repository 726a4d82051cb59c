! SPDX-License-Identifier: MIT
!
! Calls whose lines gfortran's debug information has not, or has otherwise: those with variables only,
! those that are continued, the last ones of a subroutine. MODULE is put in by the test.
program places
  use MODULE
  implicit none
  integer :: ierr, rank, n, x(10)
  HANDLES
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
  x = rank
  if (rank == 0) then
    call MPI_SEND(x, 10, MPI_INTEGER, 1, 5, &
                  MPI_COMM_WORLD, ierr)
    call inner(1)
  else
    call MPI_RECV(x, 10, MPI_INTEGER, &
                  MPI_ANY_SOURCE, MPI_ANY_TAG, & ! MPI_SEND(x) is far
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call inner(0)
  end if
  if (n > 0) call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  call MPI_FINALIZE(ierr)
contains
  subroutine inner(other)
    integer, intent(in) :: other
    integer, save :: y(10)
    call MPI_IRECV(y, 10, MPI_INTEGER, other, 1, MPI_COMM_WORLD, req, ierr)
    call MPI_SSEND(x, 10, MPI_INTEGER, other, 1, MPI_COMM_WORLD, ierr)
    call MPI_WAIT(req, st, ierr)
  end subroutine
end program
