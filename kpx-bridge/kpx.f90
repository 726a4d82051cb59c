! SPDX-License-Identifier: MIT
!
! Choosing in the program what is recorded, for Fortran 77 and later: compile this file with the
! program's own. kpx.h says what the calls do.
!
!   call kpx_stop
!   call kpx_start
subroutine kpx_call_recorder(name)
  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr, c_char, c_null_ptr, c_null_char, &
                                         c_associated, c_f_procpointer
  implicit none
  character(len=*), intent(in) :: name
  abstract interface
    subroutine recorder_call() bind(c)
    end subroutine
  end interface
  interface
    function dlsym(handle, symbol) bind(c, name='dlsym')
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: dlsym
    end function
  end interface
  type(c_funptr) :: address
  procedure(recorder_call), pointer :: function

  address = dlsym(c_null_ptr, name // c_null_char)
  if (.not. c_associated(address)) return
  call c_f_procpointer(address, function)
  call function()
end subroutine kpx_call_recorder

subroutine kpx_start()
  implicit none
  call kpx_call_recorder('kpx_recorder_start')
end subroutine kpx_start

subroutine kpx_stop()
  implicit none
  call kpx_call_recorder('kpx_recorder_stop')
end subroutine kpx_stop
