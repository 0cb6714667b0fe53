import AudioModel
import Testing

@testable import PulseOutput

/// The facts about sinks for the user. Null sinks have no connectors, so these sinks are invented.
@Suite struct `A sink` {
  private static let card = PulseSink(
    index: 3, name: "card", description: "Built-in Audio",
    connectors: ["speaker": true, "analog-output-headphones": true],
    connector: "analog-output-headphones", connectorDescription: "Headphones")

  private static func card(headphones: Bool?, uses connector: String) -> PulseSink {
    var sink = card
    sink.connectors["analog-output-headphones"] = headphones
    sink.connector = connector
    return sink
  }

  private static let other = PulseSink(index: 4, name: "other", description: "Other")

  @Test(arguments: [
    // Pulled out: the server goes to the speakers, or stays where nothing is heard.
    ([card(headphones: false, uses: "speaker")], true),
    ([card(headphones: false, uses: "analog-output-headphones")], true),
    // Only left.
    ([card(headphones: true, uses: "speaker")], false), ([card(headphones: nil, uses: "speaker")], false),
    ([card], false), ([card, other], false),
    // Gone with its card.
    ([other], true), ([], true),
  ])
  private func `is gone when it is not there or nothing is plugged into it`(now: [PulseSink], isGone: Bool) {
    #expect(Self.card.isGone(now) == isGone)
  }

  @Test func `does not disappear because nothing was ever plugged into it`() {
    let dead = Self.card(headphones: false, uses: "analog-output-headphones")
    #expect(!dead.isGone([dead]))
    #expect(!Self.other.isGone([Self.other]))
  }

  @Test func `is not a lost device if it replaced a missing one that appears`() {
    let dummy = PulseSink(index: 5, name: "auto_null", description: "Dummy Output")
    #expect(!dummy.isGone([Self.card]))
    #expect(Self.card.isGone([dummy]))
  }

  @Test(arguments: [
    (nil, nil, nil, false), ("speaker", nil, nil, false), ("headset", nil, nil, true), ("headphone", nil, nil, true),
    ("hands-free", "bluetooth", nil, true), ("speaker", "bluetooth", nil, false), (nil, "bluetooth", nil, true),
    (nil, "usb", "analog-output-headphones", true), (nil, "pci", "analog-output-speaker", false),
    (nil, nil, "Headset-Out", true),
  ])
  private func `is worn or not (usingHeadset)`(form: String?, bus: String?, connector: String?, isHeadset: Bool) {
    var sink = Self.other
    (sink.formFactor, sink.bus, sink.connector) = (form, bus, connector)
    #expect(sink.route.isHeadset == isHeadset)
  }

  @Test func `is named with its connector`() {
    #expect(Self.card.route.description == "Built-in Audio (Headphones)")
    #expect(!Self.card.route.leadsWhere(Self.other.route))
    var loud = Self.card
    loud.volume = 0.5
    #expect(loud.route != Self.card.route && loud.route.leadsWhere(Self.card.route))
  }
}
