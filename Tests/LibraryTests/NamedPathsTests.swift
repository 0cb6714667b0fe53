import ByteIO
import Glibc
import Library
import Testing

/// The names of files as people type, paste and drop them.
@Suite final class `Names of files` {
  private let folder: TemporaryFolder

  init() {
    folder = TemporaryFolder()
    for name in ["a b.mp3", "it's \"here\".mp3", "50% of 100%.mp3", "two  spaces.mp3", "c.mp3", "Mix.m3u8", "x\\y.mp3"]
    {
      folder.write(name)
    }
  }

  private func find(_ text: String, _ words: [String] = [], extensions: [String] = []) -> [String]? {
    var named = NamedPaths(folder: folder.path) { [folder] path in
      path.bytes.first == UInt8(ascii: "~") ? BytePath(folder.path.bytes + path.bytes.dropFirst()) : path
    }
    named.extensions = extensions
    let (paths, areThere) = named.find(text, words: words)
    return areThere ? paths.map { $0.description.replacing(folder.path.description, with: "DIR") } : nil
  }

  @Test func `are first taken as one, with quotes, backslashes or as an address`() {
    let path = folder.path
    for text in [
      "\(path)/a b.mp3", "  \(path)/a b.mp3\n", "'\(path)/a b.mp3' ", "\"\(path)/a b.mp3\"", "\(path)/a\\ b.mp3",
      "~/a b.mp3", "a b.mp3", "'a b.mp3'",
    ] {
      #expect(find(text) == ["DIR/a b.mp3"], "\(text)")
    }
    #expect(find("file://\(path)/a%20b.mp3") == ["file://DIR/a%20b.mp3"])
    #expect(find("file://\(path)/a%20c.mp3") == nil)
    #expect(find("\(path)/it's \"here\".mp3") == ["DIR/it's \"here\".mp3"])
    #expect(find("'\(path)/it'\\''s \"here\".mp3'") == ["DIR/it's \"here\".mp3"])
    #expect(find("\(path)/it\\'s\\ \\\"here\\\".mp3") == ["DIR/it's \"here\".mp3"])
    #expect(find("\(path)/50% of 100%.mp3") == ["DIR/50% of 100%.mp3"])
    #expect(find("two  spaces.mp3") == ["DIR/two  spaces.mp3"])
    #expect(find("\(path)/x\\y.mp3") == ["DIR/x\\y.mp3"], "as it is, before anything else")
    #expect(find("http://host/a.mp3\n") == ["http://host/a.mp3"])
  }

  @Test func `are then taken line by line, or word by word`() {
    let path = folder.path
    let lines = "file://\(path)/a%20b.mp3\r\nfile://\(path)/c.mp3\r\n"
    #expect(find(lines) == ["file://DIR/a%20b.mp3", "file://DIR/c.mp3"])
    #expect(find("\(path)/a b.mp3\n\(path)/c.mp3") == ["DIR/a b.mp3", "DIR/c.mp3"])
    #expect(find("'\(path)/a b.mp3'\n# a comment\n\n~/gone.mp3") == ["DIR/a b.mp3", "DIR/gone.mp3"])
    #expect(find("'a b.mp3' c.mp3", ["a b.mp3", "c.mp3"]) == ["DIR/a b.mp3", "DIR/c.mp3"])
    #expect(find("c.mp3 http://host/x", ["c.mp3", "http://host/x"]) == ["DIR/c.mp3", "http://host/x"])
    #expect(find("hello there", ["hello", "there"]) == nil)
    #expect(find("") == nil)
  }

  @Test func `may leave an extension out where one is expected`() {
    #expect(find("Mix", ["Mix"]) == nil)
    #expect(find("Mix", ["Mix"], extensions: [".m3u8", ".m3u"]) == ["DIR/Mix.m3u8"])
  }
}
