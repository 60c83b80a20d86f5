#include "conformance/answers.h"

#include <stdio.h>
#include <stdlib.h>

#include "tidings.h"

typedef Tidings__Conformance__V1__TaskResult TaskResult;

void answer(const TaskResult *result)
{
  size_t size = tidings__conformance__v1__task_result__get_packed_size(result);
  uint8_t *bytes = tidings_checked(malloc(size + 4));
  for (size_t i = 0; i < 4; i++) bytes[i] = (uint8_t)(size >> (24 - 8 * i));
  (void)tidings__conformance__v1__task_result__pack(result, bytes + 4);
  if (fwrite(bytes, 1, size + 4, stdout) != size + 4 || fflush(stdout) != 0) exit(1);
  free(bytes);
}

static void answer_text(Outcome outcome, const char *why)
{
  TaskResult result = TIDINGS__CONFORMANCE__V1__TASK_RESULT__INIT;
  result.outcome_case = outcome;
  result.refused = (char *)why; /* the strings of other outcomes share its memory */
  answer(&result);
}

void answer_refused(const char *why)
{
  answer_text(TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_REFUSED, why);
}

void answer_unsupported(const char *what)
{
  answer_text(TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_UNSUPPORTED, what);
}

void answer_failed(const char *why)
{
  answer_text(TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_FAILED, why);
}

void answer_bytes(Outcome outcome,
                         const uint8_t *bytes, size_t size)
{
  TaskResult result = TIDINGS__CONFORMANCE__V1__TASK_RESULT__INIT;
  result.outcome_case = outcome;
  result.encoded = (ProtobufCBinaryData){.len = size, .data = (uint8_t *)bytes};
  answer(&result);
}

void answer_message(Outcome outcome,
                           const ProtobufCMessage *message)
{
  size_t size = protobuf_c_message_get_packed_size(message);
  uint8_t *bytes = tidings_checked(malloc(size + 1));
  (void)protobuf_c_message_pack(message, bytes);
  answer_bytes(outcome, bytes, size);
  free(bytes);
}

void answer_yes(Outcome outcome)
{
  TaskResult result = TIDINGS__CONFORMANCE__V1__TASK_RESULT__INIT;
  result.outcome_case = outcome;
  result.connected = true;
  answer(&result);
}
