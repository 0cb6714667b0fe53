import AudioModel
import Testing

@testable import Commands
@testable import Player

struct OutputChooserTests {
  @Test func `a chosen device that is missing is reported once, and again after it was there`() {
    let list = OutputList(
      AudioDevices([AudioRoute(device: "usb", description: "USB DAC")], standard: "usb"), playing: nil,
      chosen: "default")
    var chooser = OutputChooser(nil)
    #expect(chooser.complaint(chosen: "tv") == nil)
    chooser = OutputChooser(list)
    #expect(chooser.complaint(chosen: "tv")?.contains("tv is not there") == true)
    #expect(chooser.complaint(chosen: "tv") == nil && chooser.complaint(chosen: "usb") == nil)
    #expect(chooser.complaint(chosen: "tv") != nil && chooser.complaint(chosen: "default") == nil)
  }
}
