public import ByteIO
internal import Glibc

extension [MusicLibrary.Root] {
  /// The name below one of these folders of a file or folder whose own name leads there, too, as through a link. Other
  /// names stay.
  public func named(_ path: BytePath) -> BytePath {
    let roots = filter { $0.state != .forgotten }.map(\.path)
    guard !roots.contains(where: { path == $0 || path.isBelow($0) }) else { return path }
    let identities = roots.map(FileIdentity.init(ofFolder:))
    // First as it is written: a folder of the library may have links to others in it.
    for name in [path, withoutLinks(path)].compactMap(\.self) {
      var folder = name
      while folder != folder.parent {
        if let identity = FileIdentity(ofFolder: folder), let root = identities.firstIndex(of: identity) {
          let rest = name.bytes.dropFirst(folder.bytes.count + 1)
          return rest.isEmpty ? roots[root] : roots[root].appending(BytePath(rest))
        }
        folder = folder.parent
      }
    }
    return path
  }
}

/// realpath(3); `nil` if there is no such file.
private func withoutLinks(_ path: BytePath) -> BytePath? {
  guard let name = path.withCString({ realpath($0, nil) }) else { return nil }
  defer { free(name) }
  return BytePath((0..<strlen(name)).map { UInt8(bitPattern: name[$0]) })
}
