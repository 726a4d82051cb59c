// SPDX-License-Identifier: MIT
#ifndef IOTREE_NAMES_H
#define IOTREE_NAMES_H

#include "iotree/model.h"

const trace *iot_names_trace(const iot_names *n);

#endif
