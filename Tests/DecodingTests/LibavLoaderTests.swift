import AudioModel
import CLibav
import Glibc
import SoundServerSupport
import Testing

@testable import Decoding

/// FFmpeg's libraries as they are installed, in other versions, broken and half there.
struct LibavLoaderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let numbers = LibavMajor.all.map(\.number)

  /// The words about a library in the folder that cannot be used.
  private func failure(_ library: String = "libavformat") -> String? {
    let name = folder(library)
    return library == "libavformat" ? LibavLoader.format(name).failure : LibavLoader.codec(name).failure
  }

  private func write(_ text: String, to name: String) throws {
    try SoundServerSupport.write(text.utf8, to: folder(name))
  }

  /// Compiles a library whose functions all return nothing, but those of the versions.
  private func compile(_ name: String, _ major: Int32, libavutil: Int32, without function: String = "") throws {
    let shim = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Sources/CLibav/shim.h"
    try write(
      """
      #define _Nullable
      #define _Nonnull
      #include "\(shim)"
      #define avformat_version unused_1
      #define avcodec_version unused_2
      #define avutil_version unused_3
      #define \(function.isEmpty ? "unused_4" : function) unused_5
      #define EMPTY(result, name, parameters) result name parameters { return (result)0; }
      SEGUE_AVCODEC_FUNCTIONS(EMPTY) SEGUE_AVFORMAT_FUNCTIONS(EMPTY)
      #undef avformat_version
      #undef avcodec_version
      #undef avutil_version
      unsigned avformat_version(void) { return \(major) << 16; }
      unsigned avcodec_version(void) { return \(major) << 16; }
      unsigned avutil_version(void) { return \(libavutil) << 16; }

      """, to: "fake.c")
    try run("cc -w -shared -fPIC \(folder("fake.c")) -o \(folder(name))")
  }

  private func run(_ command: String) throws {
    let result = String(decoding: try output(of: "(\(command)) 2>&1; echo $?"), as: UTF8.self)
    try #require(result == "0\n")
  }

  @Test func `the installed version is as expected`() throws {
    let format = try #require(LibavLoader.format().functions?.pointee)
    let codec = try #require(LibavLoader.codec().functions?.pointee)
    #expect(Self.numbers.contains(format.codec.major.number) && Self.numbers.contains(codec.major.number))
    #expect(LibavCheck(format.codec).problem(with: format) == nil)
  }

  /// What the headers say; `scripts/check-libav` compares more.
  @Test func `no wrong place of a field is believed`() throws {
    let format = try #require(LibavLoader.format().functions?.pointee)
    let fields: [WritableKeyPath<LibavMajor, Int32>] = [
      \.stream, \.codecpar, \.duration, \.nb_chapters, \.chapters, \.metadata,
    ]
    for field in fields {
      for other in LibavMajor.all where other[keyPath: field] != format.codec.major[keyPath: field] {
        var wrong = format
        wrong.codec.major[keyPath: field] = other[keyPath: field]
        let problem = LibavCheck(wrong.codec).problem(with: wrong)
        #expect(problem?.hasPrefix("has an unknown layout of AV") == true, "\(other.number): \(problem ?? "")")
      }
    }
  }

  @Test func `no library at all is not installed`() {
    #expect(failure() == nil)
  }

  @Test func `the table of libraries has the names of the known versions`() {
    for (library, name) in [(libavcodec.opened, "libavcodec"), (libavformat.opened, "libavformat")] {
      #expect(library.sonames == LibavMajor.all.map { "\(name).so.\($0.number)" })
    }
  }

  @Test func `a file that is not a library is named`() throws {
    try write("text", to: "libavformat.so.61")
    #expect(failure()?.hasPrefix(folder("libavformat.so.61") + ": ") == true)
  }

  @Test(.enabled(if: access("/usr/bin/cc", X_OK) == 0))
  func `a library that does not fit is named with the reason`() throws {
    try compile("libavcodec.so.62", 62, libavutil: 60, without: "av_opt_get_chlayout")
    #expect(failure("libavcodec") == folder("libavcodec.so.62") + " lacks av_opt_get_chlayout")
    try compile("libavcodec.so.63", 62, libavutil: 60)
    #expect(failure("libavcodec") == folder("libavcodec.so.63") + " comes with libavcodec 62 instead of 63")
    try compile("libavformat.so.60", 60, libavutil: 59)
    #expect(failure() == folder("libavformat.so.60") + " comes with libavutil 59 instead of 58")
    try compile("libavformat.so.61", 61, libavutil: 59)
    #expect(failure() == folder("libavformat.so.61") + " has no memory")
  }

  @Test(.enabled(if: access("/usr/bin/cc", X_OK) == 0))
  func `a version that is not known is named`() throws {
    for number: Int32 in [58, 64] {
      try compile("libavformat.so.\(number)", number, libavutil: number - 2)
      #expect(
        failure() == folder("libavformat.so.\(number)") + " is a version unknown to segue, which knows 59 to 63")
    }
  }

  @Test(.enabled(if: access("/usr/bin/cc", X_OK) == 0))
  func `a library without those that it needs names them`() throws {
    try write("", to: "empty.c")
    let (missing, library) = (folder("libavcodec.so.99"), folder("libavformat.so.63"))
    try run("cc -shared \(folder("empty.c")) -o \(missing) -Wl,-soname,libavcodec.so.99")
    try run("cc -shared \(folder("empty.c")) -o \(library) -Wl,--no-as-needed \(missing) && rm \(missing)")
    #expect(failure()?.hasPrefix("libavcodec.so.99: cannot open shared object file") == true)
  }

  @Test func `an older version is used where the newest is not usable`() throws {
    let installed = try #require(LibavLoader.format().functions?.pointee.codec.major.number)
    try write("text", to: "libavformat.so.\(installed + 1)")
    let path = AudioDecoders.foreignReader(since: nil).split(separator: " ")[0]
    try run("ln -s \(path) \(folder("libavformat.so.\(installed)"))")
    #expect(LibavLoader.format(folder("libavformat")).functions?.pointee.codec.major.number == installed)
  }
}
