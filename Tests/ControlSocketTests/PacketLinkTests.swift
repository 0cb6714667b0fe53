import ByteIO
import CGlibcExtras
import Glibc
import SoundServerSupport
import Testing

@testable import ControlSocket

/// Words and open files between two ends.
struct PacketLinkTests {
  private let ours, theirs: PacketLink

  init() throws { (ours, theirs) = try #require(PacketLink.makePair()) }

  @Test(arguments: [["word"], ["two", "words"], ["", "a=ä b", ""], ["", ""]]) func `words arrive`(words: [String]) {
    #expect(ours.send(words))
    guard case .message(words, []) = theirs.receive() else { return #expect(Bool(false), "another message") }
    guard case .nothing = theirs.receive() else { return #expect(Bool(false), "a second message") }
  }

  @Test func `open files arrive, and not in the programs that the receiver starts`() throws {
    var ends: [CInt] = [-1, -1]
    #expect(pipe(&ends) == 0)
    #expect(ours.send(["offer"], [ends[0], ends[1], ends[1]]))
    for end in ends { close(end) }
    guard case .message(["offer"], let files) = theirs.receive() else { return #expect(Bool(false)) }
    #expect(files.count == 3)
    var byte: UInt8 = 7
    #expect(write(files[2], &byte, 1) == 1)
    byte = 0
    #expect(read(files[0], &byte, 1) == 1 && byte == 7)
    for file in files {
      #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
      close(file)
    }
  }

  @Test func `the end of the other process is noticed, and what is too large is not sent`() {
    #expect(!ours.send([String(repeating: "x", count: PacketLink.byteLimit + 1)]))
    #expect(!ours.send(["files"], [CInt](repeating: 0, count: 9)))
    theirs.close()
    // Until it runs another program, a process that a test starts meanwhile has that end, too.
    #expect(waitUntil { if case .closed = ours.receive() { true } else { false } })
    #expect(!ours.send(["word"]))
  }

  @Test func `the last messages arrive from a process that ends without reading its own`() {
    #expect(ours.send(["unread"]) && theirs.send(["first"]) && theirs.send(["last"]))
    theirs.close()
    for word in ["first", "last"] {
      guard case .message([word], []) = ours.receive() else { return #expect(Bool(false), "\(word) is lost") }
    }
    #expect(waitUntil { if case .closed = ours.receive() { true } else { false } })
  }

  @Test func `a message with more files than allowed ends the connection, and no file stays open`() throws {
    var ends: [CInt] = [-1, -1]
    #expect(pipe2(&ends, O_CLOEXEC) == 0)
    // As another program could send it.
    var bytes = Array("x".utf8)
    var control = [UInt8](repeating: 0, count: 16 + 40)
    control.withUnsafeMutableBytes {
      $0.storeBytes(of: 16 + 40, toByteOffset: 0, as: Int.self)
      $0.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: CInt.self)
      $0.storeBytes(of: CInt(SCM_RIGHTS), toByteOffset: 12, as: CInt.self)
      for index in 0..<10 { $0.storeBytes(of: ends[1], toByteOffset: 16 + index * 4, as: CInt.self) }
    }
    let count = bytes.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { control in
        var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &piece) { piece in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (piece, 1)
          (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
          return sendmsg(ours.descriptor, &message, 0)
        }
      }
    }
    #expect(count == 1)
    guard case .closed = theirs.receive() else { return #expect(Bool(false)) }
    close(ends[1])
    // The end of the pipe: nobody can write to it.
    var end = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&end, 1, 60_000) == 1 && end.revents & Int16(POLLHUP) != 0)
    close(ends[0])
  }

  @Test func `a listener for packets knows its clients, and is found by others`() throws {
    let folder = try TemporaryFolder()
    let place = BytePath(folder("run"))
    let listener = try #require(try LocalListener.open("terminal", in: place, kind: .packets))
    #expect(LocalListener.isAnswered(listener.path, .packets))
    let client = try #require(PacketLink.connect(to: listener.path))
    // The look has left a client that has gone.
    _ = PacketLink.accept(from: listener)
    let accepted = try #require(PacketLink.accept(from: listener))
    #expect(accepted.peer?.process == getpid() && accepted.peer?.user == geteuid())
    #expect(client.send(["hello"]))
    guard case .message(["hello"], []) = accepted.receive() else { return #expect(Bool(false)) }
    let second = try #require(try LocalListener.open("terminal", in: place, kind: .packets))
    #expect(second.path != listener.path)
    #expect(PacketLink.connect(to: place.appending(BytePath("nothing"))) == nil)
  }
}
