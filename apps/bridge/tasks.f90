! SPDX-License-Identifier: MIT
!
! Fibonacci by a tree of tasks, as in tasks.c. Known answer: the tasks do all the work, and the whole
! is as long as the longest chain of them.
module fibonacci
  implicit none
contains
  recursive integer function plain(n) result(answer)
    integer, intent(in) :: n
    if (n < 2) then
      answer = n
    else
      answer = plain(n - 1) + plain(n - 2)
    end if
  end function plain

  recursive subroutine tree(n, depth, answer)
    integer, intent(in) :: n, depth
    integer, intent(out) :: answer
    integer :: a, b
    if (depth == 0) then
      answer = plain(n)
      return
    end if
!$omp task shared(a)
    call tree(n - 1, depth - 1, a)
!$omp end task
!$omp task shared(b)
    call tree(n - 2, depth - 1, b)
!$omp end task
!$omp taskwait
    answer = a + b
  end subroutine tree
end module fibonacci

program tasks
  use fibonacci
  implicit none
  integer :: answer
!$omp parallel num_threads(2)
!$omp single
  call tree(36, 5, answer)
!$omp end single
!$omp end parallel
  print '(i0)', answer
end program tasks
