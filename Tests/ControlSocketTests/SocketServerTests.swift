import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Testing

@testable import ControlSocket

/// Real clients on real sockets.
struct SocketServerTests {
  private let folder: TemporaryFolder
  private let place: BytePath
  private let server: SocketServer

  init() throws {
    folder = try TemporaryFolder()
    place = BytePath(folder("run"))
    var limits = SocketServer.Limits()
    limits.clientCount = 3
    limits.lineByteCount = 1000
    limits.backlogByteCount = 10_000
    limits.servesGoneClients = true
    server = SocketServer(limits: limits)
  }

  private func listen() throws -> LocalListener {
    let listener = try #require(try LocalListener.open("control", in: place))
    _ = server.add(listener)
    return listener
  }

  /// Lets a server handle what has happened.
  private func turn(_ other: SocketServer? = nil) -> [SocketServer.Event] {
    let server = other ?? server
    var polled = server.makePolled()
    poll(&polled, nfds_t(polled.count), 20)
    return server.handle(polled[...], at: .zero)
  }

  private func events(_ count: Int) -> [SocketServer.Event] {
    var events: [SocketServer.Event] = []
    _ = waitUntil {
      events += turn()
      return events.count >= count
    }
    return events
  }

  private func line(of id: Int) -> String? {
    var line: [UInt8]?
    _ = waitUntil {
      _ = turn()
      line = server.nextLine(of: id)
      return line != nil
    }
    return line.map { String(decoding: $0, as: UTF8.self) }
  }

  private func write(_ text: String, _ descriptor: CInt) {
    _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
  }

  @Test func `lines come in pieces, with either end, and answers go back`() throws {
    let listener = try listen()
    let client = try LocalListener.connect(to: listener.path)
    defer { close(client) }
    #expect(events(1) == [.opened(0, listener: 0)])
    write("pau", client)
    _ = turn()
    #expect(server.nextLine(of: 0) == nil)
    write("se\r\nnext\n\nrest", client)
    #expect(line(of: 0) == "pause")
    #expect(line(of: 0) == "next")
    #expect(line(of: 0) == "")
    #expect(server.nextLine(of: 0) == nil)
    server.send(Array("ok\n".utf8), to: 0)
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(read(client, &buffer, 10) == 3)
  }

  @Test func `a number of bytes is taken instead of a line, and a client can go to another server`() throws {
    let listener = try listen()
    let client = try LocalListener.connect(to: listener.path)
    defer { close(client) }
    #expect(events(1).count == 1)
    write("head\n1\n", client)
    #expect(line(of: 0) == "head")
    #expect(server.nextLine(of: 0, byteCount: 5) == nil)
    write("345rest\n", client)
    var bytes: [UInt8]?
    _ = waitUntil {
      _ = turn()
      bytes = server.nextLine(of: 0, byteCount: 5)
      return bytes != nil
    }
    #expect(bytes == Array("1\n345".utf8))
    #expect(server.nextLine(of: 0) == Array("rest".utf8))
    let other = SocketServer()
    let id = other.adopt(try #require(server.release(0)))
    #expect(server.release(0) == nil && server.takeClosed().isEmpty)
    other.send(Array("ok\n".utf8), to: id)
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(read(client, &buffer, 10) == 3)
    other.end(id)
    #expect(other.takeClosed() == [.closed(id)] && read(client, &buffer, 10) == 0)
  }

  @Test func `only the user can connect`() throws {
    let listener = try listen()
    var status = stat()
    #expect(lstat(String(describing: listener.path), &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK)
    #expect(lstat(String(describing: place), &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test(arguments: [0o777, 0o755, 0o710] as [mode_t])
  func `a folder that other users may enter is refused`(mode: mode_t) throws {
    mkdir(String(describing: place), 0o700)
    chmod(String(describing: place), mode)
    #expect(throws: ByteIOError.self) { try LocalListener.open("control", in: place) }
  }

  @Test func `a later program has a name of its own, and takes away only that`() throws {
    let first = try listen()
    #expect(first.path.lastComponent == BytePath("control"))
    var second = try LocalListener.open("control", in: place)
    #expect(second?.path.lastComponent == BytePath("control.\(getpid())"))
    #expect(try LocalListener.open("mpd", in: place, isShared: false) != nil)
    second = nil
    #expect(LocalListener.isAnswered(first.path))
    #expect(!LocalListener.isAnswered(place.appending(BytePath("control.\(getpid())"))))
  }

  @Test func `a socket that a killed program left behind is replaced`() throws {
    // Bound, and closed without a word to the folder.
    mkdir(String(describing: place), 0o700)
    let program = try ChildProcess([
      "python3", "-c", "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])",
      String(describing: place.appending(BytePath("control"))),
    ])
    #expect(program.wait() == 0)
    let listener = try listen()
    #expect(listener.path.lastComponent == BytePath("control"))
    #expect(LocalListener.isAnswered(listener.path))
  }

  @Test func `one client too many is turned away`() throws {
    let listener = try listen()
    let clients = try (0..<4).map { _ in try LocalListener.connect(to: listener.path) }
    defer { for client in clients { close(client) } }
    #expect(events(3).count == 3)
    var byte: UInt8 = 0
    #expect(read(clients[3], &byte, 1) == 0)
  }

  @Test func `a line without an end drops its client`() throws {
    let listener = try listen()
    let client = try LocalListener.connect(to: listener.path)
    defer { close(client) }
    #expect(events(1).count == 1)
    write(String(repeating: "x", count: 2000), client)
    var isClosed = false
    _ = waitUntil {
      isClosed = isClosed || turn().contains(.closed(0))
      _ = server.nextLine(of: 0)
      isClosed = isClosed || server.takeClosed().contains(.closed(0))
      return isClosed
    }
    #expect(isClosed)
  }

  @Test func `a client that does not read is dropped, and nobody waits for it`() throws {
    let listener = try listen()
    let client = try LocalListener.connect(to: listener.path)
    defer { close(client) }
    #expect(events(1).count == 1)
    let answer = [UInt8](repeating: 0x78, count: 1 << 20)
    // One answer may be of any size; a second one must find the first one read.
    server.send(answer, to: 0)
    #expect(server.hasBacklog(0) && server.takeClosed().isEmpty)
    server.send(answer, to: 0)
    #expect(server.takeClosed() == [.closed(0)])
  }

  @Test func `a client that is always behind costs no more memory than it is behind`() throws {
    var limits = SocketServer.Limits()
    limits.backlogByteCount = 1 << 20
    let server = SocketServer(limits: limits)
    let listener = try #require(try LocalListener.open("control", in: place))
    _ = server.add(listener)
    let client = try LocalListener.connect(to: listener.path)
    defer { close(client) }
    let isThere = waitUntil { !turn(server).isEmpty }
    try #require(isThere)
    let answer = [UInt8](repeating: 0x78, count: 1 << 14)
    var (buffer, readByteCount, most) = ([UInt8](repeating: 0, count: 1 << 16), 0, 0)
    while readByteCount < 8 << 20 {
      server.send(answer, to: 0)
      let (held, unsent) = server.outputByteCounts(0)
      most = max(most, held)
      // More than the system takes at once, so that the server is never rid of all.
      if unsent > 1 << 19 { readByteCount += max(0, read(client, &buffer, 1 << 16)) }
      try #require(unsent > 0 || readByteCount == 0)
    }
    #expect(most < 3 << 20, "\(most)")
  }

  @Test func `clients of one socket do not take the places of those of another`() throws {
    let (one, other) = (try listen(), try #require(try LocalListener.open("mpd", in: place)))
    _ = server.add(other)
    let clients = try (0..<4).map { _ in try LocalListener.connect(to: other.path) }
    defer { for client in clients { close(client) } }
    #expect(events(3) == (0..<3).map { .opened($0, listener: 1) })
    let client = try LocalListener.connect(to: one.path)
    defer { close(client) }
    #expect(events(1) == [.opened(3, listener: 0)])
  }

  @Test func `a client that goes between poll and its results leaves the others alone`() throws {
    let listener = try listen()
    let clients = try (0..<2).map { _ in try LocalListener.connect(to: listener.path) }
    defer { for client in clients { close(client) } }
    #expect(events(2).count == 2)
    // The first one hangs up, which the server has read; before the next result is handled it is dropped.
    shutdown(clients[0], CInt(SHUT_RDWR))
    _ = waitUntil {
      _ = turn()
      return server.readable == [0]
    }
    #expect(server.readable == [0])
    var polled = server.makePolled()
    poll(&polled, nfds_t(polled.count), 1000)
    server.end(0)
    #expect(server.handle(polled[...], at: .zero) == [.closed(0)])
    write("still here\n", clients[1])
    #expect(line(of: 1) == "still here")
  }

  @Test func `a client that has said all gets its answers`() throws {
    let listener = try listen()
    let client = try LocalListener.connect(to: listener.path)
    defer { close(client) }
    #expect(events(1).count == 1)
    write("status\n", client)
    shutdown(client, CInt(SHUT_WR))
    #expect(line(of: 0) == "status")
    server.send(Array("ok\n".utf8), to: 0)
    _ = waitUntil {
      _ = turn()
      return server.nextLine(of: 0) == nil && server.readable.isEmpty
    }
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(read(client, &buffer, 10) == 3 && read(client, &buffer, 10) == 0)
  }

  @Test func `lines of a client that has gone are served, though it reads no answer`() throws {
    let listener = try listen()
    let client = try LocalListener.connect(to: listener.path)
    #expect(events(1).count == 1)
    // More than is read ahead.
    let names = (0..<2000).map { "line \($0)" }
    write(names.map { $0 + "\n" }.joined(), client)
    close(client)
    #expect(line(of: 0) == names.first)
    // It takes its time.
    for _ in 0..<3 { #expect(turn() == []) }
    server.send(Array("ok\n".utf8), to: 0)
    #expect(server.takeGone() == [0] && server.takeGone() == [])
    for name in names.dropFirst() {
      server.send(Array("ok\n".utf8), to: 0)
      #expect(server.nextLine(of: 0).map { String(decoding: $0, as: UTF8.self) } == name)
    }
    #expect(server.readable == [0] && server.nextLine(of: 0) == nil && server.readable.isEmpty)
    #expect(server.takeClosed() == [.closed(0)])
  }

  @Test func `where nobody takes further lines, a client that goes is forgotten with them`() throws {
    let server = SocketServer()
    let listener = try #require(try LocalListener.open("control", in: place))
    _ = server.add(listener)
    let client = try LocalListener.connect(to: listener.path)
    write("first\nsecond\n", client)
    close(client)
    var events: [SocketServer.Event] = []
    _ = waitUntil {
      events += turn(server)
      return events.count > 1
    }
    #expect(events == [.opened(0, listener: 0), .closed(0)] && server.readable.isEmpty)
  }

  // MARK: The network

  private func connect(to port: UInt16) -> CInt {
    let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    return isConnected ? client : -1
  }

  @Test func `clients of the network are served until their listener is removed`() throws {
    let local = try listen()
    let port = KeptPort()
    let index = server.add(try NetworkListener(host: "127.0.0.1", port: port.number))
    let (here, far) = (try LocalListener.connect(to: local.path), connect(to: port.number))
    defer { for client in [here, far] { close(client) } }
    #expect(Set(events(2)).contains { if case .opened(_, listener: index) = $0 { true } else { false } })
    write("status\n", far)
    #expect(
      waitUntil {
        _ = turn()
        return !server.readable.isEmpty
      })
    let id = try #require(server.readable.first)
    #expect(line(of: id) == "status")
    server.remove(listener: index)
    #expect(server.takeClosed() == [.closed(id)])
    // A process that another test starts may hold the socket for a moment.
    #expect(
      waitUntil {
        let client = connect(to: port.number)
        if client >= 0 { close(client) }
        return client == -1
      })
    write("toggle\n", here)
    #expect(line(of: 1 - id) == "toggle", "local clients stay")
  }

  @Test func `clients of the network leave places for others`() throws {
    let server = SocketServer()
    let local = try #require(try LocalListener.open("control", in: place))
    _ = server.add(local)
    let port = KeptPort()
    let listener = try NetworkListener(host: "127.0.0.1", port: port.number)
    _ = server.add(listener)
    var clients: [CInt] = []
    defer { for client in clients { close(client) } }
    var opened: [Int] = []
    func take(_ count: Int) {
      _ = waitUntil {
        var polled = server.makePolled()
        poll(&polled, nfds_t(polled.count), 20)
        for case .opened(let id, let index) in server.handle(polled[...], at: .zero) {
          opened.append(index)
          server.admit(id)
        }
        return opened.count >= count
      }
    }
    for count in 1...listener.clientLimit {
      clients.append(connect(to: port.number))
      take(count)
    }
    for _ in 0..<4 { clients.append(connect(to: port.number)) }
    clients.append(try LocalListener.connect(to: local.path))
    take(listener.clientLimit + 1)
    #expect(opened.count { $0 == 1 } == listener.clientLimit && opened.last == 0)
    #expect(listener.clientLimit <= SocketServer.Limits().clientCount / 2)
  }

  @Test func `a client of the network that stays silent is dropped, one that is admitted stays`() throws {
    let local = try listen()
    let port = KeptPort()
    _ = server.add(try NetworkListener(host: "127.0.0.1", port: port.number))
    var clients: [CInt] = []
    defer { for client in clients { close(client) } }
    // The local client has no limit.
    clients.append(try LocalListener.connect(to: local.path))
    #expect(events(1) == [.opened(0, listener: 0)] && server.deadline == nil)
    for id in 1...2 {
      clients.append(connect(to: port.number))
      #expect(events(1) == [.opened(id, listener: 1)])
    }
    server.admit(2)
    // It says something, but not what admits it.
    write("status\n", clients[1])
    #expect(line(of: 1) == "status")
    let deadline = try #require(server.deadline)
    #expect(deadline == .zero + .seconds(60))
    server.dropSilent(at: deadline + TimeSpan(nanoseconds: -1))
    #expect(server.takeClosed().isEmpty)
    server.dropSilent(at: deadline)
    #expect(server.takeClosed() == [.closed(1)] && server.deadline == nil)
    var byte: UInt8 = 0
    #expect(read(clients[1], &byte, 1) == 0)
    for id in [0, 2] {
      write("still here\n", clients[id])
      #expect(line(of: id) == "still here")
    }
  }

  @Test func `clients that are not admitted make room for others, admitted ones do not`() throws {
    let server = SocketServer()
    let port = KeptPort()
    let listener = try NetworkListener(host: "127.0.0.1", port: port.number)
    _ = server.add(listener)
    var clients: [CInt] = []
    defer { for client in clients { close(client) } }
    var (opened, closed): ([Int], [Int]) = ([], [])
    func connectOne() {
      clients.append(connect(to: port.number))
      let count = opened.count
      _ = waitUntil {
        var polled = server.makePolled()
        poll(&polled, nfds_t(polled.count), 20)
        for event in server.handle(polled[...], at: .zero) {
          switch event {
          case .opened(let id, _): opened.append(id)
          case .closed(let id): closed.append(id)
          }
        }
        return opened.count > count
      }
    }
    for _ in 0..<listener.clientLimit { connectOne() }
    server.admit(0)
    for _ in 0..<3 { connectOne() }
    #expect(closed == [1, 2, 3] && opened == Array(0..<listener.clientLimit + 3))
  }

  @Test(arguments: ["", "localhost", "1.2.3", "::g"]) func `only addresses in numbers are listened at`(host: String) {
    #expect(throws: ByteIOError.self) { try NetworkListener(host: host, port: 1) }
  }
}
