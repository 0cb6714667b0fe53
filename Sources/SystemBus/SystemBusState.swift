internal import CDBus
internal import Glibc

/// libdbus' functions; `nil` if it is not installed. The first use loads it.
///
/// Safety: points to a table that never changes after it was loaded.
nonisolated(unsafe) let libdbus = dbus_load()

/// The state of the system bus and of logind on it.
public enum SystemBusState: Sendable, Hashable {
  /// There is no address of a system bus.
  case noBus
  /// libdbus is not installed.
  case noLibrary
  /// The bus does not answer.
  case unreachable
  case withoutLogind
  case withLogind

  /// Connects to the bus and asks for logind. Blocks while the bus answers. Any thread.
  public static func ask() -> SystemBusState {
    guard hasAddress else { return .noBus }
    guard let dbus = libdbus?.pointee else { return .noLibrary }
    guard let bus = open(dbus) else { return .unreachable }
    defer { close(bus, dbus) }
    return dbus.bus_name_has_owner(bus, "org.freedesktop.login1", nil) != 0 ? .withLogind : .withoutLogind
  }

  private static var hasAddress: Bool {
    getenv("DBUS_SYSTEM_BUS_ADDRESS") != nil || access("/run/dbus/system_bus_socket", F_OK) == 0
  }

  /// A private connection; `nil` if there is no bus.
  static func open() -> (dbus_functions, OpaquePointer)? {
    // Without an address, libdbus would look in the same place, but load more libraries first.
    guard hasAddress, let dbus = libdbus?.pointee else { return nil }
    return open(dbus).map { (dbus, $0) }
  }

  private static func open(_ dbus: dbus_functions) -> OpaquePointer? {
    guard let bus = dbus.bus_get_private(Int32(segue_dbus_system_bus), nil) else { return nil }
    dbus.connection_set_exit_on_disconnect(bus, 0)
    return bus
  }

  static func close(_ bus: OpaquePointer, _ dbus: dbus_functions) {
    dbus.connection_close(bus)
    dbus.connection_unref(bus)
  }
}
