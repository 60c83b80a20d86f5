/* Writes the results of tasks to standard output. */
#ifndef CONFORMANCE_ANSWERS_H
#define CONFORMANCE_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

#include "tidings/conformance/v1/conformance.pb-c.h"

typedef Tidings__Conformance__V1__TaskResult__OutcomeCase Outcome;

void answer(const Tidings__Conformance__V1__TaskResult *result);

/* Results in bytes: an encoded message, an opened push, a position. */
void answer_bytes(Outcome outcome, const uint8_t *bytes, size_t size);
void answer_message(Outcome outcome, const ProtobufCMessage *message);

/* Results without a value. */
void answer_yes(Outcome outcome);

void answer_refused(const char *why);
void answer_unsupported(const char *what);
void answer_failed(const char *why);

#endif
