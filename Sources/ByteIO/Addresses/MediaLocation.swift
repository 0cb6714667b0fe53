/// The place of an input.
public enum MediaLocation: Hashable, Sendable, CustomStringConvertible {
  /// A file on disk.
  case file(BytePath)
  /// A track, counted from 1, of a cue sheet: a file of its own, or embedded in an audio file.
  case track(BytePath, number: Int)
  /// A network stream, as written, or a track of a cue sheet there (`webTrack`).
  case url(String)

  /// The path or address as text, without name and password. Path bytes that are not UTF-8 become U+FFFD.
  public var description: String {
    switch self {
    case .file(let path): path.description
    case .track(let path, let number): "\(path)#\(number)"
    case .url(let address): address.withoutUserInfo
    }
  }

  /// The path or address as it was written.
  public var text: String {
    if case .url(let address) = self { address } else { description }
  }

  /// The path, if the input is a file on disk.
  public var path: BytePath? { if case .file(let path) = self { path } else { nil } }

  /// The path by which the library knows it: of a track of a cue sheet `album.cue#3`, of one on a server its address;
  /// `nil` for another address.
  public var libraryPath: BytePath? {
    switch self {
    case .file(let path): path
    case .track(let sheet, let number): BytePath(sheet.bytes + Array("#\(number)".utf8))
    case .url(let address):
      if case let path = BytePath(address), path.isOnServer { path } else { nil }
    }
  }

  /// The location of such a path. Pure: no name of a playable file ends like that of a track.
  public init(libraryPath path: BytePath) {
    guard !path.isOnServer else {
      self = .url(path.description)
      return
    }
    let digits = path.bytes.reversed().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
    guard 1...4 ~= digits, path.bytes.dropLast(digits).last == UInt8(ascii: "#"),
      case let sheet = BytePath(path.bytes.dropLast(digits + 1)), !sheet.fileExtension.isEmpty,
      let number = Int(String(decoding: path.bytes.suffix(digits), as: UTF8.self))
    else {
      self = .file(path)
      return
    }
    self = .track(sheet, number: number)
  }

  /// The file that has to be there: of a track the cue sheet, or the file of sound that contains one.
  public var fileOnDisk: BytePath? {
    switch self {
    case .file(let path), .track(let path, _): path
    case .url: nil
    }
  }

  /// A short name for one line: the name of a file without its folders.
  public var name: String {
    switch self {
    case .file(let path): path.lastComponent.description
    case .track(let path, let number): "\(path.lastComponent)#\(number)"
    case .url: description
    }
  }

  /// The sheet and the number, from 1, of a track of a cue sheet on the web: `http://host/album.cue#3`.
  public var webTrack: (sheet: WebAddress, number: Int)? {
    guard case .url(let address) = self, let sign = address.lastIndex(of: "#"),
      let number = Int(address[sign...].dropFirst()), 1...9999 ~= number,
      case let sheet = WebAddress(address), sheet.isHTTP, sheet.isCueSheet
    else { return nil }
    return (sheet, number)
  }

  /// True if it is an address of the web.
  public var isAddress: Bool { if case .url = self { true } else { false } }

  /// True if it is a cue sheet, not one of its tracks.
  public var isCueSheet: Bool {
    switch self {
    case .file(let path): path.fileExtension == "cue"
    case .track: false
    case .url(let address): webTrack == nil && WebAddress(address).isCueSheet
    }
  }

  /// True if `next` is the next track of the same sheet.
  public func isFollowed(by next: MediaLocation) -> Bool {
    if let webTrack, let next = next.webTrack { return next == (webTrack.sheet, webTrack.number &+ 1) }
    guard case .track(let sheet, let number) = self else { return false }
    return next == .track(sheet, number: number &+ 1)
  }
}
