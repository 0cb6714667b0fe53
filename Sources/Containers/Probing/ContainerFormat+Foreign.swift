// Types that have no parser here: libavformat reads them. They are known all the same, so that a chance frame in them
// is not mistaken for MPEG audio, and a message can name them if the library is missing.
extension ContainerFormat {
  static let foreign: [ContainerFormat] = [
    ContainerFormat(foreign: [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11], name: "WMA"),
    ContainerFormat(foreign: Array("MAC ".utf8), name: "Monkey's Audio"),
    ContainerFormat(foreign: Array("MP+".utf8), name: "Musepack"),
    ContainerFormat(foreign: Array("MPCK".utf8), name: "Musepack"),
    ContainerFormat(foreign: Array("TTA1".utf8), name: "True Audio"),
    ContainerFormat(foreign: Array("TTA2".utf8), name: "True Audio"),
    ContainerFormat(foreign: Array("OFR ".utf8), name: "OptimFROG"),
    ContainerFormat(foreign: Array("MThd".utf8), name: "MIDI"),
    ContainerFormat(foreign: Array("wvpk".utf8), name: "WavPack"),
    ContainerFormat(foreign: Array("tBaK".utf8), name: "TAK"),
    ContainerFormat(foreign: Array("ajkg".utf8), name: "Shorten"),
    ContainerFormat(foreign: Array("Creative Voice File".utf8), name: "VOC"),
    ContainerFormat(foreign: Array("NIST_1A\n".utf8), name: "NIST SPHERE"),
    ContainerFormat(foreign: Array("DSD ".utf8), name: "DSF"),
    ContainerFormat(foreign: Array("FRM8".utf8), name: "DSDIFF"),
    ContainerFormat(foreign: Array("FLV\u{1}".utf8), name: "FLV"),
    ContainerFormat(foreign: Array(".RMF".utf8), name: "RealMedia"),
    ContainerFormat(foreign: Array("ea3".utf8), name: "ATRAC"),
    ContainerFormat(foreign: Array("EA3".utf8), name: "ATRAC"),
    ContainerFormat(foreign: [0, 0, 1, 0xba], name: "MPEG program stream"),
    ContainerFormat(foreign: [0x7f, 0xfe, 0x80, 0x01], name: "DTS"),
    ContainerFormat(transportPacketByteCount: 188, syncOffset: 0),
    // As Blu-ray keeps it, with a time stamp before each packet.
    ContainerFormat(transportPacketByteCount: 192, syncOffset: 4),
  ]

  /// File name extensions of these formats.
  static let foreignExtensions = [
    "wma", "asf", "xwma", "ape", "mpc", "mp+", "mpp", "tta", "wv", "tak", "shn", "voc", "dsf", "dff", "flv",
    "avi", "ts", "m2ts", "mts", "m2t", "mpg", "mpeg", "vob", "oma", "aa3", "ra", "rm", "dts", "thd", "mlp", "gsm",
  ]

  private init(foreign mark: [UInt8], name: String) {
    self.init(
      name: name, types: [],
      match: { bytes, isLast throws(ContainerError) in
        if bytes.byteCount < mark.count { return isLast ? .no : .needsBytes(mark.count) }
        return bytes.copy(0..<mark.count) == mark ? .packets(from: 0) : .no
      })
  }

  /// An MPEG transport stream (ISO/IEC 13818-1 2.4.3.2): a 47 at the start of each packet.
  private init(transportPacketByteCount byteCount: Int, syncOffset: Int) {
    self.init(
      name: "MPEG transport stream", types: [],
      match: { bytes, isLast throws(ContainerError) in
        for place in stride(from: syncOffset, through: syncOffset + 4 * byteCount, by: byteCount) {
          guard place < bytes.byteCount else { return isLast ? .no : .needsBytes(place + 1) }
          guard bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self) == 0x47 else { return .no }
        }
        return .packets(from: 0)
      })
  }
}
