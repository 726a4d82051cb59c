// SPDX-License-Identifier: MIT
//
// commands: the commands of `paf` that answer in text. argv[0] is the command's name; the exit
// status is returned: 0; 1 the file is damaged or nothing matches; 2 usage.
#ifndef PAF_COMMANDS_H
#define PAF_COMMANDS_H

int paf_command_report(int argc, char **argv);
int paf_command_iotree(int argc, char **argv);
int paf_command_info(int argc, char **argv);
int paf_command_compare(int argc, char **argv);

#endif
