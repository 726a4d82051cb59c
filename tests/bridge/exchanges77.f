c     SPDX-License-Identifier: MIT
c
c     Messages and collectives by mpif.h, in the form of Fortran 77.
      program exch77
      implicit none
      include 'mpif.h'
      integer rank, error, i, x(4), y(4), status(MPI_STATUS_SIZE)
      integer requests(2), statuses(MPI_STATUS_SIZE, 2)
      call MPI_INIT(error)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
      do 10 i = 1, 4
        x(i) = rank
   10 continue
      do 20 i = 1, 5
        if (rank .eq. 0) then
          call MPI_SEND(x, 4, MPI_INTEGER, 1, i, MPI_COMM_WORLD, error)
        else
          call MPI_RECV(y, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG,
     &                  MPI_COMM_WORLD, status, error)
        end if
   20 continue
      call MPI_IRECV(y, 4, MPI_INTEGER, 1 - rank, 7, MPI_COMM_WORLD,
     &               requests(1), error)
      call MPI_ISEND(x, 4, MPI_INTEGER, 1 - rank, 7, MPI_COMM_WORLD,
     &               requests(2), error)
      call MPI_WAITALL(2, requests, statuses, error)
      call MPI_SENDRECV(x, 4, MPI_INTEGER, 1 - rank, 8, y, 4,
     &                  MPI_INTEGER, 1 - rank, 8, MPI_COMM_WORLD,
     &                  MPI_STATUS_IGNORE, error)
      call MPI_BARRIER(MPI_COMM_WORLD, error)
      if (rank .eq. 0) print '(a)', 'done'
      call MPI_FINALIZE(error)
      end
