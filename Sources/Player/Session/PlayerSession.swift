public import AudioModel
public import AudioOutput
internal import AudioSession
public import ByteIO
public import Commands
public import Desk
public import Playback
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
    case couldNotStart = 1
    /// No input could be played.
    case nothingPlayable = 2
    /// Some inputs could not be played.
    case someFailed = 3
    /// A signal has ended the program.
    case signalled = 4
  }

  public private(set) var ending: Ending?
  /// The reason of `couldNotStart`, to be printed after the screen is gone.
  public private(set) var startFailure: AudioOutputError?
  public var endsWithQueue = true
  /// Gives the terminal back, or returns the reason why that is not possible.
  public var leaveTerminal: () -> String? = { "there is no screen" }
  /// The place of the screen, saved with the session.
  public var place = FacePlace()

  let engine: any PlayerEngine
  private let desk: Desk?
  let now: () -> MonotonicTime
  let sessionQueue: SessionQueue
  let sessionSettings: SessionSettings
  private let observers = SessionObservers()
  private let saving: SessionSaving?
  private var progress = SessionProgress()
  private var pending = PendingCommands()
  private var timers: SessionTimers

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
    (self.engine, self.desk, self.saving, self.now) = (engine, desk, saving, now)
    sessionQueue = SessionQueue(locations, loaded: loaded, engine, desk, listening, observers, now: now)
    sessionSettings = SessionSettings(engine, output, desk, saving, observers)
    timers = SessionTimers(timeOfDay: timeOfDay)
    progress.hasFailures = hasFailures
  }

  /// The entries in their order, and the modes.
  public var queue: PlayQueue { sessionQueue.list }

  /// The settings that are in effect.
  public var settings: Settings { sessionSettings.current }

  /// 0...1.
  public var volume: Double { sessionSettings.volume }

  public var isMuted: Bool { sessionSettings.isMuted }

  public var outputs: OutputList { sessionSettings.outputs }

  /// The address of the page for browsers; `nil` while there is none.
  package var page: String? { didSet { observers.notify { $0.show(.page(page)) } } }

  /// True while a track plays, or waits for bytes.
  public var isPlaying: Bool { [.playing, .waiting].contains(engine.snapshot.state) }

  /// Adds an observer and shows it the queue and the settings.
  public func add(_ observer: any PlayerObserver) {
    observers.add(observer) {
      $0.show(queue)
      $0.show(settings)
      $0.show(.outputs(outputs))
      $0.show(.timers(timers.texts))
      $0.show(.page(page))
    }
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
    let command = meant(command)
    let number = pending.nextNumber
    let effects = witness { obey(command, request: number) }
    let isOver = effects.isRefused || ending != nil
    pending.add(isOver ? .nothing : .end(of: command, hasFiles: desk != nil, engine.mark), effects, answer)
    answerPending()
  }

  /// The effects of what `body` does.
  private func witness(_ body: () -> Void) -> CommandWitness {
    let first = queue.nextID
    var effects = observers.effects(of: body)
    effects.added = first..<max(first, queue.nextID)
    return effects
  }

  public func perform(_ command: Command) { obey(meant(command), request: nil) }

  /// `undo` is for the last change, which may be one of the library. `play 3` is for the third row of the queue, if it has
  /// as many.
  private func meant(_ command: Command) -> Command {
    switch command {
    case .undo where sessionQueue.isLibraryChangedLast: return .library(.undo)
    case .find(let names, .list(from: 0, at: nil), _):
      // `007` is a name.
      guard let row = Int(names.text), String(row) == names.text, row >= 1, row <= queue.entries.count
      else { return command }
      return .play(queue.entries[row - 1].id)
    default: return command
    }
  }

  private func obey(_ command: Command, request: Int?) {
    switch command {
    case .playback(.seek), .playback(.seekBy), .seekToPercent, .seekChapter, .goLive: seek(command)
    case .playback(let command): engine.send(command)
    case .play(let id): sessionQueue.play(id)
    case .playFromStart: sessionQueue.playFromStart()
    case .resume: sessionQueue.start(or: .resume)
    case .togglePause: sessionQueue.start(or: .togglePause)
    case .next: sessionQueue.next()
    case .previous: sessionQueue.previous()
    case .changeVolume(let change): sessionSettings.setVolume(volume + change)
    case .setVolume(let value): sessionSettings.setVolume(value)
    case .showVolume: say("volume is \(Int((volume * 100).rounded()))%" + (isMuted ? ", muted" : ""))
    case .toggleMute: sessionSettings.setMuted(!isMuted)
    case .showOutputs: say(outputs.sentence)
    case .setOutput(let words): sessionSettings.setOutput(words)
    case .sleep(.chapter):
      let snapshot = engine.snapshot
      guard snapshot.state != .stopped else { return refuse("no track is loaded") }
      let sentence = timers.sleepAtChapter(snapshot, now: now())
      if sentence == nil { changeModes { $0.stopPoint = .track } }
      sayTimers(sentence ?? "no chapter follows: stops after this track")
    case .sleep(let request): sayTimers(timers.handle(request, now: now()))
    case .alarm(let request): sayTimers(timers.handle(request))
    case .changeSound(let change): sessionSettings.apply(change)
    case .set(let setting, let value): sessionSettings.set(setting, to: value)
    case .setSession(let request): changeSession(request)
    case .showSession: say(engine.snapshot.session.sentence(engine.snapshot.others.ducking))
    case .showSetting(let setting): say(settings.sentence(on: setting))
    case .toggleShuffle: changeModes { $0.isShuffled.toggle() }
    case .setShuffle(let isOn): changeModes { $0.isShuffled = isOn }
    case .cycleRepeat:
      changeModes { $0.repeatMode = $0.repeatMode == .off ? .all : $0.repeatMode == .all ? .one : .off }
    case .toggleRepeatOne: changeModes { $0.repeatMode = $0.repeatMode == .one ? .off : .one }
    case .setRepeat(let mode): changeModes { $0.repeatMode = mode }
    case .stopAfter(let point): changeModes { $0.stopPoint = point ?? ($0.stopPoint == .none ? .track : .none) }
    case .consume(let mode): changeModes { $0.consumption = mode ?? ($0.consumption == .off ? .on : .off) }
    case .edit(let edit): sessionQueue.edit(edit)
    case .undo: sessionQueue.undo()
    case .redo: sessionQueue.redo()
    case .detach: if let refusal = leaveTerminal() { refuse(refusal) }
    case .quit(let savesSession):
      ending = .done
      progress.isSaved = savesSession
    case .find(let names, _, _) where names.isEmpty: refuse("no file or address is named")
    case .find(let names, let destination, let folder): ask(.find(names, destination, in: folder), request)
    case .collect(let paths, let destination): ask(.collect(paths, destination), request)
    case .save(let name, let replacesOther, let folder):
      ask(.save(queue.entries, name, replacesOther: replacesOther, in: folder, loaded: sessionQueue.file), request)
    case .library where desk?.hasLibrary != true: refuse("there is no library without a home folder")
    case .library(let change):
      do throws(LibraryRequest.Refusal) {
        let whole = try change.completed(queue: queue, current: engine.snapshot.entry ?? queue.current)
        sessionQueue.noteLibraryChange(change.undoStep)
        ask(.library(whole, loaded: sessionQueue.file), request)
      } catch { refuse(error.text) }
    case .shiftLyrics(let shift):
      guard let entry = engine.snapshot.entry else { return refuse("no track is loaded") }
      ask(.shiftLyrics(shift, LyricsInquiry(entry, engine.snapshot.information)), request)
    case .ask(.remember(let line)) where Setting.secret.contains(where: { line.contains($0.rawValue) }): break
    case .ask(let inquiry): ask(inquiry, request)
    }
  }

  private func ask(_ inquiry: Inquiry, _ request: Int? = nil) { desk?.ask(inquiry, from: .session(request: request)) }

  /// Answers the commands that took effect.
  private func answerPending() {
    for (answer, result) in pending.take(engine.snapshot) { answer(result) }
  }

  /// Ends the session, unless it has ended already.
  public func end(_ new: Ending) { ending = ending ?? new }

  private func seek(_ command: Command) {
    let snapshot = engine.snapshot
    if case .playback(.seek(to: let seconds)) = command,
      snapshot.refusal(ofSeekTo: seconds, at: snapshot.position(at: now())) != nil
    {
      engine.lookForGrowth(within: .milliseconds(250))
    }
    switch engine.snapshot.seek(for: command, isStarting: sessionQueue.isStarting, at: now()) {
    case .success(let seek):
      timers.noteMove()
      engine.send(seek)
    case .failure(let refusal): refuse(refusal.text)
    }
  }

  public func changeModes(_ change: (inout PlayQueue) -> Void) { sessionQueue.changeModes(change) }

  /// Takes the settings of the files. Changes of the sound by hand stay, unless the files have a new value.
  ///
  /// - Parameter changes: Changes that were saved with the session before.
  public func adopt(_ files: Settings, changes: [SettingChange]? = nil) {
    sessionSettings.adopt(files, changes: changes)
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

  // MARK: Events

  /// Takes the events of the engine and shows them.
  public func hear() {
    observers.beginTurn()
    // Before the snapshot, which has at least the effects up to there.
    pending.markReached = engine.markReached
    let notices = engine.takeNotices()
    let snapshot = engine.snapshot
    let (stop, failure) = sessionQueue.hear(notices, snapshot)
    if let stop { progress.stop(at: stop) }
    if let failure { pending.refusePlayback(failure) }
    for notice in notices { hear(notice, snapshot, goesOn: failure != nil || sessionQueue.isTrying) }
    sessionSettings.refreshOutputs()
    let shown = progress.shown(snapshot, notices)
    observers.notify { $0.show(shown.snapshot, shown.notices) }
    answerPending()
  }

  /// - Parameter goesOn: True if a stop is not the end of the queue: another choice, or what played before, plays.
  private func hear(_ notice: PlaybackNotice, _ snapshot: PlaybackSnapshot, goesOn: Bool) {
    let endsWithQueue = endsWithQueue && !goesOn
    let end = progress.follow(notice, isStopped: snapshot.state == .stopped, endsWithQueue: endsWithQueue)
    ending = ending ?? end
    // A loop seeks by itself; a track may begin again.
    switch notice {
    case .seeked, .trackBegan: timers.noteMove()
    default: break
    }
    switch notice {
    case .outputFailed(let error) where end == .couldNotStart: startFailure = startFailure ?? error
    case .trackFailed, .trackDamaged, .outputFailed, .soundUnchanged: observers.notify { $0.report(notice) }
    default: sessionSettings.hear(notice)
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

  /// Shows the listener a sentence.
  public func say(_ text: String, isLogged: Bool = false) { observers.say(text, isLogged: isLogged) }

  /// Adds a line to the event log.
  public func log(_ text: String) { observers.notify { $0.show(PlayerNews.log(text)) } }

  /// Shows the reason why a command has no effect.
  public func refuse(_ text: String) { observers.refuse(text) }

  private func sayTimers(_ text: String?, isLogged: Bool = false) {
    observers.notify { $0.show(.timers(timers.texts)) }
    if let text { say(text, isLogged: isLogged) }
  }

  // MARK: Files and the saved session

  /// Takes the results of file requests and saves the session when it is due. Once per turn of the loop.
  public func turn() {
    for (asker, answer) in desk?.take(forClients: false) ?? [] {
      guard case .session(let request?) = asker, answer.endsAct else {
        take(answer)
        continue
      }
      let effects = witness { take(answer) }
      // Changes of the queue by clients are shown on the screen, too.
      if !effects.isRefused { for text in effects.sentences { say(text) } }
      pending.finishFiles(of: request, effects, mark: engine.mark())
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
      sessionQueue.noteAnswer(isRefused: true)
      observers.refuse(reason, isLogged: true)
    case .acted(.done(let text)), .acted(.added(_, let text)):
      sessionQueue.noteAnswer(isRefused: false)
      if let text { say(text, isLogged: true) }
    case .saved(let path, let count):
      sessionQueue.file = path
      say("\(counted(count, "track", grouped)) written to \(path)", isLogged: true)
    case .sessionNotSaved(let reason): if let text = saving?.noteFailure(reason) { say(text, isLogged: true) }
    case .collected(let collection, let destination, let paths):
      let locations = collection.entries.map(\.location)
      let start = destination.start(in: locations, from: paths)
      let bookmark = settings.resume == nil || start.seconds != nil ? nil : collection.bookmark
      sessionQueue.add(
        locations, destination, from: start.place, at: start.seconds, bookmark: bookmark, match: collection.match)
      if destination.replacesQueue, !locations.isEmpty { sessionQueue.file = paths.count == 1 ? paths.first : nil }
      observers.complain(collection.failures, isRefused: collection.entries.isEmpty)
    default:
      observers.notify { $0.show(answer) }
      if case .facts(let facts, let id) = answer { sessionQueue.note(facts, of: id) }
      if case .lyrics(LyricsFiles(), let id) = answer { askForOnlineLyrics(of: id) }
    }
  }

  /// Asks for lyrics that no file has: the server of the track, and the service if the listener wants that.
  private func askForOnlineLyrics(of id: QueueEntry.ID) {
    guard let entry = engine.snapshot.entry, entry.id == id else { return }
    let service = settings.lyricsServer
    guard service != nil || entry.location.libraryPath?.isOnServer == true else { return }
    ask(.onlineLyrics(LyricsInquiry(entry, engine.snapshot.information), from: service))
  }

  /// The time of the alarm, in seconds since 1970 (CLOCK_REALTIME), for a `turn`; `nil` while it is off.
  public var alarmTime: Int? { timers.alarmTime }

  /// The time for the next `turn` even if nothing happens.
  public var deadline: MonotonicTime? {
    [saving?.deadline, timers.deadline(engine.snapshot, now: now())].compactMap(\.self).min()
  }

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

extension Command.Destination {
  /// The index of the media that play first, and seconds into them.
  fileprivate func start(in locations: [MediaLocation], from paths: [BytePath]) -> (place: Int, seconds: Double?) {
    guard case .list(let row, let seconds) = self, paths.indices.contains(row) else { return (0, nil) }
    // Some may be missing, or a playlist of many.
    let place = locations.count == paths.count ? row : locations.firstIndex { $0.written == paths[row] }
    return place.map { ($0, seconds) } ?? (0, nil)
  }
}
