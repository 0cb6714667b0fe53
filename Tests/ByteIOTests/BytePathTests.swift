import ByteIO
import Glibc
import Testing

struct BytePathTests {
  @Test func `temporary files of programs that were killed are removed, and nothing else`() throws {
    var template = Array("/tmp/segue-path-XXXXXX".utf8CString)
    let isMade = mkdtemp(&template) != nil
    try #require(isMade)
    let folder = BytePath(template.dropLast().map { UInt8(bitPattern: $0) })
    // No process has the number that is above the limit of the kernel.
    let (dead, living) = (1 << 22, Int(getpid()))
    let kept = [
      "session.\(living).2~", "session.\(dead).new~", "mix.2024.m3u8~", "session~", "a.\(dead).2", "b.\(dead).7~",
    ]
    let old = ["session.\(dead).2~", "catalogue.map.\(dead).5f3a~"]
    for name in kept + old {
      let file = folder.appending(BytePath(name))
      close(file.withCString { open($0, O_CREAT | O_WRONLY, 0o600) })
      // The last one may still be written by another computer.
      let moment = timespec(tv_sec: time(nil) - (name.hasPrefix("b.") ? 0 : 3600), tv_nsec: 0)
      _ = file.withCString { utimensat(AT_FDCWD, $0, [moment, moment], 0) }
    }
    removeAbandonedFiles(try namesInFolder(folder), in: folder)
    let names = try namesInFolder(folder)
    #expect(Set(names.map { String(decoding: $0, as: UTF8.self) }) == Set(kept))
    for name in names { _ = folder.appending(BytePath(name)).withCString { unlink($0) } }
    _ = folder.withCString { rmdir($0) }
  }

  @Test(arguments: [
    ("a.mp3", ".", "a.mp3", "mp3"),
    ("/music/a.MP3", "/music", "a.MP3", "mp3"),
    ("music/a", "music", "a", ""),
    ("/a", "/", "a", ""),
    ("/", "/", "", ""),
    ("//", "/", "", ""),
    ("", ".", "", ""),
    ("a/", ".", "a", ""),
    ("/a//b.x/", "/a", "b.x", "x"),
    ("a//b", "a", "b", ""),
    (".hidden", ".", ".hidden", ""),
    (".hidden.mp3", ".", ".hidden.mp3", "mp3"),
    ("a.b/c", "a.b", "c", ""),
    ("a.", ".", "a.", ""),
    ("a..mp3", ".", "a..mp3", "mp3"),
    ("..", ".", "..", ""),
    ("../..", "..", "..", ""),
    ("/../x.É", "/..", "x.É", "É"),
  ])
  func `a path has a folder, a name and an extension`(path: String, parent: String, name: String, type: String) {
    let path = BytePath(path)
    #expect(path.parent.description == parent)
    #expect(path.lastComponent.description == name)
    #expect(path.fileExtension == type)
  }

  @Test(arguments: [
    ("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), ("", "b", "b"), ("a", "/b", "/b"), ("a", "", "a/"),
    (".", "b", "./b"),
  ])
  func `a name is appended with one slash, an absolute path replaces the folder`(a: String, b: String, both: String) {
    #expect(BytePath(a).appending(BytePath(b)).description == both)
  }

  @Test func `bytes that are not UTF-8 are kept, and shown as replacement characters`() {
    let bytes: [UInt8] = [0x2f, 0xff, 0x2e, 0xfe]
    let path = BytePath(bytes)
    #expect(path.bytes == bytes)
    #expect(path.description == "/\u{fffd}.\u{fffd}")
    #expect(path.lastComponent.bytes == [0xff, 0x2e, 0xfe])
    #expect(path.fileExtension == "\u{fffd}")
  }

  @Test func `paths end at a zero byte, however they are made`() {
    #expect(BytePath([0x61, 0, 0x62]).bytes == [0x61])
    #expect(BytePath("a\0b").bytes == [0x61])
    #expect(BytePath([0x61, 0, 0x62][...]).bytes == [0x61])
  }

  @Test func `the kernel gets the very bytes`() {
    let bytes: [UInt8] = [0xc3, 0x28, 0x20, 0xff]
    let seen = BytePath(bytes).withCString { text in (0..<strlen(text)).map { UInt8(bitPattern: text[$0]) } }
    #expect(seen == bytes)
  }

  @Test func `equal bytes are equal paths, equal meanings are not`() {
    #expect(BytePath("a") == BytePath([0x61]))
    #expect(BytePath("é") != BytePath("e\u{301}"))
  }

  @Test(
    arguments: [
      ("/home/me/Music", "~/Music"), ("/home/me", "~"), ("/home/me/", "~/"), ("/home/mel", "/home/mel"), ("/", "/"),
      ("home/me/x", "home/me/x"),
    ])
  func `what is in the home folder has a short form`(path: String, short: String) {
    for home in ["/home/me", "/home/me/"] {
      #expect(BytePath(path).abbreviated(inHome: BytePath(home)) == BytePath(short))
    }
    for home in ["/", ""] { #expect(BytePath(path).abbreviated(inHome: BytePath(home)) == BytePath(path)) }
    #expect(BytePath(path).abbreviated(inHome: nil) == BytePath(path))
  }

  @Test func `places are shown as they were written`() {
    #expect(MediaLocation.file(BytePath("/a b")).description == "/a b")
    #expect(MediaLocation.url("http://h/%20").description == "http://h/%20")
  }
}
