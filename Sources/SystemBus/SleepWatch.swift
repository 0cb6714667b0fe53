internal import CDBus
internal import Glibc
internal import Threads

/// Listens for sleep and wake-up of the machine, by logind on the system bus (`PrepareForSleep`), and delays the sleep
/// until it is handled (`Inhibit`).
///
/// It has a thread of its own, because a bus may be slow. The thread sleeps until there is news. Without a bus or
/// libdbus it ends at once and reports nothing.
public final class SleepWatch: Sendable {
  private let thread: WorkerThread

  /// Begins to listen. `hear` is called on the watch's thread: true before the machine sleeps, which waits until it
  /// returns (logind: 5 s at most), false when it is awake.
  public init(_ hear: @escaping @Sendable (Bool) -> Void) {
    thread = WorkerThread(named: "logind") { watch(hear) }
  }
}

private let manager = "org.freedesktop.login1.Manager"

private func watch(_ hear: (Bool) -> Void) {
  guard let (dbus, bus) = SystemBusState.open() else { return }
  var delay: Delay?
  defer {
    delay = nil
    SystemBusState.close(bus, dbus)
  }
  dbus.bus_add_match(
    bus, "type='signal',sender='org.freedesktop.login1',interface='\(manager)',member='PrepareForSleep'", nil)
  delay = Delay(bus, dbus)
  // The reply to `Inhibit` may have come with other messages. `connection_read_write` waits for further ones.
  repeat {
    while let message = dbus.connection_pop_message(bus) {
      if dbus.message_is_signal(message, manager, "PrepareForSleep") != 0, let isSleeping = boolean(message, dbus) {
        hear(isSleeping)
        delay = isSleeping ? nil : delay ?? Delay(bus, dbus)
      }
      dbus.message_unref(message)
    }
  } while dbus.connection_read_write(bus, -1) != 0
}

/// While it exists, logind puts the machine to sleep only some seconds after it has said so.
private final class Delay {
  /// logind holds the other end of this descriptor.
  private let descriptor: Int32

  /// Nil if logind does not grant it.
  init?(_ bus: OpaquePointer, _ dbus: dbus_functions) {
    let (name, path) = ("org.freedesktop.login1", "/org/freedesktop/login1")
    guard let call = dbus.message_new_method_call(name, path, manager, "Inhibit") else { return nil }
    defer { dbus.message_unref(call) }
    dbus.message_set_auto_start(call, 0)
    var arguments = dbus_iterator()
    dbus.message_iter_init_append(call, &arguments)
    for word in ["sleep", "segue", "the music falls silent first", "delay"] {
      word.withCString { text in
        withUnsafePointer(to: text) { _ = dbus.message_iter_append_basic(&arguments, Int32(segue_dbus_string), $0) }
      }
    }
    // The default of libdbus (25 s): without a delay the first sleep of a busy machine would cut the music off.
    guard let reply = dbus.connection_send_with_reply_and_block(bus, call, -1, nil) else { return nil }
    defer { dbus.message_unref(reply) }
    guard let descriptor: Int32 = firstArgument(of: reply, type: Int32(segue_dbus_descriptor), 0, dbus) else {
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}

/// The first argument, if it is a boolean.
private func boolean(_ message: OpaquePointer, _ dbus: dbus_functions) -> Bool? {
  firstArgument(of: message, type: Int32(segue_dbus_boolean), UInt32(0), dbus).map { $0 != 0 }
}

/// The first argument, if it has the type, for which `value` has room.
private func firstArgument<Value: BitwiseCopyable>(
  of message: OpaquePointer, type: Int32, _ value: Value, _ dbus: dbus_functions
) -> Value? {
  var arguments = dbus_iterator()
  guard dbus.message_iter_init(message, &arguments) != 0, dbus.message_iter_get_arg_type(&arguments) == type else {
    return nil
  }
  var value = value
  dbus.message_iter_get_basic(&arguments, &value)
  return value
}
