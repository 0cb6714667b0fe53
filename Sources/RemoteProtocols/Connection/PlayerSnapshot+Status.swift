internal import AudioModel
internal import ByteIO
internal import Playback
public import Commands

extension PlayerSnapshot {
  /// A part of the status that clients can observe by its name.
  public enum Property: String, Sendable, CaseIterable {
    case state, position, track, volume, queue, modes, settings, output, stream

    /// The changes after which it has another value.
    public var changes: PlayerChanges {
      switch self {
      case .state: .state
      case .position: [.position, .state]
      case .track: .track
      case .volume: .volume
      case .queue: .queue
      case .modes: .modes
      case .settings: .settings
      case .output: .output
      case .stream: .stream
      }
    }
  }

  /// The status as JSON (docs/segue.1).
  public var status: JSON {
    .object(
      stateMembers + positionMembers + volumeMembers + modeMembers
        + [
          ("speed", JSON(settings.speed)), ("queue", queueStatus), ("track", trackStatus), ("output", outputStatus),
          ("stream", streamStatus),
        ])
  }

  public func value(of property: Property) -> JSON {
    switch property {
    case .state: .object(stateMembers)
    case .position: .object(stateMembers + positionMembers)
    case .track: trackStatus
    case .volume: .object(volumeMembers)
    case .queue: queueStatus
    case .modes: .object(modeMembers)
    case .settings: .object(Setting.allCases.map { ($0.rawValue, .string(settings.text(of: $0))) })
    case .output: outputStatus
    case .stream: streamStatus
    }
  }

  /// State and position, the answer to commands.
  public var shortStatus: JSON { .object(stateMembers + positionMembers) }

  private var stateMembers: [(String, JSON)] {
    [("state", .string(snapshot.state.word)), ("reason", .string(snapshot.reason.eventName))]
  }

  /// The position in seconds, and the same as a frame of the track's own rate.
  private var positionMembers: [(String, JSON)] {
    let rate = isLoaded ? snapshot.information.dataFormat?.sampleRate ?? 0 : 0
    let frame = rate > 0 && rate.isFinite ? Int64(exactly: (position * rate).rounded()) : nil
    return [
      ("position", JSON((position * 1e6).rounded() / 1e6)), ("duration", JSON(duration)), ("frame", JSON(frame)),
      ("sampleRate", rate > 0 ? JSON(rate) : .null),
    ] + (isLoaded && snapshot.information.durationIsEstimated ? [("durationIsEstimated", .bool(true))] : [])
  }

  /// In percent, as the command `volume` takes it.
  private var volumeMembers: [(String, JSON)] { [("volume", JSON(volumePercent)), ("muted", .bool(isMuted))] }

  /// 0...100.
  public var volumePercent: Int { Int((max(0, min(1, volume)) * 100).rounded()) }

  private var modeMembers: [(String, JSON)] {
    [
      ("shuffle", .bool(queue.isShuffled)), ("repeat", .string(queue.repeatMode.word)),
      ("stopAfter", .string(queue.stopPoint.word)), ("consume", .string(queue.consumption.word)),
    ]
  }

  private var queueStatus: JSON {
    ["length": JSON(queue.entries.count), "row": JSON(row.map { $0 + 1 }), "version": JSON(queueVersion)]
  }

  private var outputStatus: JSON {
    guard let route = snapshot.route else { return .null }
    let changes = sampleChanges(snapshot)
    let members: [(String, JSON)] = [
      ("device", .string(route.device)), ("description", .string(route.description)),
      ("exact", changes.map { .bool($0.isEmpty) } ?? .null),
      ("notExact", changes.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null),
    ]
    return .object(members.filter { !$0.1.isNull })
  }

  /// The output devices as JSON: the present one is `current`.
  var outputRows: JSON {
    let rows = outputs.devices.all.map { device in
      [
        ("device", .string(device.device)), ("description", .string(device.description)),
        ("current", device.device == outputs.present ? .bool(true) : .null),
        ("default", device.device == outputs.devices.standard ? .bool(true) : .null),
      ] as [(String, JSON)]
    }
    return .array(rows.map { .object($0.filter { !$0.1.isNull }) })
  }

  private var streamStatus: JSON {
    guard let stream else { return .null }
    return [
      "address": .string("http://\(stream.address)/"), "format": .string(stream.format),
      "listeners": JSON(stream.listenerCount),
    ]
  }

  /// A row of the queue as JSON, with the facts known so far.
  public func row(_ index: Int) -> JSON {
    let entry = queue.entries[index]
    let facts = facts[entry.id]
    let members: [(String, JSON)] = [
      ("row", JSON(index + 1)), ("id", JSON(entry.id)), ("path", .string(whole(entry.location).description)),
      ("name", .string(facts?.title ?? entry.location.name)), ("title", JSON(facts?.title)),
      ("artist", JSON(facts?.artist)), ("album", JSON(facts?.album)), ("duration", JSON(facts?.duration)),
      ("current", queue.currentIndex == index ? .bool(true) : .null),
    ]
    return .object(members.filter { !$0.1.isNull })
  }

  private var trackStatus: JSON {
    guard let entry else { return .null }
    let tags = tags ?? TrackTags()
    let stream = isLoaded ? snapshot.stream : nil
    let format = isLoaded ? snapshot.information.dataFormat : nil
    let members: [(String, JSON)] = [
      ("id", JSON(entry.id)), ("path", .string(whole(entry.location).description)),
      ("name", .string(title ?? entry.location.name)), ("title", JSON(title)), ("artist", JSON(artist)),
      ("artists", tags.artists.isEmpty ? .null : .array(tags.artists.map { .string($0) })), ("album", JSON(album)),
      ("albumArtist", JSON(tags.albumArtist)), ("trackNumber", JSON(tags.trackNumber)),
      ("trackCount", JSON(tags.trackCount)), ("discNumber", JSON(tags.discNumber)), ("date", JSON(tags.date)),
      ("genre", JSON(tags.genre)), ("composer", JSON(tags.composer)), ("chapter", JSON(chapter)),
      ("rating", JSON(heard?.rating)), ("loved", heard.map { .bool($0.isLoved) } ?? .null),
      ("duration", JSON(duration)),
      ("live", stream?.isLive == true ? .bool(true) : .null), ("station", JSON(stream?.stationName)),
      ("format", JSON(format.map { $0.formatID.description })), ("sampleRate", JSON(format?.sampleRate)),
      ("channels", JSON(format?.channelsPerFrame)), ("bitRate", JSON(isLoaded ? snapshot.information.bitRate : nil)),
    ]
    return .object(members.filter { !$0.1.isNull })
  }
}

extension JSON {
  var isNull: Bool { if case .null = self { true } else { false } }
}
