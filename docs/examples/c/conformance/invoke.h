/* Calls of any kind: unary and streaming, with deadlines and cancellation. */
#ifndef CONFORMANCE_INVOKE_H
#define CONFORMANCE_INVOKE_H

#include "tidings.h"
#include "tidings/conformance/v1/conformance.pb-c.h"

/* Makes a call and writes its result. */
void invoke(struct tidings *client, const Tidings__Conformance__V1__Invoke *task);

#endif
