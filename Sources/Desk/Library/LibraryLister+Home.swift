internal import AudioModel
internal import Commands
internal import Library

// The view Home: what its sections list.
extension LibraryLister {
  /// The largest number of rows of a section.
  private static let sectionLimit = 24
  private static let week: Int64 = 7 * 86_400

  /// Albums to continue, new ones, those with the most plays, and playlists. Empty sections are left out.
  func home(_ view: LibraryView) -> LibraryListing {
    let limit = Self.sectionLimit
    let parts: [(title: String, note: String, rows: [LibraryRow])] = [
      (
        "Continue", "",
        view.queueOffers.map { row(of: $0) } + view.unfinishedAlbums(limit: limit).map { row(of: $0, view) }
      ),
      ("New", newNote(view), view.newestAlbums(limit: limit).map { homeRow(ofAlbum: $0, view) }),
      ("Played a lot", "", view.mostPlayedAlbums(limit: limit).map { homeRow(ofAlbum: $0, view) }),
      ("Playlists", "", contents.playlists.prefix(limit).map { row(of: $0) }),
    ]
    var listing = LibraryListing(.home, rows: parts.flatMap(\.rows))
    listing.sections = parts.filter { !$0.rows.isEmpty }
      .map { LibrarySection($0.title, note: $0.note, count: $0.rows.count) }
    return listing
  }

  /// `148 albums, 3 this week`.
  private func newNote(_ view: LibraryView) -> String {
    let (all, new) = (view.index.albumCount, view.albumCount(addedSince: now - Self.week))
    let week = new > 0 && new < all ? ", \(grouped(new)) this week" : ""
    return counted(all, "album", grouped) + week
  }

  /// An album without its size, in place of which the artist is shown.
  private func homeRow(ofAlbum number: Int, _ view: LibraryView) -> LibraryRow {
    var row = row(ofAlbum: number, view)
    row.note = ""
    return row
  }

  /// A queue that another program has left: `12 tracks, 2 not here, from Symfonium`.
  private func row(of offer: LibraryView.QueueOffer) -> LibraryRow {
    let list = LibraryList.queue(server: offer.server)
    let missing = offer.unknownCount > 0 ? ", \(grouped(offer.unknownCount)) not here" : ""
    let source = offer.program.map { ", from \($0)" } ?? ""
    return LibraryRow(.list(list), list.title, note: counted(offer.count, "track", grouped) + missing + source)
  }

  /// The rest of an album: `track 4`, or the time that is left of a book.
  private func row(of unfinished: UnfinishedAlbum, _ view: LibraryView) -> LibraryRow {
    let track = unfinished.track
    var row = row(ofAlbum: track.albumNumber, view)
    if case .list(.album(let name)) = row.content { row.content = .list(.rest(name, from: track.path)) }
    let number = track.track ?? track.number - track.album.tracks.lowerBound + 1
    row.note = unfinished.place == nil ? "track \(number)" : "\(Self.span(unfinished.remaining)) left"
    return row
  }

  /// `6 h`, `42 min`.
  private static func span(_ seconds: Double) -> String {
    let minutes = max(1, Int(seconds / 60))
    return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h"
  }
}
