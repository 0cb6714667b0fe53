internal import ByteIO
internal import Library
internal import NCursesTerminal
internal import Playback
internal import Streaming
internal import TerminalUI

/// A run of the player with a screen: what the screen asks for that is not the session's own, and what comes of it.
final class ScreenRun {
  private let session: PlayerSession
  private let facts: FactsReader
  private let folders: UserFolders
  private let files: ConfigurationFiles
  private let signals: SignalDescriptor
  private let bell: WakeDescriptor
  /// The terminal, as something to read from.
  private let keys: CInt
  private let worker: DiskWorker
  private let waveforms: WaveformReader
  private let network: Network
  private var keeper: SessionKeeper?
  private var face: ScreenFace?
  private var wantsSuspension = false
  private var hasSaidSessionFailed = false
  /// The file that the queue was loaded from, or saved to.
  private var playlist: BytePath?
  /// Whether the queue of the last session is not that of this one.
  private var keepsOldQueue = false
  /// What the files of settings said last.
  private var settingsRead: (configuration: Configuration, errors: [ConfigurationError])?

  init(
    session: PlayerSession, facts: FactsReader, folders: UserFolders, files: ConfigurationFiles,
    outside: OutsideFiles?, collector: MediaCollector, network: Network, signals: SignalDescriptor,
    bell: WakeDescriptor, keys: CInt
  ) {
    (self.session, self.facts, self.folders, self.files) = (session, facts, folders, files)
    (self.network, self.signals, self.bell, self.keys) = (network, signals, bell, keys)
    worker = DiskWorker(folders: folders, outside: outside, collector: collector) { bell.ring() }
    let cache = StreamOptions.cacheFolder.map { WaveformCache(folder: $0.appending(BytePath("waveforms"))) }
    waveforms = WaveformReader(cache: cache, network: network) { bell.ring() }
  }

  /// Runs until the session has ended; `nil` where the terminal cannot have a screen: it still shows lines.
  func run(
    _ start: Start, _ configuration: Configuration, _ errors: [ConfigurationError]
  ) -> PlayerSession.Ending? {
    let face: ScreenFace
    do throws(TerminalError) {
      face = try ScreenFace(configuration, keys: keys) { [unowned self] in perform($0) }
    } catch { return nil }
    self.face = face
    settingsRead = (configuration, errors)
    if let record = start.record { restoreSound(record.changes) }
    session.face = face
    face.show(session.queue)
    if start.isContinued, let record = start.record {
      face.restore(record.view, selected: record.selected)
    } else if start.locations.isEmpty {
      face.restore(.files, selected: 0)
    }
    for failure in start.failures { face.complain(failure) }
    for complaint in start.complaints { complain(complaint) }
    face.complain(errors)
    playlist = start.onlyInput
    keepsOldQueue = !start.isContinued || start.files == nil
    keepSession(start.files != nil)
    let ending = loop(face).run()
    // The screen first: a disk may be slow.
    let record = record
    face.close()
    if let error = keeper?.finish(record, session, saves: session.isToBeSaved) {
      report("the session could not be saved", error)
    }
    return ending
  }

  private func loop(_ face: ScreenFace) -> PlayerLoop {
    var loop = PlayerLoop(session: session, face: face, signals: signals, bell: bell) { [unowned self] in turn($0) }
    loop.deadline = { [unowned self] in keeper?.deadline }
    guard let folder = files.folder else { return loop }
    let watched = [folder, folder.appending(BytePath("themes"))] + [files.file?.parent].compactMap(\.self)
    if let watch = ConfigurationWatch(folders: watched) {
      loop.watch = (
        watch.descriptor,
        { [unowned self] in if watch.takeChanges() { reload() } }
      )
    }
    return loop
  }

  private func turn(_ loop: PlayerLoop) {
    for (id, facts) in facts.take() { face?.show(facts, of: id) }
    if let (id, waveform) = waveforms.take() { face?.show(waveform, of: id) }
    for finding in worker.take() { show(finding) }
    if wantsSuspension {
      wantsSuspension = false
      loop.suspend()
    }
    keeper?.note(record, session)
  }

  /// What is to come back some day.
  private var record: SessionRecord {
    var record = session.record
    if let place = face?.place { (record.view, record.selected) = (place.view, place.row) }
    if let face, let settingsRead { record.changes = face.configuration.soundChanges(from: settingsRead.configuration) }
    return record
  }

  // MARK: What the screen asks for

  private func perform(_ command: Command) {
    switch command {
    case .requestFacts(let ids): facts.request(session.entries(ids))
    case .requestWaveform(let id): session.entries([id]).first.map(waveforms.request)
    case .editStreams(let edit): if let state = folders.state { worker.request(.editStreams(edit, state)) }
    case .listFolder(let path): worker.request(.list(path))
    case .complete(let beginning, let onlyFolders, let folder):
      worker.request(.complete(beginning, onlyFolders: onlyFolders, in: folder))
    case .collect(let paths, let destination): worker.request(.collect(paths, destination))
    case .find(let names, let destination, let folder): worker.request(.find(names, destination, in: folder))
    case .save(let name, let replacesOther, let folder):
      let path = folders.expanded(name)
      worker.request(
        .save(
          session.queue.entries, folder.map { $0.appending(path) } ?? path,
          over: replacesOther ? .anyPlaylist : .only(playlist)))
    case .edit(.clear):
      playlist = nil
      session.perform(command)
    case .recallHistory: if let history { worker.request(.recallHistory(history)) }
    case .remember(let line): if let history { worker.request(.remember(line, history)) }
    case .configure(let configuration):
      face?.adopt(configuration)
      session.setSound(configuration.settings.sound, speed: configuration.settings.speed)
      session.setCrossfade(configuration.settings.crossfade)
      session.setTimeShift(minutes: configuration.settings.timeshift)
      network.setTryLimit(configuration.settings.reconnects)
      keepSession(configuration.settings.session)
    case .redraw: face?.redraw()
    case .suspend: wantsSuspension = true
    default: session.perform(command)
    }
  }

  private var history: BytePath? { folders.state?.appending(BytePath("history")) }

  // MARK: What has come of it

  private func show(_ finding: DiskWorker.Finding) {
    switch finding {
    case .folder(let contents): face?.show(contents)
    case .completions(let names, let beginning): face?.offer(names, beginning: beginning)
    case .history(let lines): face?.recall(lines)
    case .streams(let list): face?.show(list)
    case .said(let text): complain(text)
    case .saved(let path, let count):
      playlist = path
      complain("\(count) \(count == 1 ? "track" : "tracks") written to \(path)")
    case .collected(let collection, let destination, let paths):
      if destination == .whole, !collection.entries.isEmpty { playlist = paths.count == 1 ? paths.first : nil }
      session.take(collection.entries.map(\.location), destination)
      for failure in collection.failures { face?.complain(failure) }
    case .sessionFailed(let reason):
      // It is tried again every five seconds: said once.
      if !hasSaidSessionFailed { complain("the session cannot be saved: \(reason)") }
      hasSaidSessionFailed = true
    }
  }

  /// Changes of the sound by hand hold until the files of settings say something else.
  private func restoreSound(_ changes: [SettingChange]) {
    guard let face, !changes.isEmpty else { return }
    var configuration = face.configuration
    configuration.restore(changes)
    face.configure(configuration)
    session.setSound(configuration.settings.sound, speed: configuration.settings.speed)
  }

  /// From now on the session is kept, or is not and leaves no trace.
  private func keepSession(_ isKept: Bool) {
    if isKept {
      guard keeper == nil, let folder = folders.state else { return }
      keeper = SessionKeeper(files: SessionFiles(folder: folder), worker: worker, keepsOldQueue: keepsOldQueue)
    } else {
      _ = keeper?.finish(record, session, saves: false)
      keeper = nil
    }
  }

  private func complain(_ text: String) {
    face?.note(text)
    face?.say(text)
  }

  /// The files of settings may have changed: what they say holds, unless something is wrong with them.
  private func reload() {
    let (configuration, errors) = files.read()
    // Other files may lie beside them.
    guard settingsRead.map({ $0 != (configuration, errors) }) ?? true else { return }
    let changes = record.changes
    settingsRead = (configuration, errors)
    if errors.isEmpty {
      face?.configure(configuration)
      restoreSound(changes)
      session.setCrossfade(configuration.settings.crossfade)
      session.setTimeShift(minutes: configuration.settings.timeshift)
      network.setTryLimit(configuration.settings.reconnects)
      keepSession(configuration.settings.session)
      face?.say("settings reloaded")
    } else {
      face?.complain(errors)
    }
  }
}
