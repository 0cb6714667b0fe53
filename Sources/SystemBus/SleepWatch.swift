internal import CDBus
internal import Threads

/// Hears when the machine is about to sleep and when it is awake again, from logind on the system bus
/// (`PrepareForSleep`, CONTRACTS D.3).
///
/// On a thread of its own, since a bus may take its time: it sleeps until there is news. Where there is no bus, or no
/// libdbus, it ends at once and nothing is ever heard.
public final class SleepWatch: Sendable {
  private let thread: WorkerThread

  /// Begins to listen. `hear` is called on the watch's thread: true before the machine sleeps, false when it is awake.
  public init(_ hear: @escaping @Sendable (Bool) -> Void) {
    thread = WorkerThread(named: "logind") { watch(hear) }
  }
}

private func watch(_ hear: (Bool) -> Void) {
  guard let (dbus, bus) = SystemBusState.open() else { return }
  defer { SystemBusState.close(bus, dbus) }
  let manager = "org.freedesktop.login1.Manager"
  dbus.bus_add_match(
    bus, "type='signal',sender='org.freedesktop.login1',interface='\(manager)',member='PrepareForSleep'", nil)
  while dbus.connection_read_write(bus, -1) != 0 {
    while let message = dbus.connection_pop_message(bus) {
      if dbus.message_is_signal(message, manager, "PrepareForSleep") != 0, let isSleeping = boolean(message, dbus) {
        hear(isSleeping)
      }
      dbus.message_unref(message)
    }
  }
}

/// The first argument, where that is a boolean.
private func boolean(_ message: OpaquePointer, _ dbus: dbus_functions) -> Bool? {
  var arguments = dbus_iterator()
  guard dbus.message_iter_init(message, &arguments) != 0,
    dbus.message_iter_get_arg_type(&arguments) == Int32(segue_dbus_boolean)
  else { return nil }
  var value: UInt32 = 0
  dbus.message_iter_get_basic(&arguments, &value)
  return value != 0
}
