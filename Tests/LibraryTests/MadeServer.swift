import ByteIO

@testable import Library

extension MusicLibrary {
  private struct OnePage: ServerCatalogue {
    var page: [ServerTrack]?

    mutating func next() throws(ServerFailure) -> [ServerTrack]? {
      defer { page = nil }
      return page
    }
  }

  /// Adds a server, and scans it: its tracks have the IDs 1, 2 and so on.
  func addServer(_ root: BytePath, trackCount: Int) throws {
    try addRoot(root)
    let tracks = (1...trackCount).map { number in
      var track = ServerTrack(id: "\(number)")
      track.tags.add("Title \(number)", .title)
      track.duration = Double(60 * number)
      return track
    }
    for server in try roots() where server.path == root {
      _ = try ServerScan(self, of: server).run(OnePage(page: tracks))
    }
  }
}
