! SPDX-License-Identifier: MIT
!
! The same as hybrid.c. Known answer: rank 1 has three times as much to do as the others, so they
! wait for it in MPI_Allreduce.
program hybrid
  use mpi
  implicit none
  integer, parameter :: steps = 10, items = 64
  integer :: rank, ranks, provided, error, step, i
  double precision :: total, all, sum

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  all = 0
  do step = 1, steps
    sum = 0
!$omp parallel do num_threads(2) schedule(dynamic, 4) reduction(+ : sum)
    do i = 1, items
      sum = sum + work(1.0d0, merge(300000, 100000, rank == 1))
    end do
    call MPI_Allreduce(sum, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    all = all + total / ranks
  end do
  if (rank == 0) print '(f0.3)', all
  call MPI_Finalize(error)
contains
  double precision function work(start, times)
    double precision, intent(in) :: start
    integer, intent(in) :: times
    integer :: k
    work = start
    do k = 1, times
      work = work * 0.999999d0 + 1d-6
    end do
  end function work
end program hybrid
