internal import ByteIO
internal import Threads

// An address of any name may lead to a playlist. That is no sound, but says where some is: as a redirect does.
extension NetworkResource {
  private static let playlistByteLimit = 1 << 20
  private static let playlistLimit = 8

  /// Whether bytes begin a playlist: then what it names is read in its place. Under the monitor.
  func follow(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = Array(bytes.prefix(4096))
    let isHLS = HLSPlaylist.begins(start)
    guard isHLS || network.configuration.playlists?.begins(start) == true else { return false }
    if let transfer { loop.cancel(transfer.id) }
    transfer = nil
    do throws(NetworkError) {
      playlistCount += 1
      guard playlistCount <= Self.playlistLimit else { throw NetworkError(.unusable, "playlists that name each other") }
      // Nothing of it is kept, nor known of what it names.
      if spool.isOnDisk { spool.remove() }
      spool = try Spool(inMemoryFor: address)
      budget = SpoolBudget(byteLimit: network.configuration.memoryByteLimit)
      (canRange, hasEnd, attempt, station, origin) = (true, true, 0, nil, nil)
      if isHLS { beginFeeding() } else { readPlaylist(at: address) }
    } catch { fail(error) }
    return true
  }

  /// From now on it is fed with segments.
  private func beginFeeding() {
    (gate, canRange) = (HLSGate(), false)
    begin()
  }

  private func readPlaylist(at address: WebAddress) {
    _ = WorkerThread(named: "playlist") { [weak self, network] in
      let outcome = Result { () throws(ByteIOError) -> [WebAddress]? in
        let document = try network.document(address.text, byteLimit: Self.playlistByteLimit)
        // Of some the first bytes did not tell.
        if HLSPlaylist.begins(document.bytes) { return nil }
        return network.configuration.playlists?.addresses(document.bytes, document.address).filter(\.isHTTP) ?? []
      }
      self?.goOn(outcome)
    }
  }

  /// - Parameter outcome: What it names; `nil` for one of HLS.
  private func goOn(_ outcome: Result<[WebAddress]?, ByteIOError>) {
    monitor.locked {
      guard isOpening else { return }
      do throws(ByteIOError) {
        guard let entries = try outcome.get() else { return beginFeeding() }
        if playlists == .tell, !entries.isEmpty {
          return fail(NetworkError(.playlist(entries), "a playlist of \(entries.count)"))
        }
        alternatives = entries + alternatives
      } catch {
        return fail(NetworkError(.interrupted, error.reason))
      }
      let failure = NetworkError(.unusable, "the playlist names nothing that lies on the network")
      if !goOn(insteadOf: failure) { fail(failure) }
    }
  }

  /// Goes on to what a list names that is only called like one of HLS, or to the next entry, as the one before cannot be
  /// opened. Returns false if there is none. Under the monitor.
  func goOn(insteadOf failure: NetworkError) -> Bool {
    guard isOpening, failure.kind != .cancelled else { return false }
    if failure.kind == .otherPlaylist, playlistCount < Self.playlistLimit {
      playlistCount += 1
      gate?.end()
      (gate, timeline, canRange) = (nil, nil, true)
      readPlaylist(at: address)
      return true
    }
    guard let next = alternatives.first else { return false }
    alternatives.removeFirst()
    gate?.end()
    (address, gate, timeline, canRange, attempt, retryTime) = (next, nil, nil, true, 0, 0)
    if next.path.lowercased().hasSuffix(".m3u8") { beginFeeding() } else { begin() }
    return true
  }
}
