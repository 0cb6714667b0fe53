/// The IDs of elements (RFC 9559 5) that are read here.
enum MatroskaID {
  static let ebml: UInt32 = 0x1a45_dfa3
  static let docType: UInt32 = 0x4282
  static let docTypeReadVersion: UInt32 = 0x4285
  static let maximumIDLength: UInt32 = 0x42f2
  static let maximumSizeLength: UInt32 = 0x42f3

  static let segment: UInt32 = 0x1853_8067
  static let seekHead: UInt32 = 0x114d_9b74
  static let seek: UInt32 = 0x4dbb
  static let seekID: UInt32 = 0x53ab
  static let seekPosition: UInt32 = 0x53ac

  static let info: UInt32 = 0x1549_a966
  static let timestampScale: UInt32 = 0x2a_d7b1
  static let duration: UInt32 = 0x4489
  static let title: UInt32 = 0x7ba9

  static let tracks: UInt32 = 0x1654_ae6b
  static let trackEntry: UInt32 = 0xae
  static let trackNumber: UInt32 = 0xd7
  static let trackUID: UInt32 = 0x73c5
  static let trackType: UInt32 = 0x83
  static let flagEnabled: UInt32 = 0xb9
  static let flagDefault: UInt32 = 0x88
  static let codecID: UInt32 = 0x86
  static let codecPrivate: UInt32 = 0x63a2
  static let codecDelay: UInt32 = 0x56aa
  static let seekPreRoll: UInt32 = 0x56bb
  static let audio: UInt32 = 0xe1
  static let samplingFrequency: UInt32 = 0xb5
  static let outputSamplingFrequency: UInt32 = 0x78b5
  static let channels: UInt32 = 0x9f
  static let bitDepth: UInt32 = 0x6264
  static let contentEncodings: UInt32 = 0x6d80
  static let contentEncodingScope: UInt32 = 0x5032
  static let contentEncodingType: UInt32 = 0x5033
  static let contentCompression: UInt32 = 0x5034
  static let contentCompAlgo: UInt32 = 0x4254
  static let contentCompSettings: UInt32 = 0x4255

  static let cluster: UInt32 = 0x1f43_b675
  static let timestamp: UInt32 = 0xe7
  static let simpleBlock: UInt32 = 0xa3
  static let blockGroup: UInt32 = 0xa0
  static let block: UInt32 = 0xa1
  static let discardPadding: UInt32 = 0x75a2
  static let encryptedBlock: UInt32 = 0xaf
  static let position: UInt32 = 0xa7
  static let prevSize: UInt32 = 0xab
  static let void: UInt32 = 0xec
  static let crc32: UInt32 = 0xbf

  static let cues: UInt32 = 0x1c53_bb6b
  static let cuePoint: UInt32 = 0xbb
  static let cueTime: UInt32 = 0xb3
  static let cueTrackPositions: UInt32 = 0xb7
  static let cueTrack: UInt32 = 0xf7
  static let cueClusterPosition: UInt32 = 0xf1

  static let chapters: UInt32 = 0x1043_a770
  static let editionEntry: UInt32 = 0x45b9
  static let editionFlagHidden: UInt32 = 0x45bd
  static let editionFlagDefault: UInt32 = 0x45db
  static let editionFlagOrdered: UInt32 = 0x45dd
  static let chapterAtom: UInt32 = 0xb6
  static let chapterTimeStart: UInt32 = 0x91
  static let chapterFlagHidden: UInt32 = 0x98
  static let chapterFlagEnabled: UInt32 = 0x4598
  static let chapterDisplay: UInt32 = 0x80
  static let chapString: UInt32 = 0x85

  static let tags: UInt32 = 0x1254_c367
  static let tag: UInt32 = 0x7373
  static let targets: UInt32 = 0x63c0
  static let targetTypeValue: UInt32 = 0x68ca
  static let tagTrackUID: UInt32 = 0x63c5
  static let tagEditionUID: UInt32 = 0x63c9
  static let tagChapterUID: UInt32 = 0x63c4
  static let tagAttachmentUID: UInt32 = 0x63c6
  static let simpleTag: UInt32 = 0x67c8
  static let tagName: UInt32 = 0x45a3
  static let tagString: UInt32 = 0x4487

  static let attachments: UInt32 = 0x1941_a469
  static let attachedFile: UInt32 = 0x61a7
  static let fileName: UInt32 = 0x466e
  static let fileMediaType: UInt32 = 0x4660
  static let fileData: UInt32 = 0x465c

  /// True if an element lies directly in a segment or before one, and in no other element.
  static func isTopLevel(_ id: UInt32) -> Bool {
    switch id {
    case ebml, segment, seekHead, info, tracks, cluster, cues, chapters, tags, attachments: true
    default: false
    }
  }

  static func mayBeginCluster(_ id: UInt32) -> Bool {
    switch id {
    case timestamp, simpleBlock, blockGroup, position, prevSize, void, crc32: true
    default: false
    }
  }
}
