import ByteIO
import Glibc
import Library
import Playback
import SoundServerSupport
import Testing

@testable import Commands
@testable import Desk
@testable import Player

/// The page of a saved session.
struct SessionRecordTests {
  private var record: SessionRecord {
    var record = SessionRecord()
    (record.state, record.current, record.position) = (.paused, 2, 41.000_022_675_736_96)
    record.track = PlaylistWriter.line(for: .file(BytePath("/m/c\u{1b}.mp3")))
    (record.volume, record.isMuted, record.isShuffled, record.repeatMode) = (0.35, true, true, .one)
    (record.turn, record.seed, record.consumption) = (3, .max, .once)
    record.deviceVolumes = [.init("alsa output", 0.5), .init("it's \"usb\"", 0.35)]
    record.place = FacePlace(
      view: "files", row: 7,
      changes: [.init("bind \" next", from: "bind \" mark b"), .init("set theme='my own'", from: "")],
      files: FacePlace.Files(folder: BytePath("/m/it's"), item: BytePath("/m/it's/a b.mp3")))
    record.changes = [
      SettingChange(.gain, "album", from: "off"), SettingChange(.eq, "rock", from: "1,-2.5,0,0"),
      SettingChange(.effects, "reverb size=0.6; crossfeed", from: "none"),
    ]
    record.albumSpeed = .init(change: SettingChange(.speed, "1.5", from: "1"), track: Array("/m/a book/1.mp3".utf8))
    return record
  }

  @Test func `a written record is read back, with the position to the sample`() throws {
    let read = try #require(SessionRecord(record.bytes))
    #expect(read == record)
    #expect((read.position * 44100).rounded() == 1_808_101)
    #expect(SessionRecord(SessionRecord().bytes) == SessionRecord())
    var foreign = record
    foreign.place.files = FacePlace.Files(folder: BytePath([0x2f, 0xff]), item: nil)
    #expect(try #require(SessionRecord(foreign.bytes)).place.files == nil, "no text, but no damage")
  }

  @Test(arguments: ["usb\ndac", "usb\rdac", "usb\u{2028}dac", "usb\u{a0}dac", "#", "a\\"])
  func `no name of a device damages the session`(name: String) throws {
    var record = record
    record.deviceVolumes.insert(.init(name, 0.25), at: 0)
    record.changes.append(SettingChange(.output, name, from: "default"))
    record.place.changes.append(.init("set theme=" + name, from: "set theme=default"))
    let read = try #require(SessionRecord(record.bytes))
    #expect(read.deviceVolumes.suffix(2) == record.deviceVolumes.suffix(2) && read.position == record.position)
  }

  @Test func `a changed position is distinguished from another session`() {
    var other = record
    other.position += 1
    #expect(record.differsInPositionOnly(from: other) && record.differsInPositionOnly(from: record))
    other.isMuted.toggle()
    #expect(!record.differsInPositionOnly(from: other))
  }

  @Test func `cut anywhere, it is no record`() {
    let bytes = record.bytes
    for count in 0..<(bytes.count - 1) { #expect(SessionRecord(Array(bytes[..<count])) == nil) }
  }

  @Test(
    arguments: [
      "position nan", "position -1", "position 1e300", "volume 2", "muted maybe", "current -1", "state dancing",
      "view ", "selected x", "repeat twice", "turn -1", "seed x", "changed gain album",
      "changed-screen bind", "changed-screen 'set mouse=off",
      "device-volume 2 usb", "device-volume 0.5",
    ]) func `impossible values count as damage`(line: String)
  {
    #expect(SessionRecord(Array("segue session 1\n\(line)\nend\n".utf8)) == nil)
  }

  @Test func `fields of later versions are ignored, and random bytes do no harm`() {
    #expect(SessionRecord(Array("segue session 1\nspeed 2\nend\n".utf8)) == SessionRecord())
    #expect(SessionRecord(Array("segue session 2\nend\n".utf8)) == nil)
    for seed in 0..<200 {
      var bytes = record.bytes
      bytes[seed * 7 % bytes.count] = UInt8(truncatingIfNeeded: seed)
      _ = SessionRecord(bytes)
    }
  }

  @Test func `the current entry is found by its name where the queue is another`() {
    let names = ["a", "b", "c\u{1b}", "c\u{1b}"].map { MediaLocation.file(BytePath("/m/\($0).mp3")) }
    #expect(record.place(in: names) == 2)
    #expect(record.place(in: Array(names.dropFirst())) == 2)
    #expect(record.place(in: Array(names.prefix(2))) == nil)
    #expect(SessionRecord().place(in: names) == nil)
  }

  @Test func `a file that cannot be written leaves the old one, and nothing beside it`() throws {
    let folder = try TemporaryFolder()
    let path = BytePath(folder.path + "/file")
    try SmallFile.write([1], to: path)
    #expect(try SmallFile.read(path) == [1])
    mkdir(folder.path + "/folder", 0o700)
    #expect(throws: ByteIOError.self) { try SmallFile.write([2], to: BytePath(folder.path + "/folder")) }
    #expect(FolderContents(reading: BytePath(folder.path), playableExtensions: []).items.count == 3)
    #expect(try SmallFile.read(BytePath(folder.path + "/none")) == nil)
  }
}
