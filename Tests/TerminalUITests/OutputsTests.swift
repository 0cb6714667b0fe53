import AudioModel
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The view of output devices, and the completion of their names.
struct OutputsTests {
  static let list: OutputList = {
    var list = OutputList()
    list.devices = AudioDevices(
      [
        AudioRoute(device: "alsa.pci", description: "Built-in Audio"),
        AudioRoute(device: "usb.dac", description: "USB\u{1b}[31m DAC"),
      ], standard: "alsa.pci")
    list.present = "usb.dac"
    return list
  }()

  private func bench() -> Bench {
    var bench = Bench.playing()
    bench.send(.news(.outputs(Self.list)))
    return bench
  }

  @Test func `the present device is marked, and Enter plays on the selected one`() {
    var bench = bench()
    bench.press("9")
    #expect(
      bench.lines[2...5] == [
        "   Device                        Name", " * the server's default          alsa.pci",
        "   Built-in Audio                alsa.pci", " > USB\u{fffd}[31m DAC                  usb.dac",
      ])
    #expect(bench.press(Key(.enter)) == [.player(.setOutput("default"))])
    #expect(bench.press(Key(.down), Key(.down), Key(.enter)) == [.player(.setOutput("usb.dac"))])
  }

  @Test func `the command shows the list, and Tab completes its names`() {
    var bench = bench()
    bench.press(":")
    for letter in "output" { bench.press(Key(letter)) }
    bench.press(Key(.enter))
    #expect(bench.text.contains("Built-in Audio"))
    bench.press(":")
    for letter in "output u" { bench.press(Key(letter)) }
    bench.press(Key(.tab))
    #expect(bench.text.contains(":output usb.dac"))
    #expect(bench.press(Key(.enter)).contains(.player(.setOutput("usb.dac"))))
  }

  @Test func `without devices the view says so`() {
    var bench = Bench.playing()
    bench.press("9")
    #expect(bench.text.contains("There are no devices to choose from."))
  }
}
