// SPDX-License-Identifier: MIT
//
// Commands of kpx-bridge that make reports of traces and traces of reports (private to
// kpx-bridge/). argv[0] is the command's name. They print and return the exit status.
#ifndef KPX_COMMAND_REPORTS_H
#define KPX_COMMAND_REPORTS_H

int kpx_command_report(int argc, char **argv);
int kpx_command_import(int argc, char **argv);

#endif
