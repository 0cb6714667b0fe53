/// A short MP3 file whose sound `sound` decides, with an ID3v2.4 tag in UTF-8: frames like `TIT2` and their texts.
///
/// ISO/IEC 11172-3: layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame.
public func madeMP3(sound: Int, _ tags: [(String, String)] = [], frames: Int = 10) -> [UInt8] {
  func synchsafe(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> ($0 * 7) & 0x7f) } }
  var body: [UInt8] = []
  for (name, text) in tags {
    let bytes = [3] + Array(text.utf8)
    body += Array(name.utf8) + synchsafe(bytes.count) + [0, 0] + bytes
  }
  var bytes = tags.isEmpty ? [] : Array("ID3".utf8) + [4, 0, 0] + synchsafe(body.count) + body
  var state = UInt64(truncatingIfNeeded: sound) &* 0x9e37_79b9_7f4a_7c15 | 1
  for _ in 0..<frames {
    bytes += [0xff, 0xfb, 0x90, 0x00] + [UInt8](repeating: 0, count: 32)
    for _ in 0..<381 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      bytes.append(UInt8(state >> 57))
    }
  }
  return bytes
}
