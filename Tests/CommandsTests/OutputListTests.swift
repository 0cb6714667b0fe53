import AudioModel
import Testing

@testable import Commands

/// The names of output devices as a listener writes them.
struct OutputListTests {
  private let list = OutputList(
    AudioDevices(
      [
        AudioRoute(device: "usb", description: "USB DAC"), AudioRoute(device: "usb.2", description: "Kopfhörer"),
        AudioRoute(device: "pci", description: "Built-in Audio"),
      ], standard: "pci"), playing: nil, chosen: "default")

  @Test(arguments: [("usb", "usb"), ("kopfHÖRER", "usb.2"), ("audio", "pci"), ("PCI", "pci"), ("built-in a", "pci")])
  private func `a whole name or a part of one device's description finds it`(words: String, device: String) throws {
    #expect(try list.device(named: words)?.device == device)
  }

  @Test(arguments: [("us", "\"us\" may be usb or usb.2"), ("tv", "no output \"tv\"; output lists them")])
  private func `other words are refused`(words: String, text: String) {
    #expect { try list.device(named: words) } throws: { ($0 as? OutputList.Refusal)?.text == text }
  }

  @Test func `the present device is the one that plays, else the chosen one that is there, else the default`() {
    let devices = list.devices
    #expect(list.present == "pci" && OutputList(devices, playing: nil, chosen: "usb").present == "usb")
    #expect(OutputList(devices, playing: nil, chosen: "tv").present == "pci")
    #expect(OutputList(devices, playing: "usb.2", chosen: "usb").present == "usb.2")
    #expect(list.sentence.hasPrefix("output is pci (Built-in Audio); others: usb (USB DAC), "))
  }
}
