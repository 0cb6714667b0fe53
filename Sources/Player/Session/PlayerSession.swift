public import AudioModel
public import AudioOutput
internal import AudioSession
public import ByteIO
public import Commands
public import Desk
public import Playback
internal import SignalProcessing
internal import Library
public import Threads

/// The player without a face: the one interface of all faces. `perform` takes commands; observers receive snapshots,
/// events, the queue, settings and sentences.
///
/// Main thread. The owner calls `hear` after each wake-up of the engine, and `turn` once per turn of its loop.
public final class PlayerSession {
  /// The end of a run; the raw value is the exit status of the program (docs/segue.1).
  public enum Ending: Int32, Sendable {
    /// The queue has ended, or the listener has quit.
    case done = 0
    /// The player could not start.
    case couldNotStart = 1
    /// No input could be played.
    case nothingPlayable = 2
    /// Some inputs could not be played.
    case someFailed = 3
    /// A signal has ended the program.
    case signalled = 4
  }

  /// Set when the session has ended.
  public private(set) var ending: Ending?
  /// The reason of `couldNotStart`, to be printed after the screen is gone.
  public private(set) var startFailure: AudioOutputError?
  /// The settings that are in effect.
  public var settings: Settings { known.settings }
  /// 0...1.
  public private(set) var volume = 1.0
  public private(set) var isMuted = false
  /// True if the end of the queue ends the session.
  public var endsWithQueue = true
  /// Gives the terminal back, or returns the reason why that is not possible.
  public var leaveTerminal: () -> String? = { "there is no screen" }
  /// The place of the screen, saved with the session.
  public var place = FacePlace()

  let engine: any PlayerEngine
  private let desk: Desk?
  private let listening: ListeningLog?
  let now: () -> MonotonicTime
  private var feed = QueueFeed()
  private var observers: [any PlayerObserver] = []
  private(set) var known = KnownSettings()
  private var saving: SessionSaving?
  private var progress = SessionProgress()
  private var pending = PendingCommands()
  private var timers: SessionTimers
  var chooser: OutputChooser

  /// A stopped session.
  ///
  /// - Parameters:
  ///   - locations: The initial queue.
  ///   - hasFailures: True if an input was not found.
  ///   - loaded: The file that the initial queue was loaded from.
  ///   - desk: Answers what takes time; `nil` if no face asks.
  ///   - listening: Knows where long tracks were left.
  ///   - saving: Saves the session; `nil` if it is never saved.
  ///   - output: The output of the engine, for the choice of a device. `hear` is to be called when `devices` has changed.
  ///   - now: The clock (CLOCK_MONOTONIC).
  ///   - timeOfDay: The clock of the alarm, in seconds since 1970.
  public init(
    engine: any PlayerEngine, locations: [MediaLocation], loaded: BytePath? = nil, hasFailures: Bool = false,
    desk: Desk? = nil, listening: ListeningLog? = nil, saving: SessionSaving? = nil, output: (any AudioOutput)? = nil,
    now: @escaping () -> MonotonicTime = { .now }, timeOfDay: @escaping () -> Int = { AlarmClock.now }
  ) {
    (self.engine, self.desk, self.listening, self.saving, self.now) = (engine, desk, listening, saving, now)
    timers = SessionTimers(timeOfDay: timeOfDay)
    chooser = OutputChooser(output)
    progress.hasFailures = hasFailures
    feed.load(locations)
    feed.file = loaded
  }

  /// The entries in their order, and the modes.
  public var queue: PlayQueue { feed.queue }

  public var outputs: OutputList { chooser.list }

  /// True while a track plays, or waits for bytes.
  public var isPlaying: Bool { [.playing, .waiting].contains(engine.snapshot.state) }

  /// Adds an observer and shows it the queue and the settings.
  public func add(_ observer: any PlayerObserver) {
    observers.append(observer)
    observer.show(queue)
    observer.show(settings)
    observer.show(.outputs(outputs))
    observer.show(.timers(timers.texts))
    for sentence in progress.firstSentences ?? [] { observer.say(sentence.text, isLogged: sentence.isLogged) }
  }

  /// The frames that were heard last, at most that number: see `PlaybackEngine.heard`.
  public func heard(frameCount: Int) -> HeardSound? { engine.heard(frameCount: frameCount) }

  /// The level of each channel now: see `PlaybackEngine.levels`.
  public var levels: [AudioLevel] { heard(frameCount: HeardSound.meterFrameCount)?.latestLevels ?? [] }

  // MARK: Commands

  /// Obeys a command and answers when it took effect. Sentences about it go into the answer instead of to the
  /// observers.
  ///
  /// Commands that move playback are answered when the track or the seek target can be heard, or cannot; commands about
  /// files when the files were read or written; all others when the engine has obeyed. `answer` is called within
  /// `hear`, `turn` or this call.
  public func perform(_ command: Command, _ answer: @escaping (CommandAnswer) -> Void) {
    let number = pending.nextNumber
    pending.beginWitness(queue)
    obey(command, request: number)
    let heard = pending.endWitness(queue)
    let isOver = heard.isRefused || ending != nil
    pending.add(isOver ? .nothing : command.wait(hasFiles: desk != nil, engine.mark), heard, answer)
    answerPending()
  }

  public func perform(_ command: Command) { obey(command, request: nil) }

  private func obey(_ command: Command, request: Int?) {
    switch command {
    case .playback(.seek), .playback(.seekBy), .seekToPercent, .seekChapter, .goLive: seek(command)
    case .playback(let command): engine.send(command)
    case .play(let id): if let index = queue.index(of: id) { play(feed.select(index: index)) }
    case .playFromStart: play(feed.selectCurrent(playing: playing) ?? feed.next(), from: 0)
    case .resume: start(or: .resume)
    case .togglePause: start(or: .togglePause)
    case .next: play(feed.next())
    case .previous: play(feed.previous())
    case .changeVolume(let change): setVolume(volume + change)
    case .setVolume(let value): setVolume(value)
    case .toggleMute: setMuted(!isMuted)
    case .showOutputs: say(outputs.sentence)
    case .setOutput(let words): setOutput(words)
    case .sleep(let request): sayTimers(timers.handle(request, now: now()))
    case .alarm(let request): sayTimers(timers.handle(request))
    case .changeSound(.removeEffect(let number)) where number > settings.sound.effects.effects.count:
      refuse("there is no effect \(number): effect list shows them")
    case .changeSound(let change): changeSettings(sending: change.setting) { $0.apply(change) }
    case .set(let setting, let value): set(setting, to: value)
    case .setSession(let request): changeSession(request)
    case .showSession: say(engine.snapshot.session.sentence(engine.snapshot.others.ducking))
    case .showSetting(let setting): say(settings.sentence(on: setting))
    case .toggleShuffle: changeModes { $0.isShuffled.toggle() }
    case .setShuffle(let isOn): changeModes { $0.isShuffled = isOn }
    case .cycleRepeat: changeModes { $0.repeatMode = $0.repeatMode.following }
    case .toggleRepeatOne: changeModes { $0.repeatMode = $0.repeatMode == .one ? .off : .one }
    case .setRepeat(let mode): changeModes { $0.repeatMode = mode }
    case .stopAfter(let point): changeModes { $0.stopPoint = point ?? ($0.stopPoint == .none ? .track : .none) }
    case .edit(let edit):
      perform(feed.edit(opened: openedIDs) { $0.apply(edit) })
      if case .clear = edit { feed.file = nil }
      if case .choose(_, let id) = edit { readTags(of: [id]) }
    case .undo: restoreList(orRefuse: "nothing to undo") { $0.undo(playing: playing?.id, opened: openedIDs) }
    case .redo: restoreList(orRefuse: "nothing to redo") { $0.redo(playing: playing?.id, opened: openedIDs) }
    case .detach: if let refusal = leaveTerminal() { refuse(refusal) }
    case .quit(let savesSession):
      ending = .done
      progress.isSaved = savesSession
    case .find(let names, _, _) where names.isEmpty: refuse("no file or address is named")
    case .find(let names, let destination, let folder): ask(.find(names, destination, in: folder), request)
    case .collect(let paths, let destination): ask(.collect(paths, destination), request)
    case .save(let name, let replacesOther, let folder):
      ask(.save(queue.entries, name, replacesOther: replacesOther, in: folder, loaded: feed.file), request)
    case .library where desk?.hasLibrary != true: refuse("there is no library without a home folder")
    case .library(let change):
      do throws(LibraryRequest.Refusal) {
        let whole = try change.completed(queue: queue, current: engine.snapshot.entry ?? queue.current)
        ask(.library(whole, loaded: feed.file), request)
      } catch { refuse(error.text) }
    case .shiftLyrics(let shift):
      guard let entry = engine.snapshot.entry else { return refuse("no track is loaded") }
      ask(.shiftLyrics(shift, LyricsInquiry(entry, engine.snapshot.information)), request)
    case .ask(.remember(let line)) where Setting.secret.contains(where: { line.contains($0.rawValue) }): break
    case .ask(let inquiry): ask(inquiry, request)
    }
  }

  private func ask(_ inquiry: Inquiry, _ request: Int? = nil) { desk?.ask(inquiry, from: .session(request: request)) }

  private func readTags(of ids: [QueueEntry.ID]) { ask(.facts(queue.entries.with(ids))) }

  /// Answers the commands that took effect.
  private func answerPending() {
    for (answer, result) in pending.take(engine.snapshot) { answer(result) }
  }

  /// Ends the session, unless it has ended already.
  public func end(_ new: Ending) { ending = ending ?? new }

  private func start(or command: PlaybackCommand) {
    if engine.snapshot.state == .stopped { play(feed.selectCurrent() ?? feed.next()) } else { engine.send(command) }
  }

  /// Plays an entry, or reports that there is none. Without a place in seconds, a long track continues where it was left.
  func play(_ entry: QueueEntry?, from seconds: Double? = nil) {
    guard let entry else { return refuse("no more tracks") }
    let start = seconds ?? listening?.start(of: entry.location) ?? 0
    engine.send(.play(entry, from: start))
    pending.startMark = engine.mark()
    let isContinued = seconds == nil && start > 0
    if isContinued { say("continued at \(timeText(start)); restart plays from the start") }
  }

  private func seek(_ command: Command) {
    let isStarting = engine.markReached < pending.startMark
    switch engine.snapshot.seek(for: command, isStarting: isStarting, at: now()) {
    case .success(let seek): engine.send(seek)
    case .failure(let refusal): refuse(refusal.text)
    }
  }

  // MARK: The queue

  /// The entry that plays, waits or is paused.
  private var playing: QueueEntry? { engine.snapshot.state == .stopped ? nil : engine.snapshot.entry }

  private var openedIDs: [QueueEntry.ID] { engine.snapshot.openedIDs }

  public func changeModes(_ change: (inout PlayQueue) -> Void) { perform(feed.changeModes(opened: openedIDs, change)) }

  /// Makes an entry the current one.
  func select(place: Int) -> QueueEntry? { feed.select(index: place) }

  private func restoreList(orRefuse text: String, _ restore: (inout QueueFeed) -> [QueueFeed.Effect]?) {
    let old = queue.entries
    guard let effects = restore(&feed) else { return refuse(text) }
    // The list of another file, such as the one before `load`.
    if Set(old.lazy.map(\.id)).isDisjoint(with: queue.entries.lazy.map(\.id)) { feed.file = nil }
    perform(effects)
  }

  private func perform(_ effects: [QueueFeed.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let command): engine.send(command)
      case .showQueue: notify { $0.show(queue) }
      case .readTags(let ids): readTags(of: ids)
      case .stopped(let point): progress.stop(at: point)
      }
    }
  }

  /// Adds media that were found.
  func add(_ locations: [MediaLocation], _ destination: Command.Destination) {
    guard !locations.isEmpty else { return }
    var first: QueueEntry?
    perform(feed.edit(opened: openedIDs) { first = $0.add(locations, destination) })
    if let first { perform(.play(first.id)) }
    if case .turn = destination { say("\(counted(locations.count, "track")) added") }
  }

  // MARK: Volume and settings

  /// Sets the volume, limited to 0...1.
  func setVolume(_ value: Double) {
    volume = max(0, min(1, value))
    chooser.volumes.noteVolumeSet()
    engine.send(.setVolume(volume))
  }

  func setMuted(_ value: Bool) {
    isMuted = value
    engine.send(.setMuted(value))
  }

  private func setOutput(_ words: String) {
    do throws(OutputList.Refusal) {
      let device = try outputs.device(named: words)
      set(.output, to: device?.device ?? Settings.standardOutput)
      say("output: \(device?.description ?? "the default of the sound server")")
    } catch { refuse(error.text) }
  }

  private func set(_ setting: Setting, to value: String) {
    // Command lines and the history are no places for it.
    if Setting.secret.contains(setting) { return refuse("\(setting.rawValue) can only be set in the file config") }
    var new = settings
    if let refusal = new.set(setting, to: value) { return refuse(refusal) }
    changeSettings(sending: setting) { $0 = new }
  }

  private func changeSettings(sending setting: Setting, _ change: (inout Settings) -> Void) {
    change(&known.settings)
    send(setting)
    notify { $0.show(settings) }
  }

  /// Takes the settings of the files. Changes of the sound by hand stay, unless the files have a new value.
  ///
  /// - Parameter changes: Changes that were saved with the session before.
  public func adopt(_ files: Settings, changes: [SettingChange]? = nil) {
    let (changed, problems) = known.adopt(files, changes: changes)
    for setting in changed { send(setting) }
    notify { $0.show(settings) }
    for problem in problems { say(problem) }
  }

  /// The engine refuses the same; here the refusal is the answer to the command.
  private func changeSession(_ request: AudioSessionRequest) {
    let snapshot = engine.snapshot
    var session = snapshot.session
    do throws(AudioSessionError) {
      try session.apply(request, isRunning: [.playing, .waiting].contains(snapshot.state))
      engine.send(.setSession(request))
      say(session.sentence(engine.snapshot.others.ducking))
    } catch { refuse(error.reason) }
  }

  private func send(_ setting: Setting) {
    if let command = settings.command(for: setting) { engine.send(command) }
    switch setting {
    case .session: saving?.keep(settings.session)
    case .output:
      chooser.choose(settings.output)
      refreshOutputs()
    case .measureGain: ask(.measureLoudness(settings.measureGain))
    default: break
    }
  }

  // MARK: Events

  /// Takes the events of the engine and shows them.
  public func hear() {
    progress.firstSentences = nil
    // Before the snapshot, which has at least the effects up to there.
    pending.markReached = engine.markReached
    let notices = engine.takeNotices()
    let snapshot = engine.snapshot
    perform(feed.handle(notices, opened: snapshot.openedIDs))
    for notice in notices { hear(notice, snapshot) }
    refreshOutputs()
    let shown = progress.shown(snapshot, notices)
    notify { $0.show(shown.snapshot, shown.notices) }
    answerPending()
  }

  private func refreshOutputs() {
    let news = chooser.refresh(engine.snapshot, chosen: settings.output, volume: volume)
    if news.isOther { notify { $0.show(.outputs(outputs)) } }
    if let volume = news.volume { setVolume(volume) }
    for sentence in news.sentences { say(sentence, isLogged: true) }
  }

  private func hear(_ notice: PlaybackNotice, _ snapshot: PlaybackSnapshot) {
    let end = progress.follow(notice, isStopped: snapshot.state == .stopped, endsWithQueue: endsWithQueue)
    ending = ending ?? end
    switch notice {
    case .outputFailed(let error) where end == .couldNotStart: startFailure = startFailure ?? error
    case .trackFailed, .trackDamaged, .outputFailed, .soundUnchanged: notify { $0.report(notice) }
    case .volumeChanged(let value): volume = value
    case .muteChanged(let value): isMuted = value
    case .slowedToLive:
      known.settings.speed = 1
      notify { $0.show(settings) }
    default: break
    }
  }

  /// Silences the engine before the process stops, and shows the pause. Waits at most two seconds.
  public func suspend() {
    engine.send(.interruptionBegan(.appWasSuspended, from: .terminal))
    // Usually milliseconds, on a busy machine sometimes more than 200. A process that is stopped earlier would leave
    // the server playing, without a notice of the pause.
    engine.settle(within: .seconds(2))
    hear()
  }

  /// Resumes after `suspend` if it was playing.
  public func resume() { engine.send(.interruptionEnded(from: .terminal, shouldResume: true)) }

  // MARK: Observers

  private func notify(_ show: (any PlayerObserver) -> Void) { for observer in observers { show(observer) } }

  /// Shows the listener a sentence.
  public func say(_ text: String, isLogged: Bool = false) {
    if pending.note(text) { return }
    progress.firstSentences?.append((text, isLogged))
    notify { $0.say(text, isLogged: isLogged) }
  }

  private func sayTimers(_ text: String?, isLogged: Bool = false) {
    notify { $0.show(.timers(timers.texts)) }
    if let text { say(text, isLogged: isLogged) }
  }

  /// Shows the reason why a command has no effect.
  public func refuse(_ text: String) {
    pending.witness?.isRefused = true
    say(text)
  }

  // MARK: Files and the saved session

  /// Takes the results of file requests and saves the session when it is due. Once per turn of the loop.
  public func turn() {
    for (asker, answer) in desk?.take(forClients: false) ?? [] {
      let request = if case .session(let request) = asker, answer.endsAct { request } else { Int?.none }
      if request != nil { pending.beginWitness(queue) }
      take(answer)
      guard let request else { continue }
      let heard = pending.endWitness(queue)
      // Changes of the queue by clients are shown on the screen, too.
      if !heard.isRefused { for text in heard.sentences { say(text) } }
      pending.finishFiles(of: request, heard, mark: engine.mark())
      answerPending()
    }
    for (sentence, commands) in timers.takeDue(now: now(), engine.snapshot, isMuted: isMuted) {
      for command in commands { perform(command) }
      sayTimers(sentence, isLogged: true)
    }
    saving?.note(isPlaying: isPlaying, record, queue)
  }

  private func take(_ answer: Answer) {
    switch answer {
    case .said(let text): say(text, isLogged: true)
    case .acted(.refused(let reason)):
      pending.witness?.isRefused = true
      say(reason, isLogged: true)
    case .acted(.done(let text)), .acted(.added(_, let text)): if let text { say(text, isLogged: true) }
    case .saved(let path, let count):
      feed.file = path
      say("\(counted(count, "track", grouped)) written to \(path)", isLogged: true)
    case .sessionNotSaved(let reason): if let text = saving?.noteFailure(reason) { say(text, isLogged: true) }
    case .collected(let collection, let destination, let paths):
      if destination == .whole, !collection.entries.isEmpty { feed.file = paths.count == 1 ? paths.first : nil }
      add(collection.entries.map(\.location), destination)
      for failure in collection.failures {
        pending.witness?.sentences.append(failure.description)
        notify { $0.complain(failure) }
      }
      if collection.entries.isEmpty { pending.witness?.isRefused = true }
    default:
      notify { $0.show(answer) }
      if case .facts(let facts, let id) = answer { perform(feed.note(facts, of: id, opened: openedIDs)) }
      if case .lyrics(LyricsFiles(), let id) = answer { askForOnlineLyrics(of: id) }
    }
  }

  /// Asks the service for lyrics that no file has, if the listener wants that.
  private func askForOnlineLyrics(of id: QueueEntry.ID) {
    guard let entry = engine.snapshot.entry, entry.id == id, let service = settings.lyricsServer else { return }
    ask(.onlineLyrics(LyricsInquiry(entry, engine.snapshot.information), from: service))
  }

  /// The time of the alarm, in seconds since 1970 (CLOCK_REALTIME), for a `turn`; `nil` while it is off.
  public var alarmTime: Int? { timers.alarmTime }

  /// The time for the next `turn` even if nothing happens.
  public var deadline: MonotonicTime? { [saving?.deadline, timers.deadline].compactMap(\.self).min() }

  /// Starts to save the session, while the setting `session` is on.
  ///
  /// - Parameter continued: The saved queue that the session began with; `none` if it began with another one.
  public func startSaving(continuing continued: SessionFiles.QueueVersion) {
    saving?.start(continuing: continued, settings.session)
  }

  /// Saves the session for the next start, or removes its files. Returns the reason if it was not saved.
  public func finish() -> ByteIOError? {
    saving?.finish(record, queue, saves: progress.isSaved)
  }
}

extension [QueueEntry] {
  /// The entries with these ids.
  fileprivate func with(_ ids: [QueueEntry.ID]) -> [QueueEntry] {
    var wanted = Set(ids)
    // The entries are often at the beginning of a long list.
    return lazy.prefix { _ in !wanted.isEmpty }.filter { wanted.remove($0.id) != nil }
  }
}
