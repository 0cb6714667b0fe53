internal import ByteIO
internal import Encoding
internal import SignalProcessing

/// A setting of the player for `set name=value`. The table reads, completes and explains settings.
public enum Setting: String, Sendable, Hashable, CaseIterable {
  /// The settings, by their names in commands.
  case session, resume, timeshift, reconnects, music, charset, lyrics, listenbrainz, lastfm
  /// The address for clients of MPD on the network.
  case remoteMPD = "remote-mpd"
  /// The password of these clients.
  case remoteMPDPassword = "remote-mpd-password"
  /// The address at which the sound is served.
  case stream
  /// The password of those who listen there.
  case streamPassword = "stream-password"
  case streamFormat = "stream-format"
  case streamBitRate = "stream-bitrate"
  case crossfade, gain
  /// The loudness of the library's tracks is measured.
  case measureGain = "measure-gain"
  case preamp, eq, balance, effects, speed, output

  /// Changes of these by hand outlast a restart. Only the file `config` opens ports or sends anything to others for good.
  public static let kept = allCases.filter {
    ![.session, .remoteMPD, .stream, .lyrics, .listenbrainz, .lastfm].contains($0) && !secret.contains($0)
  }

  /// Passwords. They stand in the file `config` only, and are never shown.
  public static let secret: [Setting] = [.remoteMPDPassword, .streamPassword]

  /// The meaning, for Help and manual.
  public var help: String {
    switch self {
    case .session: "restore the session at start"
    case .resume:
      "continue tracks of this many minutes or more, audiobooks and podcasts where they were left, 1 to 1000; off"
    case .timeshift: "time-shift window of a station in minutes, 0 to 120"
    case .reconnects: "reconnect attempts, 1 to 1000"
    case .music: "first folder of Files"
    case .charset:
      "character set of texts that do not name theirs (tags, titles of stations, cue sheets, playlists), or auto: guessed"
    case .lyrics: "look for lyrics in tags and files, or also at lrclib.net: local, online, or the address of a server"
    case .listenbrainz: "send listens to ListenBrainz: on, off, or the address of another server"
    case .lastfm: "send listens to Last.fm, after segue lastfm: on, off, or the address of another server"
    case .remoteMPD: "port, or ADDRESS:PORT, for clients of MPD on the network; off for none"
    case .remoteMPDPassword: "their password; only in config"
    case .stream: "serve what plays over HTTP: port, or ADDRESS:PORT; off"
    case .streamPassword: "the password of those who listen there; only in config"
    case .streamFormat: "the format that is served"
    case .streamBitRate: "its bit rate in kbit/s, 32 to 320; not for flac"
    case .crossfade: "crossfade length in seconds, 0 to 12"
    case .gain: "ReplayGain mode"
    case .measureGain: "measure tracks of the library without ReplayGain, at idle"
    case .preamp: "extra gain in dB, with a limiter, -24 to 24"
    case .eq: "equaliser: a preset, or ten gains in dB, -12 to 12, separated by commas"
    case .balance: "-1 left, 0 centre, 1 right"
    case .effects: "effects with semicolons between them: reverb size=0.6; crossfeed"
    case .speed: "playback speed, 0.5 to 2, with the pitch kept"
    case .output: "output device by its name, if it is there; default for the one of the sound server"
    }
  }

  /// The possible values, if they can be listed.
  public var values: [String] {
    switch self {
    case .session, .listenbrainz, .lastfm, .measureGain: ["on", "off"]
    case .charset: ["auto"] + Charset.names
    case .lyrics: ["local", "online"]
    case .gain: GainMode.allCases.map(\.rawValue)
    case .eq: Equalizer.presets.map(\.name)
    case .streamFormat: StreamFormat.allCases.map(\.rawValue)
    case .music, .resume, .remoteMPD, .remoteMPDPassword, .stream, .streamPassword, .streamBitRate, .crossfade,
      .timeshift, .reconnects, .preamp, .balance, .effects, .speed, .output:
      []
    }
  }
}
