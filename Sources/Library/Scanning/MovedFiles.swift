internal import ByteIO
internal import Database

/// Finds the known files that have moved, during one scan. Looks once at each known file, however many new files may be
/// the same one: silent tracks, samples and second copies all have one sound.
final class MovedFiles {
  private let writer: ScanWriter
  /// Known files that are not at their place: they disappeared, or another file is there.
  private var unclaimed: [Int64: KnownFile] = [:]
  /// Known files that have a place: no other file may take them.
  private var claimed: Set<Int64> = []
  /// Known files of an inode that have left, and of a sound. Few files are looked up again instead.
  private var leftOfInode: [Int64: [KnownFile]] = [:]
  private var sounds: [[UInt8]: Sound] = [:]
  private static let fewCount = 8

  /// The known files with one sound.
  private struct Sound {
    var isUnread = true
    var left = SoundMatch()
    /// Perhaps for ever.
    var away = SoundMatch()
    /// Those with a file at their path.
    var there: [FileIdentity: [KnownFile]] = [:]
    /// Files that may be chosen only while no other file has their recording.
    var withoutSuccessor: [Int64: [Int64]] = [:]
  }

  init(_ writer: ScanWriter) { self.writer = writer }

  /// Notes that a known file is not at its place.
  func leave(_ file: KnownFile) throws(DatabaseError) {
    unclaimed[file.id] = file
    leftOfInode[file.stamp.inode]?.append(file)
    guard let key = file.key, sounds[key] != nil, let whole = try writer.file(file.id) else { return }
    try add(whole, to: &sounds[key, default: Sound()])
  }

  /// The files that no file has taken.
  var missing: some Sequence<KnownFile> { unclaimed.values }

  func isClaimed(_ id: Int64) -> Bool { claimed.contains(id) }

  /// Gives a known file the place of `file`. The file that was there before may be found elsewhere.
  func claim(_ known: KnownFile, at file: PendingFile) throws(DatabaseError) {
    claimed.insert(known.id)
    unclaimed[known.id] = nil
    if let key = known.key, sounds[key] != nil { sounds[key]?.left.remove(known.id) }
    noteSuccessor(known.recording, known.key)
    if let other = file.known, !claimed.contains(other.id) { try leave(other) }
  }

  /// Notes that a file has a recording that known files of the same sound may have, too.
  func noteSuccessor(_ recording: Int64?, _ key: [UInt8]?) {
    guard let recording, let key, let others = sounds[key]?.withoutSuccessor.removeValue(forKey: recording) else {
      return
    }
    for id in others {
      sounds[key]?.left.remove(id)
      sounds[key]?.away.remove(id)
    }
  }

  // MARK: By inode

  /// The known file that was renamed or moved to this place on the same disk.
  func file(movedTo file: PendingFile) throws(DatabaseError) -> KnownFile? {
    let stamp = file.file.stamp
    // The same file at the same place was changed.
    if let known = file.known, known.stamp.inode == stamp.inode { return nil }
    if var left = leftOfInode[stamp.inode] {
      // The last one is usually free.
      while let last = left.last, claimed.contains(last.id) { left.removeLast() }
      leftOfInode[stamp.inode] = left
      for old in left.reversed() where !claimed.contains(old.id) {
        if try isSame(old, stamp) { return old }
      }
      return nil
    }
    var left: [KnownFile] = []
    let known = try writer.files(inode: stamp.inode)
    for old in known where try isSame(old, stamp) {
      switch try whereabouts(of: old, onAnyDisk: true) {
      case .left: left.append(old)
      case .there(let found?) where found == stamp.identity:
        // A link leads from its path to the file.
        let place = try writer.place(of: old.id)
        if let place, !Whereabouts.areTwoNames(place.path, file.path) { left.append(old) }
      case .there, .away: break
      }
    }
    if known.count >= Self.fewCount { leftOfInode[stamp.inode] = left }
    return left.first
  }

  private func isSame(_ old: KnownFile, _ stamp: FileStamp) throws(DatabaseError) -> Bool {
    guard old.stamp.isSameFile(as: stamp) else { return false }
    return try writer.isCurrent(old)
  }

  // MARK: By sound

  /// The known file with the same audio that has moved here, and the one that is away, perhaps for ever. Of several,
  /// the one with the same title and album, or the same name. If several remain, none is chosen: they stay as they are.
  func files(
    withSoundOf file: PendingFile, _ facts: FileFacts
  ) throws(DatabaseError) -> (moved: KnownFile?, away: KnownFile?) {
    guard let key = facts.key, try writer.hasKnownFiles() else { return (nil, nil) }
    // Taken out, so that changing it copies nothing.
    var (sound, isLarge) = (sounds.removeValue(forKey: key) ?? Sound(), true)
    if sound.isUnread {
      let known = try writer.files(key: key)
      for old in known { try add(old, to: &sound) }
      (sound.isUnread, isLarge) = (false, known.count >= Self.fewCount)
    }
    // Links lead from their paths to this file: they have left. Of a file with several names that would be a guess.
    if !file.file.hasOtherNames, let linked = sound.there.removeValue(forKey: file.file.stamp.identity) {
      for old in linked where try !writer.hasSuccessor(old) { sound.left.insert(old) }
    }
    let moved = sound.left.best(name: file.file.name, tags: facts.tags, needsTrait: false)
    let away = sound.away.best(name: file.file.name, tags: facts.tags, needsTrait: true)
    if isLarge { sounds[key] = sound }
    return (moved, away)
  }

  private func add(_ old: KnownFile, to sound: inout Sound) throws(DatabaseError) {
    let whereabouts = try whereabouts(of: old)
    if case .there(let identity) = whereabouts {
      if let identity { sound.there[identity, default: []].append(old) }
      return
    }
    // A file that was here until now has moved, also if a copy shares its recording.
    if unclaimed[old.id]?.state != .here {
      guard try !writer.hasSuccessor(old) else { return }
      if let recording = old.recording { sound.withoutSuccessor[recording, default: []].append(old.id) }
    }
    if case .left = whereabouts { sound.left.insert(old) } else { sound.away.insert(old) }
  }

  /// The whereabouts of a known file. It has left, so that another place may take it, if it is missing, if its folder
  /// was forgotten, and if it is no longer in a folder that this scan does not walk.
  ///
  /// - Parameter onAnyDisk: False if a file that is not there proves nothing while its disk is away.
  private func whereabouts(of old: KnownFile, onAnyDisk: Bool = false) throws(DatabaseError) -> Whereabouts {
    guard !claimed.contains(old.id) else { return .there(nil) }
    if unclaimed[old.id] != nil || old.state == .missing { return .left }
    guard let place = try writer.place(of: old.id) else { return .there(nil) }
    if place.isForgotten { return .left }
    return Whereabouts(of: place.path, below: place.root, disk: onAnyDisk ? nil : old.stamp.device)
  }
}
