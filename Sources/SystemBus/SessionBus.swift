internal import CDBus
public import Glibc
public import RemoteProtocols
internal import Threads

/// A connection to the session bus for one object with a name, served from one `poll`: nothing waits for the bus.
///
/// It connects on a thread of its own, since a bus may take its time. Without a bus, or libdbus, nothing ever happens.
/// Main thread.
public final class SessionBus {
  /// A call that waits for its reply.
  public final class Request {
    fileprivate let message: OpaquePointer
    private let dbus: dbus_functions

    fileprivate init(_ message: OpaquePointer, _ dbus: dbus_functions) { (self.message, self.dbus) = (message, dbus) }
    deinit { dbus.message_unref(message) }
  }

  /// A connection on its way from the thread that made it to the one that uses it.
  ///
  /// Safety: the first thread is done with it when the second one takes it.
  private struct Connection: @unchecked Sendable {
    let bus: OpaquePointer
    let descriptor: CInt
  }

  private final class Arrival: Sendable {
    let connection = Guarded<Connection?>(nil)
  }

  private let arrival = Arrival()
  private let thread: WorkerThread?
  private let path: String
  private var connection: Connection?
  /// Messages that have arrived and are no calls.
  private var news: [BusNews] = []
  /// Bytes that the bus has not taken yet; more signals than these are dropped.
  private static let backlogLimit = 1 << 20
  private static let messageLimit = 1 << 20

  /// Connects.
  ///
  /// - Parameters:
  ///   - names: The name to own, and others in case that it has an owner.
  ///   - path: The object.
  ///   - ring: Called on another thread when the connection is there.
  public init(names: [String], path: String, ring: @escaping @Sendable () -> Void) {
    self.path = path
    guard Self.hasAddress else {
      thread = nil
      return
    }
    thread = WorkerThread(named: "bus") { [arrival] in
      guard let dbus = libdbus?.pointee, let connection = Self.connect(dbus, names) else { return }
      arrival.connection.withLock { $0 = connection }
      ring()
    }
  }

  deinit {
    let connection = connection ?? arrival.connection.withLock { $0 }
    if let connection, let dbus = libdbus?.pointee { SystemBusState.close(connection.bus, dbus) }
  }

  /// libdbus would start a bus where it finds no address, which the sandbox forbids.
  static var hasAddress: Bool {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address[0] != 0 {
      return !String(cString: address).hasPrefix("autolaunch:")
    }
    guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
    return access(String(cString: folder) + "/bus", F_OK) == 0
  }

  private static func connect(_ dbus: dbus_functions, _ names: [String]) -> Connection? {
    guard let bus = dbus.bus_get_private(Int32(segue_dbus_session_bus), nil) else { return nil }
    dbus.connection_set_exit_on_disconnect(bus, 0)
    dbus.connection_set_max_message_size(bus, messageLimit)
    var descriptor: CInt = -1
    let hasName = names.contains { name in
      dbus.bus_request_name(bus, name, UInt32(segue_dbus_do_not_queue), nil) == Int32(segue_dbus_primary_owner)
    }
    guard hasName, dbus.connection_get_unix_fd(bus, &descriptor) != 0 else {
      SystemBusState.close(bus, dbus)
      return nil
    }
    return Connection(bus: bus, descriptor: descriptor)
  }

  // MARK: Polling

  public var polled: pollfd {
    guard let connection, let dbus = libdbus?.pointee else { return pollfd(fd: -1, events: 0, revents: 0) }
    let writes = dbus.connection_has_messages_to_send(connection.bus) != 0
    return pollfd(fd: connection.descriptor, events: Int16(POLLIN | (writes ? POLLOUT : 0)), revents: 0)
  }

  /// Takes a connection that has been made; true if there is one since this call.
  public func takeConnection() -> Bool {
    guard connection == nil else { return false }
    connection = arrival.connection.withLock { $0.take() }
    return connection != nil
  }

  public var isConnected: Bool { connection != nil }

  /// Reads and writes as far as that is possible at once; the calls that have arrived.
  public func handle() -> [(call: BusCall, request: Request)] {
    guard let connection, let dbus = libdbus?.pointee else { return [] }
    _ = dbus.connection_read_write(connection.bus, 0)
    var calls: [(BusCall, Request)] = []
    while let message = dbus.connection_pop_message(connection.bus) {
      let request = Request(message, dbus)
      let values = { call(message, dbus).arguments.compactMap(\.self) }
      switch dbus.message_get_type(message) {
      case Int32(segue_dbus_method_call): calls.append((call(message, dbus), request))
      case Int32(segue_dbus_method_return):
        news.append(.reply(.values(values()), to: dbus.message_get_reply_serial(message)))
      case Int32(segue_dbus_error):
        news.append(.reply(.error("", ""), to: dbus.message_get_reply_serial(message)))
      default: news.append(.signal(call(message, dbus)))
      }
    }
    if dbus.connection_get_is_connected(connection.bus) == 0 {
      SystemBusState.close(connection.bus, dbus)
      self.connection = nil
      return []
    }
    return calls
  }

  /// The replies and signals that `handle` has found.
  public func takeNews() -> [BusNews] {
    defer { news = [] }
    return news
  }

  /// Calls a method of the owner of a name; returns the number that its reply names.
  public func ask(_ call: BusCall, of name: String) -> UInt32? {
    guard let connection, let dbus = libdbus?.pointee,
      let message = dbus.message_new_method_call(name, call.path, call.interface, call.member)
    else { return nil }
    defer { dbus.message_unref(message) }
    fill(message, with: call.arguments.compactMap(\.self), dbus)
    var number: UInt32 = 0
    return dbus.connection_send(connection.bus, message, &number) != 0 ? number : nil
  }

  /// Takes the signals of a rule from now on (D-Bus Specification, "Match Rules"). Does not wait for the bus.
  public func follow(_ rule: String) {
    if let connection, let dbus = libdbus?.pointee { dbus.bus_add_match(connection.bus, rule, nil) }
  }

  /// Replies to a call, if its caller waits for that.
  public func reply(_ reply: BusReply, to request: Request) {
    guard let dbus = libdbus?.pointee, dbus.message_get_no_reply(request.message) == 0 else { return }
    switch reply {
    case .error(let name, let text): send(dbus.message_new_error(request.message, name, text), [])
    case .values(let values): send(dbus.message_new_method_return(request.message), values)
    }
  }

  /// Emits a signal of the object. A bus that does not read misses it.
  public func emit(_ signal: BusSignal) {
    guard let connection, let dbus = libdbus?.pointee,
      dbus.connection_get_outgoing_size(connection.bus) <= Self.backlogLimit
    else { return }
    send(dbus.message_new_signal(path, signal.interface, signal.member), signal.arguments)
  }

  private func send(_ message: OpaquePointer?, _ values: [BusValue]) {
    guard let message, let dbus = libdbus?.pointee else { return }
    defer { dbus.message_unref(message) }
    guard let connection else { return }
    fill(message, with: values, dbus)
    _ = dbus.connection_send(connection.bus, message, nil)
  }

  private func fill(_ message: OpaquePointer, with values: [BusValue], _ dbus: dbus_functions) {
    var iterator = dbus_iterator()
    dbus.message_iter_init_append(message, &iterator)
    for value in values { append(value, to: &iterator, dbus) }
  }
}

// MARK: Messages

private func call(_ message: OpaquePointer, _ dbus: dbus_functions) -> BusCall {
  let text = { (pointer: UnsafePointer<CChar>?) in pointer.map { String(cString: $0) } ?? "" }
  var arguments: [BusValue?] = []
  var iterator = dbus_iterator()
  if dbus.message_iter_init(message, &iterator) != 0 {
    repeat {
      arguments.append(value(&iterator, dbus))
    } while dbus.message_iter_next(&iterator) != 0
      && arguments.count < 8
  }
  return BusCall(
    path: text(dbus.message_get_path(message)), interface: text(dbus.message_get_interface(message)),
    member: text(dbus.message_get_member(message)), arguments: arguments)
}

/// The argument at an iterator; `nil` for a type that no call of ours has.
func value(_ iterator: inout dbus_iterator, _ dbus: dbus_functions, depth: Int = 0) -> BusValue? {
  func basic<Value: BitwiseCopyable>(_ value: Value) -> Value {
    var value = value
    dbus.message_iter_get_basic(&iterator, &value)
    return value
  }
  func text() -> String { basic(UnsafePointer<CChar>?.none).map { String(cString: $0) } ?? "" }
  switch dbus.message_iter_get_arg_type(&iterator) {
  case Int32(segue_dbus_boolean): return .bool(basic(UInt32(0)) != 0)
  case Int32(segue_dbus_int32): return .int32(basic(0))
  case Int32(segue_dbus_uint32): return .uint32(basic(0))
  case Int32(segue_dbus_int64): return .int64(basic(0))
  case Int32(segue_dbus_double): return .double(basic(0))
  case Int32(segue_dbus_string): return .string(text())
  case Int32(segue_dbus_path): return .path(text())
  case Int32(segue_dbus_variant) where depth == 0:
    var inner = dbus_iterator()
    dbus.message_iter_recurse(&iterator, &inner)
    return value(&inner, dbus, depth: 1).map { .variant($0) }
  case Int32(segue_dbus_array) where depth == 0:
    var inner = dbus_iterator()
    dbus.message_iter_recurse(&iterator, &inner)
    var texts: [String] = []
    while dbus.message_iter_get_arg_type(&inner) != 0, texts.count < 100 {
      guard case .string(let text)? = value(&inner, dbus, depth: 1) else { return nil }
      texts.append(text)
      _ = dbus.message_iter_next(&inner)
    }
    return .strings(texts)
  default: return nil
  }
}

func append(_ value: BusValue, to iterator: inout dbus_iterator, _ dbus: dbus_functions) {
  func basic(_ type: some BinaryInteger, _ value: some BitwiseCopyable, _ iterator: inout dbus_iterator) {
    withUnsafePointer(to: value) { _ = dbus.message_iter_append_basic(&iterator, Int32(type), $0) }
  }
  func text(_ type: some BinaryInteger, _ text: String, _ iterator: inout dbus_iterator) {
    text.withCString { basic(type, $0, &iterator) }
  }
  func container(
    _ type: some BinaryInteger, _ signature: String?, _ iterator: inout dbus_iterator,
    _ body: (inout dbus_iterator) -> Void
  ) {
    var inner = dbus_iterator()
    let isOpen =
      signature?.withCString { dbus.message_iter_open_container(&iterator, Int32(type), $0, &inner) }
      ?? dbus.message_iter_open_container(&iterator, Int32(type), nil, &inner)
    guard isOpen != 0 else { return }
    body(&inner)
    _ = dbus.message_iter_close_container(&iterator, &inner)
  }
  switch value {
  case .bool(let value): basic(segue_dbus_boolean, UInt32(value ? 1 : 0), &iterator)
  case .int32(let value): basic(segue_dbus_int32, value, &iterator)
  case .uint32(let value): basic(segue_dbus_uint32, value, &iterator)
  case .int64(let value): basic(segue_dbus_int64, value, &iterator)
  case .double(let value): basic(segue_dbus_double, value, &iterator)
  case .string(let value): text(segue_dbus_string, value, &iterator)
  case .path(let value): text(segue_dbus_path, value, &iterator)
  case .strings(let values):
    container(segue_dbus_array, "s", &iterator) { inner in
      for value in values { text(segue_dbus_string, value, &inner) }
    }
  case .paths(let values):
    container(segue_dbus_array, "o", &iterator) { inner in for value in values { text(segue_dbus_path, value, &inner) }
    }
  case .dictionary(let members):
    container(segue_dbus_array, "{sv}", &iterator) { array in
      for (name, value) in members {
        container(segue_dbus_dictionary_entry, nil, &array) { entry in
          text(segue_dbus_string, name, &entry)
          container(segue_dbus_variant, value.signature, &entry) { append(value, to: &$0, dbus) }
        }
      }
    }
  case .variant(let value): container(segue_dbus_variant, value.signature, &iterator) { append(value, to: &$0, dbus) }
  }
}
