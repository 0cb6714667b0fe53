internal import Glibc
internal import Synchronization

/// A character set that contains ASCII, by the name that the IANA registers for it, or that iconv(3) knows.
public struct Charset: Sendable, Hashable, CustomStringConvertible {
  /// The name: `windows-1251`.
  public let name: String

  private init(known name: String) { self.name = name }

  /// The character set of this name; `nil` for an unknown one, and for one without ASCII.
  public init?(_ name: String) {
    let name = name.lowercased()
    if let known = Self.aliases[name] ?? (Self.converters[name] == nil ? nil : name) {
      self.init(known: known)
      return
    }
    // Names that mean something to iconv(3) besides character sets: the locale's, and rules for what cannot be converted.
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x2f }) else { return nil }
    let ascii = Array(0x20...0x7e as ClosedRange<UInt8>)
    guard Self.utf8(ascii, from: name, isExact: true) == ascii else { return nil }
    self.init(known: name)
  }

  /// The name, as iconv(3) takes it.
  public var description: String { name }

  /// Windows-1252, which the web reads as Latin-1.
  public static let windows1252 = Charset(known: "windows-1252")

  static let windows1250 = Charset(known: "windows-1250")
  static let windows1251 = Charset(known: "windows-1251")
  static let windows1253 = Charset(known: "windows-1253")
  static let windows1255 = Charset(known: "windows-1255")
  static let koi8r = Charset(known: "koi8-r")
  static let shiftJIS = Charset(known: "shift_jis")
  static let gbk = Charset(known: "gbk")
  static let big5 = Charset(known: "big5")
  static let eucKR = Charset(known: "euc-kr")

  /// The names that completion offers: those that are guessed, and other sets of Windows.
  public static let names = converters.keys.sorted()

  /// The names for iconv(3), which for East Asian sets are those of Windows, with more characters.
  private static let converters = [
    "windows-1250": "CP1250", "windows-1251": "CP1251", "windows-1252": "CP1252", "windows-1253": "CP1253",
    "windows-1254": "CP1254", "windows-1255": "CP1255", "windows-1256": "CP1256", "windows-1257": "CP1257",
    "windows-1258": "CP1258", "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "shift_jis": "CP932", "gbk": "GB18030",
    "big5": "CP950", "euc-kr": "CP949", "euc-jp": "EUC-JP", "iso-8859-2": "ISO-8859-2", "tis-620": "TIS-620",
  ]

  private static let aliases: [String: String] = {
    var aliases = [
      "latin1": "windows-1252", "iso-8859-1": "windows-1252", "sjis": "shift_jis", "shift-jis": "shift_jis",
      "cp932": "shift_jis", "gb2312": "gbk", "gb18030": "gbk", "cp936": "gbk", "cp950": "big5", "cp949": "euc-kr",
      "uhc": "euc-kr", "euckr": "euc-kr", "koi8r": "koi8-r", "koi8u": "koi8-u",
    ]
    for number in 1250...1258 {
      for form in ["cp", "win", "windows", ""] { aliases["\(form)\(number)"] = "windows-\(number)" }
    }
    return aliases
  }()

  /// The character set that the listener has chosen for all texts of unknown encoding; `nil` to guess. Any thread.
  public static var chosen: Charset? {
    get { chosenCharset.withLock { $0 } }
    set { chosenCharset.withLock { $0 = newValue } }
  }

  // MARK: Decoding

  /// Bytes as text; U+FFFD stands for what has no meaning.
  public func text(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    if self != .windows1252, let text = Self.utf8(bytes, from: Self.converters[name] ?? name, isExact: false) {
      return String(decoding: text, as: UTF8.self)
    }
    return String(
      String.UnicodeScalarView(
        bytes.lazy.map { 0x80...0x9f ~= $0 ? windows1252Controls[Int($0 - 0x80)] : Unicode.Scalar($0) }))
  }

  /// Bytes as text; `nil` if some of them have no meaning. A last character may be cut.
  func exactText(_ bytes: [UInt8]) -> String? {
    Self.utf8(bytes, from: Self.converters[name] ?? name, isExact: true).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Bytes in UTF-8; `nil` without such a converter, and with `isExact` also if a character has no meaning.
  private static func utf8(_ bytes: [UInt8], from name: String, isExact: Bool) -> [UInt8]? {
    let failed = iconv_t(bitPattern: -1)
    guard let converter = iconv_open("UTF-8", name), converter != failed else { return nil }
    defer { iconv_close(converter) }
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: 1024)
    var result: [UInt8] = []
    var start = 0
    // The last character of sets with combining marks, such as Windows-1255, waits for a mark: the last call has no input.
    while true {
      let isEnd = start == input.count
      let (spent, made, error) = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
          var (from, fromCount) = (input.baseAddress.map { $0 + start }, input.count - start)
          var (to, toCount) = (output.baseAddress, output.count)
          let status =
            isEnd
            ? iconv(converter, nil, nil, &to, &toCount) : iconv(converter, &from, &fromCount, &to, &toCount)
          let error = status == -1 ? errno : 0
          return (input.count - start - fromCount, output.count - toCount, error)
        }
      }
      result += output[..<made].lazy.map { UInt8(bitPattern: $0) }
      start += spent
      switch error {
      case 0 where isEnd: return result
      case 0: break
      case E2BIG where spent > 0 || made > 0: break
      // The rest is the beginning of a character.
      case EINVAL: return result
      default:
        if isExact { return nil }
        result += [0xef, 0xbf, 0xbd]
        start += 1
        iconv(converter, nil, nil, nil, nil)
      }
    }
  }
}

private let chosenCharset = Mutex<Charset?>(nil)

/// The meanings of 0x80...0x9f in Windows-1252; the five undefined ones stay.
private let windows1252Controls = Array(
  "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ".unicodeScalars)
