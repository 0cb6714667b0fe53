internal import CDBus
internal import Glibc
internal import RemoteProtocols

/// A sound card that this program has asked the others on the session bus for, until the object is released: the name
/// `org.freedesktop.ReserveDevice1.Audio0` (http://git.0pointer.net/reserve.git). Sound servers let go of a card when
/// a program with a higher priority asks.
///
/// Used by one thread at a time.
public final class ReservedCard {
  public enum Answer {
    case granted(ReservedCard)
    /// One of them keeps the card.
    case refused
    case withoutBus
  }

  private let dbus: dbus_functions
  private let bus: OpaquePointer
  private let path: String
  private let application: String
  private let priority: Int32
  /// The call by which another program asks for the card. Its answer is that the card is free.
  private var request: OpaquePointer?
  private var isLost = false

  private static let interface = "org.freedesktop.ReserveDevice1"
  private static let patience: Int32 = 3000

  /// Asks for a card, for some seconds at most where another program has it and does not answer. The usual priority is
  /// above that of sound servers (0, and less) and below that of programs for recording (the largest).
  public static func ask(card: Int32, application: String, priority: Int32 = 10) -> Answer {
    guard SessionBus.hasAddress, let dbus = libdbus?.pointee,
      let bus = dbus.bus_get_private(Int32(segue_dbus_session_bus), nil)
    else { return .withoutBus }
    dbus.connection_set_exit_on_disconnect(bus, 0)
    let reserved = ReservedCard(dbus, bus, path: "/org/freedesktop/ReserveDevice1/Audio\(card)", application, priority)
    let name = "\(interface).Audio\(card)"
    let isOwned =
      reserved.owns(name, replaces: false)
      || reserved.isReleased(by: name) && reserved.owns(name, replaces: true)
    return isOwned ? .granted(reserved) : .refused
  }

  private init(_ dbus: dbus_functions, _ bus: OpaquePointer, path: String, _ application: String, _ priority: Int32) {
    (self.dbus, self.bus, self.path, self.application, self.priority) = (dbus, bus, path, application, priority)
  }

  deinit {
    answer(request, [.bool(true)])
    // The answer leaves before the connection ends, and with that the name is free.
    if dbus.connection_has_messages_to_send(bus) != 0 { _ = dbus.connection_read_write(bus, 100) }
    SystemBusState.close(bus, dbus)
  }

  private func owns(_ name: String, replaces: Bool) -> Bool {
    let flags = segue_dbus_allow_replacement | segue_dbus_do_not_queue | (replaces ? segue_dbus_replace_existing : 0)
    return dbus.bus_request_name(bus, name, UInt32(flags), nil) == Int32(segue_dbus_primary_owner)
  }

  /// Asks the owner of the name.
  private func isReleased(by name: String) -> Bool {
    guard let call = dbus.message_new_method_call(name, path, Self.interface, "RequestRelease") else { return false }
    defer { dbus.message_unref(call) }
    dbus.message_set_auto_start(call, 0)
    var arguments = dbus_iterator()
    dbus.message_iter_init_append(call, &arguments)
    append(.int32(priority), to: &arguments, dbus)
    guard let reply = dbus.connection_send_with_reply_and_block(bus, call, Self.patience, nil) else { return false }
    defer { dbus.message_unref(reply) }
    return argument(of: reply) == .bool(true)
  }

  /// True if another program is to get the card, or has taken it. Answers other questions. Returns at once.
  public var isWanted: Bool {
    _ = dbus.connection_read_write(bus, 0)
    while let message = dbus.connection_pop_message(bus) {
      handle(message)
      dbus.message_unref(message)
    }
    return request != nil || isLost
  }

  private func handle(_ message: OpaquePointer) {
    if dbus.message_is_signal(message, "org.freedesktop.DBus", "NameLost") != 0 { return isLost = true }
    guard dbus.message_get_type(message) == Int32(segue_dbus_method_call) else { return }
    switch dbus.message_get_member(message).map({ String(cString: $0) }) {
    case "RequestRelease":
      guard case .int32(let wish) = argument(of: message), wish > priority, request == nil else {
        return answer(message, [.bool(false)])
      }
      request = dbus.message_ref(message)
    case "Get":
      let value = argument(of: message, at: 1).flatMap { name in
        properties.first { .string($0.0) == name }?.1
      }
      answer(message, value.map { [.variant($0)] })
    case "GetAll": answer(message, [.dictionary(properties)])
    default: answer(message, nil)
    }
  }

  private var properties: [(String, BusValue)] {
    [
      ("Priority", .int32(priority)), ("ApplicationName", .string(application)),
      ("ApplicationDeviceName", .string("")),
    ]
  }

  /// Answers a call: with an error, if it is unknown.
  private func answer(_ call: OpaquePointer?, _ values: [BusValue]?) {
    guard let call else { return }
    let error = "org.freedesktop.DBus.Error.UnknownMethod"
    let reply = values == nil ? dbus.message_new_error(call, error, "") : dbus.message_new_method_return(call)
    guard let reply else { return }
    defer { dbus.message_unref(reply) }
    var iterator = dbus_iterator()
    dbus.message_iter_init_append(reply, &iterator)
    for value in values ?? [] { append(value, to: &iterator, dbus) }
    _ = dbus.connection_send(bus, reply, nil)
    if call == request {
      dbus.message_unref(call)
      request = nil
    }
  }

  /// An argument of a message, if its type is known.
  private func argument(of message: OpaquePointer, at index: Int = 0) -> BusValue? {
    var iterator = dbus_iterator()
    guard dbus.message_iter_init(message, &iterator) != 0 else { return nil }
    for _ in 0..<index { guard dbus.message_iter_next(&iterator) != 0 else { return nil } }
    return value(&iterator, dbus)
  }
}
