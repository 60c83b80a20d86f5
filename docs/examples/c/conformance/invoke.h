/* Calls of any kind: unary and streaming, with deadlines, cancelled in the middle. */
#ifndef CONFORMANCE_INVOKE_H
#define CONFORMANCE_INVOKE_H

#include "tidings.h"
#include "tidings/conformance/v1/conformance.pb-c.h"

/* Makes a call to its end and answers with what came of it. */
void invoke(struct tidings *client, const Tidings__Conformance__V1__Invoke *task);

#endif
