// The functions of libdbus that the player uses, declared here because the library is loaded on demand and its headers
// need not be installed. Its interface has not changed since 1.0. (libpulse has loaded the library already.)
#ifndef SEGUE_CDBUS_SHIM_H
#define SEGUE_CDBUS_SHIM_H
#include <dlfcn.h>
#include <stdint.h>

typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
// Larger than libdbus's own.
typedef struct { void *_Nullable space[16]; } dbus_iterator;
enum { segue_dbus_system_bus = 1, segue_dbus_boolean = 'b', segue_dbus_string = 's', segue_dbus_descriptor = 'h' };

typedef struct {
  DBusConnection *_Nullable (*_Nonnull bus_get_private)(int type, void *_Nullable error);
  void (*_Nonnull bus_add_match)(DBusConnection *_Nonnull, const char *_Nonnull rule, void *_Nullable error);
  uint32_t (*_Nonnull bus_name_has_owner)(DBusConnection *_Nonnull, const char *_Nonnull name, void *_Nullable error);
  void (*_Nonnull connection_set_exit_on_disconnect)(DBusConnection *_Nonnull, uint32_t);
  uint32_t (*_Nonnull connection_read_write)(DBusConnection *_Nonnull, int milliseconds);
  DBusMessage *_Nullable (*_Nonnull connection_pop_message)(DBusConnection *_Nonnull);
  DBusMessage *_Nullable (*_Nonnull connection_send_with_reply_and_block)(
      DBusConnection *_Nonnull, DBusMessage *_Nonnull, int milliseconds, void *_Nullable error);
  void (*_Nonnull connection_close)(DBusConnection *_Nonnull);
  void (*_Nonnull connection_unref)(DBusConnection *_Nonnull);
  DBusMessage *_Nullable (*_Nonnull message_new_method_call)(
      const char *_Nonnull to, const char *_Nonnull path, const char *_Nonnull interface, const char *_Nonnull method);
  void (*_Nonnull message_set_auto_start)(DBusMessage *_Nonnull, uint32_t);
  void (*_Nonnull message_iter_init_append)(DBusMessage *_Nonnull, dbus_iterator *_Nonnull);
  uint32_t (*_Nonnull message_iter_append_basic)(dbus_iterator *_Nonnull, int type, const void *_Nonnull value);
  uint32_t (*_Nonnull message_is_signal)(DBusMessage *_Nonnull, const char *_Nonnull interface, const char *_Nonnull);
  uint32_t (*_Nonnull message_iter_init)(DBusMessage *_Nonnull, dbus_iterator *_Nonnull);
  int (*_Nonnull message_iter_get_arg_type)(dbus_iterator *_Nonnull);
  void (*_Nonnull message_iter_get_basic)(dbus_iterator *_Nonnull, void *_Nonnull value);
  void (*_Nonnull message_unref)(DBusMessage *_Nonnull);
} dbus_functions;

// The functions, each under its name without `dbus_`; null where the library is not installed. To be called once.
static inline const dbus_functions *_Nullable dbus_load(void) {
  static dbus_functions table;
  void *library = dlopen("libdbus-1.so.3", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(table.name))dlsym(library, "dbus_" #name))) return 0;
  SEGUE_FIND(bus_get_private) SEGUE_FIND(bus_add_match) SEGUE_FIND(bus_name_has_owner)
  SEGUE_FIND(connection_set_exit_on_disconnect)
  SEGUE_FIND(connection_read_write) SEGUE_FIND(connection_pop_message) SEGUE_FIND(connection_close)
  SEGUE_FIND(connection_unref) SEGUE_FIND(connection_send_with_reply_and_block) SEGUE_FIND(message_new_method_call)
  SEGUE_FIND(message_set_auto_start) SEGUE_FIND(message_iter_init_append) SEGUE_FIND(message_iter_append_basic)
  SEGUE_FIND(message_is_signal) SEGUE_FIND(message_iter_init)
  SEGUE_FIND(message_iter_get_arg_type) SEGUE_FIND(message_iter_get_basic) SEGUE_FIND(message_unref)
#undef SEGUE_FIND
  return &table;
}
#endif
