// SPDX-License-Identifier: MIT
//
// Slack, as iotree/simulate.h has it; what the analysis needs to let go of it.
#ifndef IOTREE_PROCESSORS_SLACK_H
#define IOTREE_PROCESSORS_SLACK_H

#include "iotree/graph/model.h"
#include "iotree/simulate.h"

void iot_destroy_slack(iot *a);

#endif
