/* Saves houses, and prints notifications of the expensive ones. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inbox.h"
#include "tidings/v1/record_service.pb-c.h"
#include "tidings/v1/subscription_service.pb-c.h"

enum { CALL_MILLISECONDS = 30000, PAUSE_SECONDS = 1, WAIT_MILLISECONDS = 500 };

static volatile sig_atomic_t is_stopping;

static void stop(int signal)
{
  (void)signal;
  is_stopping = 1;
}

static int failed(const struct tidings *client)
{
  (void)fprintf(stderr, "houses: %s (status %u)\n", client->message, (unsigned)client->status);
  return 1;
}

/* A call has one status, and each of its items has its own result. */
static int item_failed(const Tidings__V1__ItemError *error)
{
  (void)fprintf(stderr, "houses: %s (code %d)\n", error->message, (int)error->code);
  return 1;
}

static int save(struct tidings *client, char *name, long long price)
{
  Tidings__V1__DatabaseID database = TIDINGS__V1__DATABASE_ID__INIT;
  Tidings__V1__RecordID id = TIDINGS__V1__RECORD_ID__INIT;
  Tidings__V1__FieldValue value = TIDINGS__V1__FIELD_VALUE__INIT;
  Tidings__V1__Record__FieldsEntry field = TIDINGS__V1__RECORD__FIELDS_ENTRY__INIT;
  Tidings__V1__Record record = TIDINGS__V1__RECORD__INIT;
  Tidings__V1__ModifyRecordsRequest request = TIDINGS__V1__MODIFY_RECORDS_REQUEST__INIT;
  id.record_name = name;
  value.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_INT64_VALUE;
  value.int64_value = price;
  field.key = "price";
  field.value = &value;
  record.record_id = &id;
  record.record_type = "Houses";
  record.n_fields = 1;
  record.fields = (Tidings__V1__Record__FieldsEntry *[]){&field};
  request.database_id = &database;
  request.n_records_to_save = 1;
  request.records_to_save = (Tidings__V1__Record *[]){&record};
  request.save_policy = TIDINGS__V1__SAVE_POLICY__SAVE_POLICY_CHANGED_KEYS;

  Tidings__V1__ModifyRecordsResponse *response =
      tidings_call(client, &tidings__v1__record_service__descriptor, "ModifyRecords", &request,
                   NULL, CALL_MILLISECONDS);
  if (response == NULL) return failed(client);
  int code = 0;
  for (size_t i = 0; i < response->n_results; i++) {
    const Tidings__V1__RecordResult *result = response->results[i];
    if (result->outcome_case == TIDINGS__V1__RECORD_RESULT__OUTCOME_ERROR)
      code = item_failed(result->error);
    else if (result->outcome_case == TIDINGS__V1__RECORD_RESULT__OUTCOME_RECORD)
      (void)printf("saved %s, change tag %s\n", name, result->record->change_tag);
  }
  tidings__v1__modify_records_response__free_unpacked(response, NULL);
  return code;
}

static int fetch(struct tidings *client, char *name)
{
  Tidings__V1__DatabaseID database = TIDINGS__V1__DATABASE_ID__INIT;
  Tidings__V1__RecordID id = TIDINGS__V1__RECORD_ID__INIT;
  Tidings__V1__FetchRecordsRequest request = TIDINGS__V1__FETCH_RECORDS_REQUEST__INIT;
  id.record_name = name;
  request.database_id = &database;
  request.n_record_ids = 1;
  request.record_ids = (Tidings__V1__RecordID *[]){&id};
  Tidings__V1__FetchRecordsResponse *response =
      tidings_call(client, &tidings__v1__record_service__descriptor, "FetchRecords", &request, NULL,
                   CALL_MILLISECONDS);
  if (response == NULL) return failed(client);
  int code = 0;
  for (size_t i = 0; i < response->n_results; i++) {
    const Tidings__V1__RecordResult *result = response->results[i];
    if (result->outcome_case == TIDINGS__V1__RECORD_RESULT__OUTCOME_ERROR)
      code = item_failed(result->error);
    else if (result->outcome_case == TIDINGS__V1__RECORD_RESULT__OUTCOME_RECORD)
      for (size_t j = 0; j < result->record->n_fields; j++)
        (void)printf("%s: %s %lld\n", name, result->record->fields[j]->key,
                     (long long)result->record->fields[j]->value->int64_value);
  }
  tidings__v1__fetch_records_response__free_unpacked(response, NULL);
  return code;
}

static int subscribe(struct tidings *client, char *predicate_text)
{
  Tidings__V1__DatabaseID database = TIDINGS__V1__DATABASE_ID__INIT;
  Tidings__V1__Predicate predicate = TIDINGS__V1__PREDICATE__INIT;
  Tidings__V1__Subscription subscription = TIDINGS__V1__SUBSCRIPTION__INIT;
  Tidings__V1__ModifySubscriptionsRequest request =
      TIDINGS__V1__MODIFY_SUBSCRIPTIONS_REQUEST__INIT;
  predicate.text = predicate_text;
  subscription.subscription_id = "houses";
  subscription.type = TIDINGS__V1__SUBSCRIPTION_TYPE__SUBSCRIPTION_TYPE_QUERY;
  subscription.record_type = "Houses";
  subscription.predicate = &predicate;
  subscription.fires_on_record_creation = true;
  subscription.fires_on_record_update = true;
  request.database_id = &database;
  request.n_subscriptions_to_save = 1;
  request.subscriptions_to_save = (Tidings__V1__Subscription *[]){&subscription};
  Tidings__V1__ModifySubscriptionsResponse *response =
      tidings_call(client, &tidings__v1__subscription_service__descriptor, "ModifySubscriptions",
                   &request, NULL, CALL_MILLISECONDS);
  if (response == NULL) return failed(client);
  int code = 0;
  for (size_t i = 0; i < response->n_results; i++)
    /* An equivalent subscription with another ID serves the same purpose. */
    if (response->results[i]->outcome_case == TIDINGS__V1__SUBSCRIPTION_RESULT__OUTCOME_ERROR &&
        *response->results[i]->error->existing_subscription_id == '\0')
      code = item_failed(response->results[i]->error);
  if (code == 0) (void)printf("subscribed to %s\n", predicate_text);
  tidings__v1__modify_subscriptions_response__free_unpacked(response, NULL);
  return code;
}

/* Reads a file; NULL if it does not exist. */
static uint8_t *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = NULL;
  size_t room = 0;
  *size = 0;
  if (file == NULL) return NULL;
  do {
    if (room - *size < 2) bytes = tidings_checked(realloc(bytes, room = 2 * room + 1024));
    *size += fread(bytes + *size, 1, room - *size - 1, file);
  } while (!feof(file) && !ferror(file));
  bytes[*size] = '\0'; /* for use as a string */
  (void)fclose(file);
  return bytes;
}

/* Replaces the file atomically: after a crash it has the old position or the new one. */
static bool store_position(const struct inbox *inbox, const char *path)
{
  size_t size = 0, length = strlen(path) + sizeof ".new";
  uint8_t *bytes = inbox_position(inbox, &size);
  char *new_path = tidings_checked(malloc(length));
  (void)snprintf(new_path, length, "%s.new", path);
  FILE *file = fopen(new_path, "wb");
  bool is_written = file != NULL && fwrite(bytes, 1, size, file) == size && fflush(file) == 0 &&
                    fsync(fileno(file)) == 0;
  if (file != NULL && fclose(file) != 0) is_written = false;
  is_written = is_written && rename(new_path, path) == 0;
  if (!is_written) perror(path);
  free(new_path);
  free(bytes);
  return is_written;
}

static bool print(const struct inbox *inbox, const Tidings__V1__Notification *notification)
{
  bool is_read_mark =
      notification->type == TIDINGS__V1__NOTIFICATION_TYPE__NOTIFICATION_TYPE_READ_NOTIFICATION;
  const Tidings__V1__RecordID *id = notification->record_id;
  return printf("%s %s (%s)\n", notification->notification_id,
                is_read_mark ? "was read elsewhere" : id != NULL ? id->record_name : "",
                inbox->came_by_push ? "push" : "log") > 0 &&
         fflush(stdout) == 0;
}

/* Prints each notification once, across restarts; a crash between printing a line and storing the
 * position repeats one line. */
static int watch(struct tidings *client, const char *path)
{
  struct inbox inbox;
  size_t size = 0;
  uint8_t *position = read_file(path, &size);
  bool is_listening = false;
  int code = inbox_open(&inbox, client, "", TIDINGS__V1__ENVIRONMENT__ENVIRONMENT_DEVELOPMENT,
                        position, size)
                 ? 0
                 : failed(client);
  free(position);
  while (code == 0 && !is_stopping) {
    if (inbox.is_listening && !is_listening) (void)fputs("houses: listening\n", stderr);
    is_listening = inbox.is_listening;
    /* With a timeout, because a signal may arrive just before the wait. */
    const Tidings__V1__Notification *notification =
        inbox_next(&inbox, tidings_now() + WAIT_MILLISECONDS);
    if (notification != NULL) {
      code = print(&inbox, notification) && store_position(&inbox, path) ? 0 : 1;
    } else if (client->status == TIDINGS_UNAVAILABLE ||
               client->status == TIDINGS_RESOURCE_EXHAUSTED ||
               client->status == TIDINGS_DEADLINE_EXCEEDED) {
      (void)failed(client);
      (void)sleep(PAUSE_SECONDS);
    } else if (client->status != TIDINGS_OK) {
      code = failed(client);
    }
  }
  inbox_close(&inbox);
  return code;
}

/* The value in a line `name value` of a key file; NULL if there is no such line. */
static char *value_of(const char *text, const char *name)
{
  size_t length = strlen(name);
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, name, length) == 0 && line[length] == ' ')
      return tidings_checked(strndup(line + length + 1, strcspn(line + length + 1, "\r\n")));
  }
  return NULL;
}

static int run(struct tidings *client, int count, char *words[])
{
  char *end = NULL;
  if (count == 4 && strcmp(words[1], "save") == 0) {
    long long price = strtoll(words[3], &end, 10);
    if (end != words[3] && *end == '\0') return save(client, words[2], price);
  }
  if (count == 3 && strcmp(words[1], "fetch") == 0) return fetch(client, words[2]);
  if (count == 3 && strcmp(words[1], "subscribe") == 0) return subscribe(client, words[2]);
  if (count == 3 && strcmp(words[1], "watch") == 0) return watch(client, words[2]);
  (void)fputs("usage: houses save NAME PRICE | fetch NAME | subscribe PREDICATE | watch FILE\n"
              "environment: TIDINGS_ENDPOINT (of several nodes: a list with commas),\n"
              "TIDINGS_USER, TIDINGS_DEVICE; with keys\n"
              "TIDINGS_KEY_FILE (of rpcctl keys generate) and TIDINGS_SERVER_KEY\n",
              stderr);
  return 2;
}

int main(int count, char *words[])
{
  struct tidings client = {0};
  struct tidings_options options = {.endpoint = getenv("TIDINGS_ENDPOINT"),
                                    .server_key = getenv("TIDINGS_SERVER_KEY"),
                                    .user = getenv("TIDINGS_USER"),
                                    .device = getenv("TIDINGS_DEVICE")};
  const char *key_path = getenv("TIDINGS_KEY_FILE");
  size_t size = 0;
  char *keys = key_path != NULL ? (char *)read_file(key_path, &size) : NULL;
  char *public_key = value_of(keys, "public-key"), *secret_key = value_of(keys, "secret-key");
  options.public_key = public_key;
  options.secret_key = secret_key;
  if (options.endpoint == NULL) options.endpoint = "tcp://127.0.0.1:5570";
  struct sigaction action = {.sa_handler = stop};
  int code = sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0 ? 0 : 1;
  if (code == 0)
    code = tidings_connect(&client, &options, CALL_MILLISECONDS) ? run(&client, count, words)
                                                                 : failed(&client);
  tidings_close(&client);
  free(secret_key);
  free(public_key);
  free(keys);
  return code;
}
