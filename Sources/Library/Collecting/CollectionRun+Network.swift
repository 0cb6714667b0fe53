internal import AudioModel
internal import ByteIO
internal import Containers

// Playlists and cue sheets on a network.
extension CollectionRun {
  /// Adds an address; if its name is that of a playlist or a sheet, the entries in it.
  mutating func add(_ entry: CollectedEntry, at address: WebAddress, from argument: BytePath) {
    guard let fetch = collector.fetchPlaylist, address.isHTTP, entry.location.webTrack == nil,
      let format = PlaylistFormat(fileExtension: BytePath(address.path).fileExtension)
    else { return add(entry, from: argument) }
    let name = BytePath(address.description)
    playlistCount += 1
    guard !openAddresses.contains(address) else { return fail(name, .playlistInItself) }
    guard openAddresses.count < collector.limits.playlistDepth, playlistCount <= collector.limits.playlistCount else {
      return stop(at: name)
    }
    openAddresses.append(address)
    defer { openAddresses.removeLast() }
    do throws(ByteIOError) {
      let playlist = try fetch(address.text)
      if format == .cue { return addTracks(of: CueSheet(playlist.bytes), at: address, from: playlist.address) }
      // Its entries are segments of one stream.
      if PlaylistFormat.isHLS(playlist.bytes) { return add(entry, from: name) }
      addItems(of: playlist, as: PlaylistFormat(content: playlist.bytes) ?? format, named: name)
    } catch { fail(name, .unreadable(error)) }
  }

  /// Adds the tracks of a cue sheet on the network whose files are on the network, too.
  private mutating func addTracks(of sheet: CueSheet, at address: WebAddress, from origin: WebAddress) {
    let name = BytePath(address.description)
    var refusesSome = false
    for track in sheet.webTracks(at: address.text, in: origin) where !isFull {
      if let track { add(CollectedEntry(location: track), from: name) } else { refusesSome = true }
    }
    if refusesSome { fail(name, .entriesOutOfReach) }
    if sheet.tracks.isEmpty { fail(name, .nothingPlayable) }
  }

  /// Adds the entries of a list from a network, which may only name addresses on the network.
  private mutating func addItems(
    of playlist: MediaCollector.RemotePlaylist, as format: PlaylistFormat, named name: BytePath
  ) {
    let items = PlaylistReader.items(in: playlist.bytes, format: format)
    var refusesSome = false
    for item in items where !isFull {
      let address = playlist.address.resolving(item.address)
      guard address.isHTTP else {
        refusesSome = true
        continue
      }
      // A track of a sheet keeps its number.
      let sign = address.isCueSheet ? item.target.lastIndex(of: UInt8(ascii: "#")) : nil
      let text = address.text + (sign.map { String(guessing: Array(item.target[$0...])) } ?? "")
      add(CollectedEntry(location: .url(text), title: item.title, seconds: item.seconds), at: address, from: name)
    }
    if refusesSome { fail(name, .entriesOutOfReach) }
    if items.isEmpty { fail(name, .nothingPlayable) }
  }
}
