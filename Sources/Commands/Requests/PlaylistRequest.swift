public import ByteIO
public import Library
internal import Playback

/// A change of a playlist, as a face requests it.
public enum PlaylistRequest: Sendable, Hashable {
  public enum Source: Sendable, Hashable {
    /// The selection; without one the current track.
    case selection
    case queue
    /// Files, folders, playlists and addresses as a person wrote them, else a query.
    case names(WrittenNames, in: BytePath?)
    /// These; folders and playlists stand for what is in them.
    case entries([CollectedEntry])
    /// The tracks of lists of the library.
    case lists([LibraryList])
    /// Several sources, in their order.
    case parts([Source])
  }

  /// Adds tracks at the end of a playlist; makes it if there is none.
  case add(String, Source)
  case create(String, Source)
  /// Any other change.
  case edit(PlaylistEdit)
  /// Makes a playlist of each playlist file.
  case read(WrittenNames, in: BytePath?)
  /// Writes a playlist to a file, by default one of its name.
  case write(String, to: BytePath?, replacesOther: Bool, in: BytePath?)
}

extension PlaylistRequest {
  /// The request with the selection of a screen, and with the folder for relative names.
  public func completed(selection: Source?, folder: BytePath?) -> PlaylistRequest {
    switch self {
    case .add(let name, .selection): .add(name, selection ?? .selection)
    case .create(let name, .names(let names, in: nil)): .create(name, .names(names, in: folder))
    case .add(let name, .names(let names, in: nil)): .add(name, .names(names, in: folder))
    case .read(let names, in: nil): .read(names, in: folder)
    case .write(let name, let file, let replacesOther, in: nil):
      .write(name, to: file, replacesOther: replacesOther, in: folder)
    default: self
    }
  }

  /// The request with the contents of the queue, and with the current track for a selection; `nil` without either.
  func completed(queue: PlayQueue, current: QueueEntry?) -> PlaylistRequest? {
    switch self {
    case .add(let name, .selection): current.map { .add(name, .entries([CollectedEntry(location: $0.location)])) }
    case .create(let name, .queue):
      queue.entries.isEmpty
        ? nil : .create(name, .entries(queue.entries.map { CollectedEntry(location: $0.location) }))
    default: self
    }
  }

  /// The line of the command language; empty for requests that only programs make.
  var text: String {
    let words: [String] =
      switch self {
      case .add(let name, .selection): ["add", quoted(name)]
      case .add(let name, .names(let names, _)): ["add", quoted(name), names.text]
      case .create(let name, .queue): ["save", quoted(name)]
      case .create(let name, .names(let names, _)): ["create", quoted(name)] + (names.isEmpty ? [] : [names.text])
      case .read(let names, _): ["import", names.text]
      case .write(let name, let file, let replacesOther, _):
        [replacesOther ? "export!" : "export", quoted(name)] + (file.map { [quoted($0.description)] } ?? [])
      case .edit(.remove(let name, let numbers)): ["remove", quoted(name)] + numbers.map(String.init)
      case .edit(.move(let name, let number, let target)): ["move", quoted(name), String(number), String(target)]
      case .edit(.rename(let name, let new)): ["rename", quoted(name), quoted(new)]
      case .edit(.duplicate(let name, let new)): ["duplicate", quoted(name), quoted(new)]
      case .edit(.delete(let names)): ["delete"] + names.map(quoted)
      case .edit(.send(let name, let server)): ["send", quoted(name)] + (server.map { [quoted($0)] } ?? [])
      case .edit(.save(let name, let query)): ["smart", quoted(name), query]
      case .add, .create, .edit: []
      }
    return words.isEmpty ? "" : (["playlist"] + words).joined(separator: " ")
  }

  var help: String {
    switch self {
    case .add(let name, .selection): "add the selection to the playlist \(name)"
    case .add(let name, _): "add tracks to the playlist \(name)"
    case .create(let name, .queue): "save the queue as the playlist \(name)"
    case .create(let name, _): "make the playlist \(name)"
    case .edit(.delete(let names)): "delete the playlist \(names.joined(separator: ", "))"
    case .edit(.send(let name, _)): "put the playlist \(name) on a server of music"
    case .edit(.save(let name, _)): "save a query as the playlist \(name)"
    case .edit: "change a playlist"
    case .read: "import playlist files"
    case .write(let name, _, _, _): "export the playlist \(name)"
    }
  }
}
