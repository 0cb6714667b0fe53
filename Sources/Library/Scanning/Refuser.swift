internal import ByteIO
internal import Database
internal import Glibc

/// The readers that refuse files now: the program, and the library for the formats that it does not parse. Files that
/// others refused are read again: what they lacked may be there. On the thread of a scan.
final class Refuser {
  private let catalogue: Database
  private let foreign: ForeignReader?
  private var found: (name: String, number: Int64)?
  /// The property of the catalogue with the name of the last scan's readers.
  private static let property = "refuser"

  init(_ catalogue: Database, _ foreign: ForeignReader?) { (self.catalogue, self.foreign) = (catalogue, foreign) }

  /// Stands for them in place of `CatalogueTags.readerVersion`: below 0.
  func number() throws(DatabaseError) -> Int64 { try current().number }

  /// True if a known file would have the same facts if it were read again.
  func isCurrent(_ file: KnownFile) throws(DatabaseError) -> Bool {
    guard file.state == .bad || file.reader < 0 else {
      return file.reader == CatalogueTags.readerVersion || file.reader == FileFacts.versionOfCharset
    }
    return try file.reader == number()
  }

  /// Keeps their names for the next scan, which need not load the library to compare.
  func save() throws(DatabaseError) {
    guard let found, try catalogue.property(Self.property) != found.name else { return }
    try catalogue.setProperty(Self.property, found.name)
  }

  private func current() throws(DatabaseError) -> (name: String, number: Int64) {
    if let found { return found }
    // The library's name comes first.
    let former = try catalogue.property(Self.property)?.split(separator: "\n").first.map(String.init)
    let name = "\(foreign?.name(former) ?? "none")\n\(CatalogueTags.readerVersion) \(Self.program)"
    let current = (name, Int64(bitPattern: name.utf8.fnvSum() | 1 << 63))
    found = current
    return current
  }

  /// The program's file: each version has another size or time.
  private static var program: String {
    var status = stat()
    guard stat("/proc/self/exe", &status) == 0 else { return "" }
    let stamp = FileStamp(status)
    return "\(stamp.size) \(stamp.modified)"
  }
}
