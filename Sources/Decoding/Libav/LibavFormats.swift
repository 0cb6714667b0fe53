internal import AudioModel

/// The formats of libavformat that are read here, and their properties.
enum LibavFormats {
  /// Formats of single audio files by libavformat's names: no playlists, protocols, pictures or subtitles.
  static let whitelist = [
    "3dostr", "aa", "aac", "ac3", "adx", "aiff", "amr", "ape", "apm", "asf", "au", "avi", "avr", "bfstm", "binka",
    "brstm", "caf", "codec2", "dsf", "dss", "dts", "dtshd", "eac3", "epaf", "flac", "flv", "fsb", "gsm", "hca", "iff",
    "ircam", "iss", "live_flv", "loas", "lxf", "matroska", "webm", "mlp", "mmf", "mov", "mp4", "m4a", "3gp", "3g2",
    "mj2", "mp3", "mpc", "mpc8", "mpeg", "mpegts", "msf", "mtaf", "nistsphere", "nsv", "nut", "ogg", "oma", "paf",
    "pvf", "qcp", "rm", "rso", "sds", "shn", "sol", "sox", "tak", "truehd", "tta", "vag", "voc", "vpk", "vqf", "w64",
    "wav", "wsd", "wv", "wve", "wtv", "xa", "xvag", "xwma",
  ]

  /// Formats whose tables or headers number every sample: a packet's time stamp is the number of its first frame, also
  /// after a seek. In all others the stamps are rounded, and frames are counted.
  private static let numbered: Set<String> = [
    "aiff", "ape", "au", "caf", "dsf", "iff", "tak", "tta", "w64", "wav", "wsd", "wv",
  ]

  /// True if time stamps of this codec in this format are exact, and its packets are independent.
  static func isNumbered(_ format: String, codec: String) -> Bool {
    let standsAlone = ["ape", "tta", "wavpack", "tak", "dst"].contains(codec)
    return numbered.contains(format) && (standsAlone || codec.hasPrefix("pcm_") || codec.hasPrefix("dsd_"))
  }

  /// Codecs whose packets may need all earlier packets.
  static func needsAll(codec: String) -> Bool { ["mp4als", "sonic", "sonicls", "shorten"].contains(codec) }

  /// Of several decoders the one that gives the same samples after a seek: those in integers carry rounding errors on.
  static func decoder(codec: String) -> String? { ["mp1": "mp1float", "mp2": "mp2float"][codec] }

  /// True if a codec keeps every bit, so that samples are played as wide as they are.
  static func isLossless(codec: String) -> Bool {
    codec.hasPrefix("pcm_") || codec.hasPrefix("dsd_")
      || [
        "ape", "tta", "wavpack", "tak", "wmalossless", "mp4als", "shorten", "flac", "alac", "mlp", "truehd", "dst",
        "sonicls",
      ].contains(codec)
  }

  /// True if samples are bits of a delta-sigma converter.
  static func isDSD(codec: String) -> Bool { codec.hasPrefix("dsd_") || codec == "dst" }

  /// A codec as Core Audio would name it, for people: libavcodec's name, cut to four characters where no other is
  /// known.
  static func formatID(codec: String) -> AudioFormatID {
    let known: [String: StaticString] = [
      "wmav1": "WMA1", "wmav2": "WMA2", "wmapro": "WMAP", "wmalossless": "WMAL", "wmavoice": "WMAV", "ape": "APE ",
      "musepack7": "MPC7", "musepack8": "MPC8", "tta": "TTA ", "wavpack": "WVPK", "speex": "SPX ", "gsm_ms": "GSM ",
      "gsm": "GSM ", "mp3": ".mp3", "mp2": ".mp2", "mp1": ".mp1", "aac": "aac ", "aac_latm": "aac ", "ac3": "ac-3",
      "eac3": "ec-3", "dts": "DTS ", "truehd": "mlpa", "mlp": "MLP ", "mp4als": "ALS ", "shorten": "SHN ",
      "atrac3": "ATR3", "atrac3p": "AT3+", "cook": "COOK", "sipr": "SIPR", "ra_144": "RA14", "ra_288": "RA28",
      "nellymoser": "NELL", "adpcm_swf": "SWFA", "vorbis": "vorb", "opus": "opus", "flac": "flac", "alac": "alac",
      "dst": "DST ",
    ]
    if let code = known[codec] { return AudioFormatID(FourCharCode(code)) }
    if codec.hasPrefix("dsd_") { return AudioFormatID(FourCharCode("DSD ")) }
    if codec.hasPrefix("pcm_") { return .linearPCM }
    return AudioFormatID(FourCharCode(padding: codec))
  }
}

extension FourCharCode {
  /// The first four characters of a name, with spaces after a shorter one.
  init(padding name: String) {
    let bytes = Array(name.utf8.prefix(4)) + [0x20, 0x20, 0x20, 0x20]
    self.init(rawValue: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
  }
}
