#include "conformance/maps.h"

#include <stdbool.h>
#include <string.h>

/* Map entries are messages with generated names; all maps of the contract have string keys. */
static bool is_entry(const ProtobufCMessageDescriptor *type)
{
  size_t length = strlen(type->name);
  return length > 5 && strcmp(type->name + length - 5, "Entry") == 0 && type->n_fields == 2 &&
         strcmp(type->fields[0].name, "key") == 0 &&
         type->fields[0].type == PROTOBUF_C_TYPE_STRING;
}

static const char *key_of(const ProtobufCMessage *entry)
{
  return *(char *const *)((const char *)entry + entry->descriptor->fields[0].offset);
}

static void keep_last(ProtobufCMessage **entries, size_t *count)
{
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    bool is_repeated = false;
    for (size_t k = i + 1; k < *count && !is_repeated; k++)
      is_repeated = strcmp(key_of(entries[i]), key_of(entries[k])) == 0;
    if (is_repeated) protobuf_c_message_free_unpacked(entries[i], NULL);
    else entries[kept++] = entries[i];
  }
  *count = kept;
}

void keep_last_entries(ProtobufCMessage *message)
{
  char *base = (char *)message;
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    void *member = base + field->offset, *quantifier = base + field->quantifier_offset;
    bool is_oneof = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
    if (field->type != PROTOBUF_C_TYPE_MESSAGE) continue;
    if (is_oneof && *(uint32_t *)quantifier != field->id) continue;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
      ProtobufCMessage **messages = *(ProtobufCMessage ***)member;
      if (is_entry(field->descriptor)) keep_last(messages, quantifier);
      for (size_t k = 0; k < *(size_t *)quantifier; k++) keep_last_entries(messages[k]);
    } else if (*(ProtobufCMessage **)member != NULL) {
      keep_last_entries(*(ProtobufCMessage **)member);
    }
  }
}
