internal import CLibraries
internal import Glibc

/// A shared library that is loaded on first use: a row of the table in `CLibraries`, and whether it is there.
public struct SharedLibrary: Sendable, Hashable {
  private let id: Int
  /// The address of one of its functions; `nil` if it is not installed, or lacks a function that is needed.
  public let address: UInt?
  /// The loader's words about a library that is there and cannot be loaded.
  private let failure: String?

  /// A library.
  ///
  /// - Parameters:
  ///   - id: Its row, such as `SEGUE_FLAC`.
  ///   - functions: A table that begins with one of its functions; `nil` if it could not be filled.
  ///   - failure: The loader's words, if the file is there.
  public init(_ id: Int, functions: UnsafeRawPointer?, failure: String? = nil) {
    self.init(id, address: functions?.load(as: UnsafeMutableRawPointer?.self), failure: failure)
  }

  /// A library with one of its functions at `address`, if it could be loaded.
  public init(_ id: Int, address: UnsafeMutableRawPointer?, failure: String? = nil) {
    (self.id, self.address, self.failure) = (id, address.map { UInt(bitPattern: $0) }, failure)
  }

  private var row: segue_library { segue_library_row(id).pointee }

  /// The library's name: `libFLAC`.
  public var name: String { String(cString: row.name) }
  /// The format or function that needs it: `FLAC`.
  public var purpose: String { String(cString: row.purpose) }
  /// The names of its file, the newest first: `libFLAC.so.14`.
  public var sonames: [String] { String(cString: row.sonames).split(separator: "\",\"").map(String.init) }
  /// This distribution's package, or packages of which it has one; `nil` for a distribution that is not known.
  public var package: String? { Distribution.current.package(of: row) }

  /// The reason why it is not in use: `not installed`, or that it cannot be loaded. Tries to open it, to learn that.
  public var problem: String {
    if let failure { return "not usable: \(failure)" }
    if segue_library_open(id) != nil { return "not usable: it lacks a function" }
    return segue_library_failure().map { "not usable: \(String(cString: $0))" } ?? "not installed"
  }

  /// The problem and what would solve it: `libFLAC is not installed (libFLAC.so.14 or .12; package libflac12)`.
  public var complaint: String {
    let first = sonames.first ?? name
    let stem = first.prefix { $0 != "." }.count + ".so".count
    let files = [first] + sonames.dropFirst().map { String($0.dropFirst(stem)) }
    let names = files.count < 2 ? first : files.dropLast().joined(separator: ", ") + " or " + (files.last ?? "")
    return "\(name) is \(problem) (\(names)\(package.map { "; package \($0)" } ?? ""))"
  }

  /// The command or the words that install it: `apt install libflac12`; `nil` if the package is not known.
  public var remedy: String? {
    package.map { $0.contains(" ") ? "install \($0)" : "\(Distribution.current.installer) \($0)" }
  }
}

/// The distribution, and so the names of its packages (os-release(5)).
struct Distribution {
  /// `ID` and `ID_LIKE`, the nearest first.
  var ids: [String]
  /// The release: 12 for Debian 12; `nil` for rolling ones.
  var release: Int?

  static let current = Distribution(
    osRelease: ["/etc/os-release", "/usr/lib/os-release"].lazy.compactMap(Self.contents).first ?? "")

  /// Reads the text of os-release.
  init(osRelease text: String) {
    var values: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      values[parts[0]] = parts[1].filter { $0 != "\"" && $0 != "'" }
    }
    let like = (values["ID_LIKE"] ?? "").split(separator: " ").map(String.init)
    ids = [values["ID"] ?? ""] + like
    // Derivatives have numbers of their own.
    release = values["ID"] == "debian" ? values["VERSION_ID"].flatMap { Int($0) } : nil
  }

  /// The package of a library, or `a or b` if it has one of several names.
  func package(of row: segue_library) -> String? {
    let names: UnsafePointer<CChar>? =
      switch ids.first(where: { Self.installers[$0] != nil }) {
      case "debian": (release ?? .max) <= 12 ? row.debian12 : row.debian13
      case "fedora": row.fedora
      case "arch": row.arch
      default: nil
      }
    guard let names else { return nil }
    let all = String(cString: names).split(separator: "|")
    return (release == nil ? all : Array(all.prefix(1))).joined(separator: " or ")
  }

  /// The command that installs packages.
  var installer: String { ids.compactMap { Self.installers[$0] }.first ?? "" }

  private static let installers = ["debian": "apt install", "fedora": "dnf install", "arch": "pacman -S"]

  private static func contents(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
