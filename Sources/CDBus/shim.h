// The functions of libdbus that the player uses, declared here because the library is loaded on demand and its headers
// need not be installed. Its interface has not changed since 1.0. (libpulse has loaded the library already.)
#ifndef SEGUE_CDBUS_SHIM_H
#define SEGUE_CDBUS_SHIM_H
#include <dlfcn.h>
#include <stdint.h>

#include "../CLibraries/libraries.h"

typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
// Larger than libdbus's own.
typedef struct { void *_Nullable space[16]; } dbus_iterator;
enum { segue_dbus_session_bus = 0, segue_dbus_system_bus = 1 };
enum {
  segue_dbus_boolean = 'b', segue_dbus_string = 's', segue_dbus_descriptor = 'h', segue_dbus_path = 'o',
  segue_dbus_int32 = 'i', segue_dbus_uint32 = 'u', segue_dbus_int64 = 'x', segue_dbus_double = 'd',
  segue_dbus_array = 'a', segue_dbus_variant = 'v', segue_dbus_dictionary_entry = 'e'
};
enum {
  segue_dbus_method_call = 1, segue_dbus_method_return = 2, segue_dbus_error = 3, segue_dbus_signal = 4,
  segue_dbus_allow_replacement = 1, segue_dbus_replace_existing = 2,
  segue_dbus_do_not_queue = 4, segue_dbus_primary_owner = 1
};

typedef struct {
  DBusConnection *_Nullable (*_Nonnull bus_get_private)(int type, void *_Nullable error);
  void (*_Nonnull bus_add_match)(DBusConnection *_Nonnull, const char *_Nonnull rule, void *_Nullable error);
  uint32_t (*_Nonnull bus_name_has_owner)(DBusConnection *_Nonnull, const char *_Nonnull name, void *_Nullable error);
  void (*_Nonnull connection_set_exit_on_disconnect)(DBusConnection *_Nonnull, uint32_t);
  uint32_t (*_Nonnull connection_read_write)(DBusConnection *_Nonnull, int milliseconds);
  DBusMessage *_Nullable (*_Nonnull connection_pop_message)(DBusConnection *_Nonnull);
  uint32_t (*_Nonnull connection_get_unix_fd)(DBusConnection *_Nonnull, int *_Nonnull descriptor);
  uint32_t (*_Nonnull connection_get_is_connected)(DBusConnection *_Nonnull);
  uint32_t (*_Nonnull connection_has_messages_to_send)(DBusConnection *_Nonnull);
  long (*_Nonnull connection_get_outgoing_size)(DBusConnection *_Nonnull);
  void (*_Nonnull connection_set_max_message_size)(DBusConnection *_Nonnull, long size);
  uint32_t (*_Nonnull connection_send)(DBusConnection *_Nonnull, DBusMessage *_Nonnull, uint32_t *_Nullable serial);
  int (*_Nonnull bus_request_name)(
      DBusConnection *_Nonnull, const char *_Nonnull name, unsigned flags, void *_Nullable error);
  DBusMessage *_Nullable (*_Nonnull connection_send_with_reply_and_block)(
      DBusConnection *_Nonnull, DBusMessage *_Nonnull, int milliseconds, void *_Nullable error);
  void (*_Nonnull connection_close)(DBusConnection *_Nonnull);
  void (*_Nonnull connection_unref)(DBusConnection *_Nonnull);
  DBusMessage *_Nullable (*_Nonnull message_new_method_call)(
      const char *_Nonnull to, const char *_Nonnull path, const char *_Nonnull interface, const char *_Nonnull method);
  void (*_Nonnull message_set_auto_start)(DBusMessage *_Nonnull, uint32_t);
  int (*_Nonnull message_get_type)(DBusMessage *_Nonnull);
  uint32_t (*_Nonnull message_get_no_reply)(DBusMessage *_Nonnull);
  uint32_t (*_Nonnull message_get_reply_serial)(DBusMessage *_Nonnull);
  const char *_Nullable (*_Nonnull message_get_path)(DBusMessage *_Nonnull);
  const char *_Nullable (*_Nonnull message_get_interface)(DBusMessage *_Nonnull);
  const char *_Nullable (*_Nonnull message_get_member)(DBusMessage *_Nonnull);
  DBusMessage *_Nullable (*_Nonnull message_new_method_return)(DBusMessage *_Nonnull call);
  DBusMessage *_Nullable (*_Nonnull message_new_error)(
      DBusMessage *_Nonnull call, const char *_Nonnull name, const char *_Nonnull text);
  DBusMessage *_Nullable (*_Nonnull message_new_signal)(
      const char *_Nonnull path, const char *_Nonnull interface, const char *_Nonnull name);
  uint32_t (*_Nonnull message_iter_open_container)(
      dbus_iterator *_Nonnull, int type, const char *_Nullable signature, dbus_iterator *_Nonnull inner);
  uint32_t (*_Nonnull message_iter_close_container)(dbus_iterator *_Nonnull, dbus_iterator *_Nonnull inner);
  void (*_Nonnull message_iter_recurse)(dbus_iterator *_Nonnull, dbus_iterator *_Nonnull inner);
  uint32_t (*_Nonnull message_iter_next)(dbus_iterator *_Nonnull);
  void (*_Nonnull message_iter_init_append)(DBusMessage *_Nonnull, dbus_iterator *_Nonnull);
  uint32_t (*_Nonnull message_iter_append_basic)(dbus_iterator *_Nonnull, int type, const void *_Nonnull value);
  uint32_t (*_Nonnull message_is_signal)(DBusMessage *_Nonnull, const char *_Nonnull interface, const char *_Nonnull);
  uint32_t (*_Nonnull message_iter_init)(DBusMessage *_Nonnull, dbus_iterator *_Nonnull);
  int (*_Nonnull message_iter_get_arg_type)(dbus_iterator *_Nonnull);
  void (*_Nonnull message_iter_get_basic)(dbus_iterator *_Nonnull, void *_Nonnull value);
  DBusMessage *_Nonnull (*_Nonnull message_ref)(DBusMessage *_Nonnull);
  void (*_Nonnull message_unref)(DBusMessage *_Nonnull);
} dbus_functions;

// The functions, each under its name without `dbus_`; null where the library is not installed. To be called once.
static inline const dbus_functions *_Nullable dbus_load(void) {
  static dbus_functions table;
  void *library = segue_library_open(SEGUE_DBUS);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "dbus_" #name))) return 0;
  SEGUE_FIND(bus_get_private) SEGUE_FIND(bus_add_match) SEGUE_FIND(bus_name_has_owner)
  SEGUE_FIND(connection_set_exit_on_disconnect)
  SEGUE_FIND(connection_read_write) SEGUE_FIND(connection_pop_message) SEGUE_FIND(connection_close)
  SEGUE_FIND(connection_unref) SEGUE_FIND(connection_send_with_reply_and_block) SEGUE_FIND(message_new_method_call)
  SEGUE_FIND(message_set_auto_start) SEGUE_FIND(message_iter_init_append) SEGUE_FIND(message_iter_append_basic)
  SEGUE_FIND(message_is_signal) SEGUE_FIND(message_iter_init)
  SEGUE_FIND(message_iter_get_arg_type) SEGUE_FIND(message_iter_get_basic) SEGUE_FIND(message_unref)
  SEGUE_FIND(message_ref)
  SEGUE_FIND(connection_get_unix_fd) SEGUE_FIND(connection_get_is_connected) SEGUE_FIND(connection_has_messages_to_send)
  SEGUE_FIND(connection_get_outgoing_size) SEGUE_FIND(connection_set_max_message_size) SEGUE_FIND(connection_send)
  SEGUE_FIND(message_get_reply_serial)
  SEGUE_FIND(bus_request_name) SEGUE_FIND(message_get_type) SEGUE_FIND(message_get_no_reply) SEGUE_FIND(message_get_path)
  SEGUE_FIND(message_get_interface) SEGUE_FIND(message_get_member) SEGUE_FIND(message_new_method_return)
  SEGUE_FIND(message_new_error) SEGUE_FIND(message_new_signal) SEGUE_FIND(message_iter_open_container)
  SEGUE_FIND(message_iter_close_container) SEGUE_FIND(message_iter_recurse) SEGUE_FIND(message_iter_next)
#undef SEGUE_FIND
  return &table;
}
#endif
