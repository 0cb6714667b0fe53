internal import AudioModel
internal import AudioOutput
internal import Commands
internal import Desk
internal import Playback
internal import SignalProcessing

/// The settings of a session, its volume and its output device: changes them and sends them to the parts that obey.
final class SessionSettings {
  private let engine: any PlayerEngine
  private let desk: Desk?
  private let saving: SessionSaving?
  private let observers: SessionObservers
  /// The settings that are in effect.
  private(set) var current = Settings() { didSet { current.applyCharset() } }
  /// Those of the files.
  private var filed = Settings()
  private var albumSpeed = AlbumSpeed()
  var chooser: OutputChooser
  /// 0...1.
  private(set) var volume = 1.0
  private(set) var isMuted = false

  init(
    _ engine: any PlayerEngine, _ output: (any AudioOutput)?, _ desk: Desk?, _ saving: SessionSaving?,
    _ observers: SessionObservers
  ) {
    (self.engine, self.desk, self.saving, self.observers) = (engine, desk, saving, observers)
    chooser = OutputChooser(output)
  }

  var changesByHand: [SettingChange] { current.changes(from: filed) }

  var outputs: OutputList { chooser.list }

  /// Sets the volume, limited to 0...1.
  func setVolume(_ value: Double) {
    volume = max(0, min(1, value))
    chooser.volumes.noteVolumeSet()
    engine.send(.set(.volume(volume)))
  }

  func setMuted(_ value: Bool) {
    isMuted = value
    engine.send(.set(.muted(value)))
  }

  func setOutput(_ words: String) {
    do throws(OutputList.Refusal) {
      let device = try outputs.device(named: words)
      set(.output, to: device?.device ?? Settings.standardOutput)
      observers.say("output: \(device?.description ?? "the default of the sound server")")
    } catch { observers.refuse(error.text) }
  }

  func set(_ setting: Setting, to value: String) {
    // Command lines and the history are no places for a password, and clients may not name programs.
    if Setting.fixed.contains(setting) {
      return observers.refuse("\(setting.rawValue) can only be set in the file config")
    }
    var new = current
    if let refusal = new.set(setting, to: value) { return observers.refuse(refusal) }
    change(setting) { $0 = new }
  }

  func apply(_ change: SoundChange) {
    if case .removeEffect(let number) = change, number > current.sound.effects.effects.count {
      return observers.refuse("there is no effect \(number): effect list shows them")
    }
    self.change(change.setting) { $0.apply(change) }
  }

  private func change(_ setting: Setting, _ change: (inout Settings) -> Void) {
    change(&current)
    if setting == .speed { holdSpeed(in: engine.snapshot.entry, facts) }
    send(setting)
    observers.notify { $0.show(current) }
  }

  private var facts: TrackFacts { TrackFacts(engine.snapshot.information) }

  func holdSpeed(in entry: QueueEntry?, _ facts: TrackFacts? = nil) {
    albumSpeed.note(current.speed, standard: filed.speed, in: entry, facts)
  }

  var savedSpeed: SessionRecord.SavedSpeed? { albumSpeed.saved(standard: filed.speed) }

  func restore(_ saved: SessionRecord.SavedSpeed) { albumSpeed.restore(saved, standard: filed.speed) }

  /// Takes the settings of the files. Changes by hand stay, unless the files have a new value.
  ///
  /// - Parameter changes: Changes that were saved with the session before; `nil` if the files were read again.
  func adopt(_ files: Settings, changes: [SettingChange]?) {
    let (old, kept) = (current, changes ?? changesByHand)
    var new = files
    let problems = new.restore(kept)
    (filed, current) = (files, new)
    if changes != nil || current.speed != old.speed { holdSpeed(in: engine.snapshot.entry, facts) }
    for setting in Setting.allCases where changes != nil || new.text(of: setting) != old.text(of: setting) {
      send(setting)
    }
    observers.notify { $0.show(current) }
    for problem in problems { observers.say(problem) }
  }

  private func send(_ setting: Setting) {
    if let new = current.engineSetting(for: setting) { engine.send(.set(new)) }
    switch setting {
    case .session: saving?.keep(current.session)
    case .output:
      chooser.choose(current.output)
      refreshOutputs()
    case .measureGain: desk?.ask(.measureLoudness(current.measureGain), from: .session(request: nil))
    default: break
    }
  }

  func refreshOutputs() {
    let news = chooser.refresh(engine.snapshot, chosen: current.output, volume: volume)
    if news.isOther { observers.notify { $0.show(.outputs(outputs)) } }
    if let volume = news.volume { setVolume(volume) }
    for sentence in news.sentences { observers.say(sentence, isLogged: true) }
  }

  /// A track of another album has its own speed.
  private func chooseSpeed(of entry: QueueEntry) {
    let known = engine.snapshot.entry?.id == entry.id ? facts : nil
    let speed = albumSpeed.speed(of: entry, known, standard: filed.speed)
    guard speed != current.speed else { return }
    let isOwn = speed != filed.speed
    observers.say(
      "speed \(written(speed))"
        + (isOwn ? ", as last time" : " again: \(written(current.speed)) was for what played before"))
    current.speed = speed
    send(.speed)
    observers.notify { $0.show(current) }
  }

  /// Follows changes that the engine has made.
  func hear(_ notice: PlaybackNotice) {
    switch notice {
    case .volumeChanged(let value): volume = value
    case .muteChanged(let value): isMuted = value
    case .slowedToLive:
      current.speed = 1
      holdSpeed(in: engine.snapshot.entry, facts)
      observers.notify { $0.show(current) }
    case .trackBegan(let entry, _): chooseSpeed(of: entry)
    default: break
    }
  }
}
