// SPDX-License-Identifier: MIT
//
// kpx-bridge report and import (private to command/). argv[0] is the command's name. Both print and
// return the exit status.
#ifndef KPX_COMMAND_REPORTS_H
#define KPX_COMMAND_REPORTS_H

int kpx_command_report(int argc, char **argv);
int kpx_command_import(int argc, char **argv);

#endif
