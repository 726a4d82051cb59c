! SPDX-License-Identifier: MIT
!
! Shapes of parallel regions in Fortran, marked like those of shapes.c.
module bodies
  implicit none
  integer, parameter :: n = 64
  integer :: counted = 0
  real(8) :: field(n) = 0, other(n) = 0
  real(8) :: own(4) = 0
  !$omp threadprivate(own)
contains
  subroutine touch(i)
    integer, intent(in) :: i
    !$omp atomic
    counted = counted + i
  end subroutine

  subroutine ends_function()
    !$omp parallel ! region 1
    call touch(1)
    !$omp end parallel
  end subroutine

  subroutine ends_with_arguments(k, f)
    integer, intent(in) :: k
    real(8), intent(inout) :: f(:)
    !$omp parallel firstprivate(k) ! region 2
    call touch(k)
    !$omp end parallel
    f(1) = k
  end subroutine

  subroutine ends_a()
    !$omp parallel ! region 3
    call touch(2)
    !$omp end parallel
  end subroutine

  subroutine ends_b()
    !$omp parallel ! region 4
    call touch(3)
    !$omp end parallel
  end subroutine

  subroutine through_an_argument(called)
    interface
      subroutine called()
      end subroutine
    end interface
    call called()
  end subroutine

  subroutine either(which)
    logical, intent(in) :: which
    if (which) then
      !$omp parallel ! region 6
      call touch(4)
      !$omp end parallel
    else
      !$omp parallel ! region 7
      call touch(5)
      !$omp end parallel
    end if
  end subroutine

  subroutine one_of_three(which)
    integer, intent(in) :: which
    select case (which)
    case (0)
      !$omp parallel ! region 8
      call touch(6)
      !$omp end parallel
    case (1)
      !$omp parallel ! region 9
      call touch(7)
      !$omp end parallel
    case default
      !$omp parallel ! region 10
      call touch(8)
      !$omp end parallel
    end select
  end subroutine

  subroutine equal_a()
    !$omp parallel ! region 13
    call touch(9)
    !$omp end parallel
  end subroutine

  subroutine equal_b()
    !$omp parallel ! region 14
    call touch(9)
    !$omp end parallel
  end subroutine

  subroutine several(a, total)
    real(8), intent(inout) :: a(:)
    real(8), intent(out) :: total
    integer :: i
    total = 0
    !$omp parallel ! region 15
    call touch(10)
    !$omp end parallel
    !$omp parallel do ! region 15
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end parallel do
    !$omp parallel do reduction(+ : total) ! region 15
    do i = 1, n
      total = total + a(i)
    end do
    !$omp end parallel do
  end subroutine

  subroutine dynamic_loop(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    !$omp parallel do schedule(dynamic) ! region 16 loop 16
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$omp end parallel do
  end subroutine

  subroutine guided_loop(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    !$omp parallel do schedule(guided) ! region 18 loop 18
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$omp end parallel do
  end subroutine

  subroutine two_loops_in_one(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    !$omp parallel private(i) ! region 22
    !$omp do schedule(dynamic, 4) ! loop 22
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$omp end do
    !$omp do schedule(guided) ! loop 22
    do i = 1, n
      other(i) = other(i) + 1
    end do
    !$omp end do nowait
    !$omp end parallel
  end subroutine

  subroutine orphaned_loop(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    !$omp do schedule(dynamic, 4) ! loop 24
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$omp end do
  end subroutine

  subroutine with_orphans(a)
    real(8), intent(inout) :: a(n)
    !$omp parallel ! region 24
    call orphaned_loop(a)
    !$omp end parallel
  end subroutine

  subroutine around_another()
    !$omp parallel num_threads(2) ! region 5
    !$omp parallel num_threads(2) ! region 10
    call touch(12)
    !$omp end parallel
    !$omp end parallel
  end subroutine

  subroutine with_condition(k)
    integer, intent(in) :: k
    !$omp parallel if (k > 2) ! region 26
    call touch(14)
    !$omp end parallel
  end subroutine

  subroutine of_one_thread()
    !$omp parallel num_threads(1) ! region 27
    call touch(15)
    !$omp end parallel
  end subroutine

  recursive subroutine again(k)
    integer, intent(in) :: k
    !$omp parallel ! region 28
    call touch(1)
    !$omp end parallel
    if (k > 1) call again(k - 1)
  end subroutine

  subroutine with_critical(a)
    real(8), intent(inout) :: a(n)
    !$omp parallel num_threads(2) ! region 31
    !$omp critical (first) ! critical 62
    a(1) = a(1) + 1
    !$omp end critical (first)
    !$omp critical (second) ! critical 62
    a(2) = a(2) + 1
    !$omp end critical (second)
    !$omp end parallel
  end subroutine

  subroutine with_single(a)
    real(8), intent(inout) :: a(n)
    !$omp parallel ! region 32
    !$omp single ! single 32
    a(1) = a(1) + 1
    !$omp end single
    !$omp end parallel
  end subroutine

  subroutine with_tasks(a)
    real(8), intent(inout) :: a(n)
    !$omp parallel ! region 35
    !$omp single ! single 35
    !$omp task shared(a) ! task 35
    a(1) = 1
    !$omp end task
    !$omp task shared(a) ! task 35
    a(2) = 1
    !$omp end task
    !$omp taskwait
    !$omp end single
    !$omp end parallel
  end subroutine

  subroutine with_copyin()
    own(1) = 1
    !$omp parallel copyin(own) ! region 39
    call touch(int(own(1)))
    !$omp end parallel
  end subroutine
end module

program shapes
  use bodies
  use omp_lib
  implicit none
  integer :: i
  real(8) :: total
  call omp_set_max_active_levels(2)
  call ends_function()
  do i = 1, 2
    call ends_with_arguments(i, field)
  end do
  do i = 1, 3
    call through_an_argument(ends_a)
  end do
  do i = 1, 4
    call through_an_argument(ends_b)
  end do
  do i = 1, 13
    call either(i <= 6)
    call equal_a()
  end do
  do i = 1, 27
    call one_of_three(merge(0, merge(1, 2, i <= 17), i <= 8))
    call of_one_thread()
  end do
  do i = 1, 14
    call equal_b()
  end do
  do i = 1, 15
    call several(field, total)
  end do
  do i = 1, 16
    call dynamic_loop(field)
  end do
  do i = 1, 18
    call guided_loop(field)
  end do
  do i = 1, 22
    call two_loops_in_one(field)
  end do
  do i = 1, 24
    call with_orphans(field)
  end do
  do i = 1, 5
    call around_another()
  end do
  do i = 1, 26
    call with_condition(i)
  end do
  call again(28)
  do i = 1, 31
    call with_critical(field)
  end do
  do i = 1, 32
    call with_single(field)
  end do
  do i = 1, 35
    call with_tasks(field)
  end do
  do i = 1, 39
    call with_copyin()
  end do
  !$omp parallel ! region 1
  call touch(16)
  !$omp end parallel
end program
