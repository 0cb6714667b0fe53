internal import Database

/// The tables of the library's two databases (docs/decisions/0024-library-in-two-databases.md).
enum LibrarySchema {
  /// Facts read from files. May be deleted at any time: the listener's database keeps the roots, and what was removed.
  static let catalogue = DatabaseSchema(
    applicationID: 0x5365_4361,  // "SeCa"
    migrations: [
      """
      CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID;
      CREATE TABLE root (
        id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, device INTEGER, filesystem INTEGER,
        state INTEGER NOT NULL DEFAULT 0, reason TEXT, scanned INTEGER) STRICT;
      -- The path is relative to the root: empty for the root itself.
      CREATE TABLE folder (
        id INTEGER PRIMARY KEY, root INTEGER NOT NULL REFERENCES root, path BLOB NOT NULL,
        UNIQUE (root, path)) STRICT;
      -- A file whose place another file has taken has no folder, and its whole path as its name.
      CREATE TABLE file (
        id INTEGER PRIMARY KEY, folder INTEGER REFERENCES folder, name BLOB NOT NULL, size INTEGER NOT NULL,
        mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
        reader INTEGER NOT NULL, state INTEGER NOT NULL, since INTEGER NOT NULL, error TEXT, key BLOB,
        duration REAL, estimated INTEGER NOT NULL DEFAULT 0, format TEXT, bitrate INTEGER, tags BLOB NOT NULL,
        recording INTEGER, UNIQUE (folder, name)) STRICT;
      CREATE INDEX file_inode ON file (inode);
      CREATE INDEX file_key ON file (key);
      CREATE INDEX file_recording ON file (recording);
      """,
      """
      -- Files and folders that the system did not let the last scan of their root read (UnreadStore).
      CREATE TABLE unread (path BLOB PRIMARY KEY, reason TEXT NOT NULL) STRICT, WITHOUT ROWID;
      -- The recordings of files that were moved from these paths: queues and plays may still name them so.
      CREATE TABLE moved (path BLOB NOT NULL UNIQUE, recording INTEGER NOT NULL) STRICT;
      """,
    ], tables: ["property", "root", "folder", "file", "unread", "moved"])

  /// Counts a change of the catalogue in the property `revision`; the property `index` is the revision of the index file.
  static let countChange = """
    INSERT INTO property VALUES ('revision', '1') ON CONFLICT (name) DO UPDATE SET value=CAST(value+1 AS TEXT)
    """

  /// Ratings, plays and playlists. A scan never deletes anything here.
  static let listener = DatabaseSchema(
    applicationID: 0x5365_4c69,  // "SeLi"
    migrations: [
      """
      CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID;
      -- Stands for a track, also for a missing one. Numbers are never used again.
      CREATE TABLE recording (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB, path BLOB, title TEXT, artist TEXT, album TEXT, duration REAL,
        added INTEGER NOT NULL, plays INTEGER NOT NULL DEFAULT 0, skips INTEGER NOT NULL DEFAULT 0, last INTEGER,
        rating INTEGER, love INTEGER NOT NULL DEFAULT 0, resume REAL, changed INTEGER NOT NULL) STRICT;
      CREATE INDEX recording_key ON recording (key);
      CREATE INDEX recording_path ON recording (path);
      CREATE INDEX recording_changed ON recording (changed);
      CREATE TABLE play (
        id INTEGER PRIMARY KEY AUTOINCREMENT, recording INTEGER NOT NULL, at INTEGER NOT NULL, heard REAL NOT NULL,
        duration REAL, skipped INTEGER NOT NULL DEFAULT 0) STRICT;
      CREATE INDEX play_recording ON play (recording);
      CREATE TABLE list (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, query TEXT, changed INTEGER NOT NULL) STRICT;
      CREATE TABLE entry (
        list INTEGER NOT NULL REFERENCES list ON DELETE CASCADE, position INTEGER NOT NULL, recording INTEGER NOT NULL,
        PRIMARY KEY (list, position)) STRICT, WITHOUT ROWID;
      -- Acts that can be undone, and for each the values before it.
      CREATE TABLE act (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
      CREATE TABLE former (
        act INTEGER NOT NULL REFERENCES act ON DELETE CASCADE, kind TEXT NOT NULL, target INTEGER NOT NULL,
        value TEXT) STRICT;
      CREATE INDEX former_act ON former (act);
      """,
      """
      -- An entry is a recording, or what the library cannot know: an address, a track of a cue sheet, as written in m3u8.
      -- Entries follow each other by position; numbers may be missing.
      CREATE TABLE listed (
        id INTEGER PRIMARY KEY AUTOINCREMENT, list INTEGER NOT NULL REFERENCES list ON DELETE CASCADE,
        position INTEGER NOT NULL, recording INTEGER, location TEXT, title TEXT) STRICT;
      INSERT INTO listed (list, position, recording) SELECT list, position, recording FROM entry;
      DROP TABLE entry;
      ALTER TABLE listed RENAME TO entry;
      CREATE INDEX entry_list ON entry (list, position);
      """,
      """
      -- The measured loudness of a recording, for the sound with that key. It takes long to measure, so it outlasts the
      -- catalogue. Measured: peak, and blocks (LoudnessBlocks). Cannot be measured: error. Neither: was tried so often.
      CREATE TABLE loudness (
        recording INTEGER PRIMARY KEY, key BLOB, tries INTEGER NOT NULL, peak REAL, blocks BLOB, error TEXT) STRICT;
      """,
      """
      -- Decisions that no file contains: folders that were added or removed (KeptRoots), and removed tracks.
      CREATE TABLE root (
        id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, forgotten INTEGER NOT NULL DEFAULT 0) STRICT;
      ALTER TABLE recording ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
      """,
      """
      -- Stickers that clients give (StickerStore): to a recording, or by name to something of another type.
      CREATE TABLE sticker (
        type TEXT NOT NULL, recording INTEGER NOT NULL, uri TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (type, recording, uri, name)) STRICT, WITHOUT ROWID;
      CREATE INDEX sticker_name ON sticker (name, type);
      """,
      """
      -- Ratings, love and plays of tracks on servers at the last comparison with those here (ServerRatings).
      CREATE TABLE served (
        path BLOB PRIMARY KEY, rating INTEGER, love INTEGER, plays INTEGER NOT NULL, ownRating INTEGER NOT NULL,
        ownLove INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      """,
      """
      -- Tracks of servers that are to be kept on the disk (PinStore). Bytes: of one that is there, whole.
      CREATE TABLE pin (
        id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, wanted INTEGER NOT NULL, bytes INTEGER) STRICT;
      """,
      """
      -- Playlists that are also on servers, and what both sides had at the last comparison (ServedLists). A row outlives
      -- its list, which an undo may bring back.
      CREATE TABLE servedList (
        list INTEGER PRIMARY KEY, root BLOB NOT NULL, remote TEXT NOT NULL, name TEXT NOT NULL, ownName TEXT NOT NULL,
        tracks INTEGER NOT NULL, ownTracks INTEGER NOT NULL, version TEXT, count INTEGER NOT NULL, sending TEXT,
        seen INTEGER NOT NULL, owned INTEGER NOT NULL, refusal TEXT) STRICT;
      -- Resume points here and on servers at the last comparison (PlaceSync).
      CREATE TABLE servedPlace (path BLOB PRIMARY KEY, theirs REAL, own REAL) STRICT, WITHOUT ROWID;
      -- When the resume point was set: seconds since 1970.
      ALTER TABLE recording ADD COLUMN resumed INTEGER;
      """,
    ],
    tables: [
      "property", "recording", "play", "list", "entry", "act", "former", "loudness", "root", "sticker", "served", "pin",
      "servedList", "servedPlace",
    ])
}

extension Database {
  /// A value of the table that both databases have.
  func property(_ name: String) throws(DatabaseError) -> String? {
    let statement = try prepare("SELECT value FROM property WHERE name=?").bind(.text(name))
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return statement.text(0)
  }

  /// Sets such a value; `nil` removes it.
  func setProperty(_ name: String, _ value: String?) throws(DatabaseError) {
    if let value {
      try prepare("INSERT OR REPLACE INTO property VALUES (?, ?)").run(.text(name), .text(value))
    } else {
      try prepare("DELETE FROM property WHERE name=?").run(.text(name))
    }
  }
}

/// The state of a root. Raw values are stored.
public enum RootState: Int, Sendable {
  /// Readable at the last scan.
  case here = 0
  /// Absent, empty, unreadable, or on another disk: nothing below it is changed.
  case away = 1
  /// The listener removed it.
  case forgotten = 2
}
