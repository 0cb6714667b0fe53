public import ByteIO
public import Database

/// A name and a value that a client has given to something, such as `mood=happy`. Facts that the library keeps by itself,
/// such as ratings, are none.
public struct Sticker: Sendable, Hashable {
  public enum Owner: Sendable, Hashable {
    /// A track, by its number among the listener's facts, so that the sticker follows a file that is moved.
    case recording(Int64)
    /// Something else: its type, such as `playlist` or a tag, and its name.
    case named(type: String, String)
  }

  public var owner: Owner
  public var name, value: String

  public init(_ owner: Owner, _ name: String, _ value: String) {
    (self.owner, self.name, self.value) = (owner, name, value)
  }
}

/// The stickers of a library, in the listener's database.
public struct StickerStore {
  /// Stickers that are wanted.
  public enum Query: Sendable, Hashable {
    case all
    /// All of an owner, by name.
    case of(Sticker.Owner)
    /// All of this name and type; the type of tracks is `songType`.
    case named(String, type: String)
  }

  public enum Change: Sendable, Hashable {
    case set(String)
    /// Adds to the number that it is; one that is missing becomes `otherwise`.
    case add(Int64, otherwise: String)
    case remove
  }

  public static let songType = "song"

  private let library: MusicLibrary

  public init(_ library: MusicLibrary) { self.library = library }

  public func stickers(_ query: Query) throws(DatabaseError) -> [Sticker] {
    let columns = "SELECT type, recording, uri, name, value FROM sticker"
    let rows: Statement =
      switch query {
      case .all: try library.listener.prepare(columns + " ORDER BY name, type")
      case .of(let owner):
        try library.listener.prepare(columns + " WHERE type=? AND recording=? AND uri=? ORDER BY name").bind(
          Self.key(of: owner))
      case .named(let name, let type):
        try library.listener.prepare(columns + " WHERE name=? AND type=?").bind(.text(name), .text(type))
      }
    var stickers: [Sticker] = []
    while try rows.step() {
      let type = rows.text(0) ?? ""
      let owner: Sticker.Owner =
        type == Self.songType ? .recording(rows.integer(1)) : .named(type: type, rows.text(2) ?? "")
      stickers.append(Sticker(owner, rows.text(3) ?? "", rows.text(4) ?? ""))
    }
    return stickers
  }

  /// Changes a sticker; without a name all of the owner.
  public func change(_ owner: Sticker.Owner, _ name: String?, _ change: Change) throws(DatabaseError) {
    let (listener, key) = (library.listener, Self.key(of: owner))
    try listener.transaction { () throws(DatabaseError) in
      switch (name, change) {
      case (nil, _): try listener.prepare("DELETE FROM sticker WHERE type=? AND recording=? AND uri=?").run(key)
      case (let name?, .remove):
        try listener.prepare("DELETE FROM sticker WHERE type=? AND recording=? AND uri=? AND name=?")
          .run(key + [.text(name)])
      case (let name?, .set(let value)):
        try listener.prepare("INSERT OR REPLACE INTO sticker VALUES (?, ?, ?, ?, ?)")
          .run(key + [.text(name), .text(value)])
      case (let name?, .add(let number, let value)):
        try listener.prepare(
          """
          INSERT INTO sticker VALUES (?1, ?2, ?3, ?4, ?5)
          ON CONFLICT (type, recording, uri, name) DO UPDATE SET value=CAST(CAST(value AS INTEGER)+?6 AS TEXT)
          """
        ).run(key + [.text(name), .text(value), .integer(number)])
      }
      // Clients hear of it as of a rating.
      guard case .recording(let recording) = owner else { return }
      try listener.prepare("UPDATE recording SET changed=? WHERE id=?")
        .run(.integer(try self.library.nextChange()), .integer(recording))
    }
  }

  /// Changes a sticker of the file at a path. False if the library does not know it.
  public func change(_ path: BytePath, _ name: String?, _ change: Change) throws(DatabaseError) -> Bool {
    guard let recording = try RecordingLookup(library).recording(of: path) else { return false }
    try self.change(.recording(recording), name, change)
    return true
  }

  private static func key(of owner: Sticker.Owner) -> [DatabaseValue] {
    switch owner {
    case .recording(let number): [.text(songType), .integer(number), .text("")]
    case .named(let type, let name): [.text(type), .integer(0), .text(name)]
    }
  }
}
