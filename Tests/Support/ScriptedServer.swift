internal import CGlibcExtras
internal import Glibc
internal import Synchronization
internal import Threads

/// A server on loopback that treats each connection as the test asks: a bad network.
public final class ScriptedServer: Sendable {
  /// A request of a client.
  public struct Request: Sendable {
    /// From 0, in the order in which the server took them.
    public var number: Int
    /// `GET`.
    public var method: String
    /// With the query.
    public var path: String
    /// Names in lower case.
    public var fields: [String: String]

    /// The first byte and, where it is named, the last of `Range: bytes=…`.
    public var range: (first: Int, last: Int?)? {
      guard
        let ends = fields["range"]?.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false),
        let first = ends.first.flatMap({ Int($0) })
      else { return nil }
      return (first, ends.count > 1 ? Int(ends[1]) : nil)
    }
  }

  /// The connection that a request came by. It is closed when the script returns.
  public final class Connection: Sendable {
    fileprivate let descriptor: Int32

    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Sends bytes; false if the client has gone.
    @discardableResult
    public func send(_ bytes: some Sequence<UInt8>) -> Bool {
      let bytes = Array(bytes)
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, 0x4000)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    /// Sends text.
    @discardableResult
    public func send(_ text: String) -> Bool { send(text.utf8) }

    /// Sends a head: status line, fields, an empty line.
    @discardableResult
    public func sendHead(_ status: String, _ fields: [String] = []) -> Bool {
      send((["HTTP/1.1 " + status] + fields + ["Connection: close", "", ""]).joined(separator: "\r\n"))
    }

    /// Hands all on, to and fro, between the client and who listens at a port of loopback, as a proxy does after
    /// `CONNECT`.
    public func tunnel(toPort port: UInt16) {
      let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | SEGUE_SOCK_CLOEXEC, 0)
      defer { close(other) }
      var name = sockaddr_in()
      (name.sin_family, name.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
      name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let isConnected = withUnsafeMutablePointer(to: &name) { name in
        name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected, send("HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n") else { return }
      let ends = [self, Connection(other)]
      var watched = ends.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      var window = [UInt8](repeating: 0, count: 1 << 16)
      while poll(&watched, 2, -1) > 0 {
        for place in 0..<2 where watched[place].revents != 0 {
          let count = recv(ends[place].descriptor, &window, window.count, 0)
          guard count > 0, ends[1 - place].send(window[..<count]) else { return }
        }
      }
    }

    /// Receives the body of a request; fewer bytes if the client has gone.
    public func receive(count: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      var window = [UInt8](repeating: 0, count: 1 << 16)
      while bytes.count < count, case let got = recv(descriptor, &window, min(window.count, count - bytes.count), 0),
        got > 0
      {
        bytes += window[..<got]
      }
      return bytes
    }

    /// Waits until the client has gone.
    public func waitForClient() {
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) > 0 {}
    }

    /// Cuts it off at once: the client's end sees a reset, not an end.
    public func reset() {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }

  /// Closed when neither the server nor its thread uses it: the number may then be that of another test's socket.
  private final class Listener: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  private let listener: Listener
  private let taken = Mutex<[Request]>([])
  /// The address: `http://127.0.0.1:PORT`, or `http://[::1]:PORT`.
  public let address: String

  /// Starts to listen, on IPv6 if that is asked for. `script` is called for each request, on a thread of its own; where
  /// the server `isRude`, for each connection, before anything was asked.
  public init(
    isIPv6: Bool = false, isRude: Bool = false, script: @escaping @Sendable (Request, Connection) -> Void
  ) throws {
    let type = Int32(SOCK_STREAM.rawValue) | SEGUE_SOCK_CLOEXEC
    if isIPv6 {
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_addr = in6addr_loopback
      listener = Listener(try Self.listen(socket(AF_INET6, type, 0), &name))
      address = "http://[::1]:\(UInt16(bigEndian: name.sin6_port))"
    } else {
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      listener = Listener(try Self.listen(socket(AF_INET, type, 0), &name))
      address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    }
    let listener = listener
    _ = WorkerThread(named: "server") { [weak self] in
      while true {
        // A program that another test starts meanwhile would hold the connection open.
        let descriptor = segue_accept4(listener.descriptor, nil, nil, SEGUE_SOCK_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let self else {
          close(descriptor)
          return
        }
        self.serve(descriptor, isRude: isRude, script)
      }
    }
  }

  /// Listens at the address that `name` gives, and fills in the port.
  private static func listen<Name>(_ listener: Int32, _ name: inout Name) throws -> Int32 {
    var count = socklen_t(MemoryLayout<Name>.size)
    let isListening = withUnsafeMutablePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, count) == 0 && Glibc.listen(listener, 64) == 0 && getsockname(listener, $0, &count) == 0
      }
    }
    if isListening { return listener }
    defer { close(listener) }
    throw ChildProcess.Failure("listen", errno)
  }

  deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

  /// The requests so far.
  public var requests: [Request] { taken.withLock { $0 } }

  private func serve(_ descriptor: Int32, isRude: Bool, _ script: @escaping @Sendable (Request, Connection) -> Void) {
    _ = WorkerThread(named: "connection") { [weak self] in
      let connection = Connection(descriptor)
      defer { close(descriptor) }
      guard let text = isRude ? "GET /" : Self.readHead(descriptor), let request = self?.take(text) else { return }
      script(request, connection)
    }
  }

  private static func readHead(_ descriptor: Int32) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard bytes.count < 1 << 16, recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func take(_ head: String) -> Request? {
    let lines = head.split(whereSeparator: \.isNewline)
    guard let words = lines.first?.split(separator: " "), words.count > 1 else { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    let (method, path, known) = (String(words[0]), String(words[1]), fields)
    return taken.withLock { taken in
      taken.append(Request(number: taken.count, method: method, path: path, fields: known))
      return taken.last
    }
  }
}

extension ScriptedServer.Connection {
  /// Answers as a good server does: ranges, `If-Range`, `If-None-Match`. `limit` is where it cuts the connection, in
  /// bytes of the body; `tag` is what it calls this version.
  public func serve(
    _ body: [UInt8], _ request: ScriptedServer.Request, type: String = "audio/mpeg", tag: String? = "\"1\"",
    limit: Int = .max
  ) {
    var fields = ["Content-Type: \(type)", "Accept-Ranges: bytes"]
    if let tag { fields.append("ETag: \(tag)") }
    if let tag, request.fields["if-none-match"] == tag {
      sendHead("304 Not Modified", fields)
      return
    }
    var bytes = body[...]
    if let range = request.range, request.fields["if-range"] == nil || request.fields["if-range"] == tag {
      guard range.first < body.count else {
        sendHead("416 Range Not Satisfiable", fields + ["Content-Range: bytes */\(body.count)", "Content-Length: 0"])
        return
      }
      bytes = body[range.first..<min(body.count, (range.last ?? .max - 1) + 1)]
      let place = "\(bytes.startIndex)-\(bytes.endIndex - 1)/\(body.count)"
      sendHead("206 Partial Content", fields + ["Content-Range: bytes \(place)", "Content-Length: \(bytes.count)"])
    } else {
      sendHead("200 OK", fields + ["Content-Length: \(bytes.count)"])
    }
    send(bytes.prefix(limit))
  }
}
