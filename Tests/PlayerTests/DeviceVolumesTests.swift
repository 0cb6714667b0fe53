import Testing

@testable import Player

/// The volume on each output device.
struct DeviceVolumesTests {
  private var volumes = DeviceVolumes()

  @Test mutating func `a device has the volume with which it was left`() {
    #expect(volumes.follow("speakers", volume: 0.8) == nil)
    #expect(volumes.follow("speakers", volume: 0.7) == nil)
    #expect(volumes.follow("headphones", volume: 0.7) == nil, "unknown, it has the present volume")
    #expect(volumes.follow("headphones", volume: 0.3) == nil)
    #expect(volumes.follow("speakers", volume: 0.2) == 0.7)
    #expect(volumes.follow("headphones", volume: 0.9) == 0.2)
    #expect(volumes.entries == [.init("speakers", 0.9), .init("headphones", 0.2)])
  }

  @Test func `at the next start, another device has its volume, the same one keeps the saved one`() {
    let saved = [DeviceVolumes.Entry("headphones", 0.3), .init("speakers", 0.7)]
    var same = DeviceVolumes(saved), other = DeviceVolumes(saved), unknown = DeviceVolumes(saved)
    #expect(same.follow("speakers", volume: 0.65) == nil && same.entries.last?.volume == 0.65)
    #expect(other.follow("headphones", volume: 0.7) == 0.3 && other.entries.first == .init("speakers", 0.7))
    #expect(unknown.follow("usb", volume: 0.7) == nil && unknown.entries.last == .init("usb", 0.7))
  }

  @Test func `a volume that was asked for before a device is known is the one of that device`() {
    var volumes = DeviceVolumes([.init("headphones", 0.3), .init("speakers", 0.7)])
    volumes.noteVolumeSet()
    #expect(volumes.follow("headphones", volume: 0.5) == nil)
    volumes.noteVolumeSet()
    #expect(volumes.follow("speakers", volume: 0.5) == 0.7)
  }

  @Test mutating func `of many devices the latest are kept`() {
    for number in 0..<100 { _ = volumes.follow("\(number)", volume: 0.5) }
    #expect(volumes.entries.map(\.device) == (68..<100).map { "\($0)" })
  }
}
