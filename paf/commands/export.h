// SPDX-License-Identifier: MIT
//
// export: the command `paf export`, which draws without a display.
#ifndef PAF_EXPORT_H
#define PAF_EXPORT_H

int paf_command_export(int argc, char **argv); // argv[0] is "export"; the exit status

#endif
