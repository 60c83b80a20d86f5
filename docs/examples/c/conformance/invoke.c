#include "conformance/invoke.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/answers.h"

typedef Tidings__Conformance__V1__CallResult CallResult;
typedef Tidings__Conformance__V1__Invoke Invoke;
typedef Tidings__Conformance__V1__TaskResult TaskResult;
typedef Tidings__Rpc__V1__RequestHeader RequestHeader;

enum { CREDIT = 16, CANCELLED = 1, CONTROL_MILLISECONDS = 10000 };

/* Sends the first message of a call, with the metadata of the caller and of the task. */
static bool send_call(struct tidings *client, const Invoke *task, RequestHeader *header,
                      int64_t deadline)
{
  const struct tidings_options *options = &client->options;
  size_t room = task->n_metadata + 2, count = 0;
  Tidings__Rpc__V1__RequestHeader__MetadataEntry *entries =
      tidings_checked(calloc(room, sizeof *entries));
  header->metadata = tidings_checked(calloc(room, sizeof *header->metadata));
  for (size_t i = 0; i < room; i++) {
    tidings__rpc__v1__request_header__metadata_entry__init(&entries[i]);
    header->metadata[i] = &entries[i];
  }
  for (; count < task->n_metadata; count++) {
    entries[count].key = task->metadata[count]->key;
    entries[count].value = task->metadata[count]->value;
  }
  if (options->user != NULL)
    entries[count].key = "tidings-user", entries[count++].value = (char *)options->user;
  if (options->device != NULL)
    entries[count].key = "tidings-device", entries[count++].value = (char *)options->device;
  header->n_metadata = count;
  bool is_sent = tidings_send(client, header, task->request.data, task->request.len,
                              deadline);
  free(header->metadata);
  free(entries);
  header->n_metadata = 0, header->metadata = NULL;
  return is_sent;
}

/* Sends a control message for a running call. */
static void send_control(struct tidings *client, uint64_t call_id,
                         Tidings__Rpc__V1__RequestKind kind, uint32_t credit)
{
  RequestHeader header = TIDINGS__RPC__V1__REQUEST_HEADER__INIT;
  header.call_id = call_id;
  header.kind = kind;
  header.credit = credit;
  (void)tidings_send(client, &header, NULL, 0, tidings_now() + CONTROL_MILLISECONDS);
}

static void add_body(CallResult *result, zmq_msg_t *body)
{
  size_t size = zmq_msg_size(body);
  uint8_t *bytes = tidings_checked(malloc(size + 1));
  if (size > 0) memcpy(bytes, zmq_msg_data(body), size);
  result->responses = tidings_checked(
      realloc(result->responses, (result->n_responses + 1) * sizeof *result->responses));
  result->responses[result->n_responses++] = (ProtobufCBinaryData){.len = size, .data = bytes};
}

static void answer_call(CallResult *result, const Tidings__Rpc__V1__ResponseHeader *last)
{
  TaskResult outcome = TIDINGS__CONFORMANCE__V1__TASK_RESULT__INIT;
  size_t count = last != NULL ? last->n_metadata : 0;
  Tidings__Conformance__V1__CallResult__MetadataEntry *entries =
      tidings_checked(calloc(count + 1, sizeof *entries));
  result->metadata = tidings_checked(calloc(count + 1, sizeof *result->metadata));
  for (size_t i = 0; i < count; i++) {
    tidings__conformance__v1__call_result__metadata_entry__init(&entries[i]);
    entries[i].key = last->metadata[i]->key;
    entries[i].value = last->metadata[i]->value;
    result->metadata[i] = &entries[i];
  }
  result->n_metadata = count;
  if (last != NULL) {
    result->status = last->status;
    result->message = last->message;
    result->n_details = last->n_details;
    result->details = last->details;
  }
  outcome.outcome_case = TIDINGS__CONFORMANCE__V1__TASK_RESULT__OUTCOME_CALL;
  outcome.call = result;
  answer(&outcome);
  free(result->metadata);
  free(entries);
}

void invoke(struct tidings *client, const Invoke *task)
{
  RequestHeader header = TIDINGS__RPC__V1__REQUEST_HEADER__INIT;
  CallResult result = TIDINGS__CONFORMANCE__V1__CALL_RESULT__INIT;
  struct tidings_response response = {0};
  int64_t now = tidings_now(), deadline = INT64_MAX, cancel_time = INT64_MAX;
  bool is_over = false;
  if (task->timeout_ms > 0) deadline = now + task->timeout_ms;
  if (task->cancel_after_ms > 0) cancel_time = now + task->cancel_after_ms;
  header.method = task->method;
  header.timeout_ms = task->timeout_ms;
  header.idempotency_key = task->idempotency_key;
  if (task->is_stream) header.credit = task->credit > 0 ? task->credit : CREDIT;
  bool is_given_up = !send_call(client, task, &header, deadline);
  while (!is_over && !is_given_up) {
    if (!tidings_receive(client, &response, deadline < cancel_time ? deadline : cancel_time)) {
      if (cancel_time < deadline)
        (void)tidings_fail(client, CANCELLED, "cancelled after %u ms", (unsigned)task->cancel_after_ms);
      is_given_up = true;
      break;
    }
    const Tidings__Rpc__V1__ResponseHeader *came = response.header;
    if (came->call_id == header.call_id) {
      bool has_message = came->status == TIDINGS_OK && (came->has_message || !task->is_stream);
      is_over = came->end_of_stream || came->status != TIDINGS_OK;
      if (has_message) add_body(&result, &response.body);
      if (has_message && !is_over && result.n_responses == task->cancel_after_messages) {
        is_given_up = true;
        (void)tidings_fail(client, CANCELLED, "cancelled after %zu messages", result.n_responses);
      } else if (has_message && !is_over) {
        send_control(client, header.call_id, TIDINGS__RPC__V1__REQUEST_KIND__REQUEST_KIND_CREDIT, 1);
      }
    }
    if (!is_over) tidings_response_free(&response);
  }
  if (is_given_up) {
    result.status = client->status;
    result.message = client->message;
  }
  answer_call(&result, is_over ? response.header : NULL);
  /* The final response to the cancellation is not awaited. */
  if (is_given_up && result.status != TIDINGS_UNAVAILABLE)
    send_control(client, header.call_id, TIDINGS__RPC__V1__REQUEST_KIND__REQUEST_KIND_CANCEL, 0);
  if (is_over) tidings_response_free(&response);
  for (size_t i = 0; i < result.n_responses; i++) free(result.responses[i].data);
  free(result.responses);
}
