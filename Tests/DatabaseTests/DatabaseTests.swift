import ByteIO
import Database
import SoundServerSupport
import Testing

@Suite struct DatabaseTests {
  private static let schema = DatabaseSchema(
    applicationID: 0x5465_7374,
    migrations: ["CREATE TABLE song (id INTEGER PRIMARY KEY, name TEXT, data BLOB, rating REAL) STRICT"])
  private let folder: TemporaryFolder
  private var path: BytePath { BytePath(folder("x.db")) }

  init() throws { folder = try TemporaryFolder() }

  @Test func `values of all kinds come back as they were`() throws {
    let database = try Database(path: path, schema: Self.schema)
    let insert = try database.prepare("INSERT INTO song (name, data, rating) VALUES (?, ?, ?)")
    try insert.run(.text("Für Elise"), .blob([0, 255, 0]), .real(1.5))
    try insert.run(.text(""), .blob([]), .null)
    try insert.run(.null, .null, .null)
    let rows = try database.prepare("SELECT name, data, rating, id FROM song ORDER BY id")
    #expect(try rows.step())
    #expect(rows.text(0) == "Für Elise" && rows.blob(1) == [0, 255, 0] && rows.real(2) == 1.5 && rows.integer(3) == 1)
    #expect(try rows.step())
    #expect(rows.text(0) == "" && !rows.isNull(1) && rows.blob(1).isEmpty && rows.isNull(2))
    #expect(try rows.step())
    #expect(rows.text(0) == nil && rows.isNull(1))
    #expect(try !rows.step())
  }

  @Test func `a transaction that throws changes nothing`() throws {
    let database = try Database(path: path, schema: Self.schema)
    #expect(throws: DatabaseError.self) {
      try database.transaction { () throws(DatabaseError) in
        try database.execute("INSERT INTO song (name) VALUES ('lost')")
        try database.execute("INSERT INTO nowhere VALUES (1)")
      }
    }
    #expect(try database.integer("SELECT count(*) FROM song") == 0)
    try database.transaction { () throws(DatabaseError) in
      try database.execute("INSERT INTO song (name) VALUES ('kept')")
    }
    #expect(try database.integer("SELECT count(*) FROM song") == 1)
  }

  @Test func `a new version of the schema is made beside a backup of the old one`() throws {
    do {
      let old = try Database(path: path, schema: Self.schema)
      try old.execute("INSERT INTO song (name) VALUES ('old')")
    }
    var schema = Self.schema
    schema.migrations.append("ALTER TABLE song ADD COLUMN love INTEGER")
    do {
      let new = try Database(path: path, schema: schema)
      #expect(try new.integer("SELECT count(*) FROM song WHERE love IS NULL") == 1)
    }
    let backup = try Database(path: BytePath(folder("x.db.version1.backup")), schema: Self.schema)
    #expect(try backup.integer("SELECT count(*) FROM song") == 1)
    #expect { try Database(path: path, schema: Self.schema) } throws: { error in
      (error as? DatabaseError)?.code == .tooNew
    }
  }

  @Test func `a migration that fails leaves the old version`() throws {
    _ = try Database(path: path, schema: Self.schema)
    var schema = Self.schema
    schema.migrations.append("CREATE TABLE album (id INTEGER) STRICT; SYNTAX ERROR")
    #expect(throws: DatabaseError.self) { try Database(path: path, schema: schema) }
    let database = try Database(path: path, schema: Self.schema)
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name='album'") == 0)
  }

  @Test func `files of others are refused and left alone`() throws {
    var other = Self.schema
    other.applicationID = 1
    do { _ = try Database(path: path, schema: other) }
    #expect { try Database(path: path, schema: Self.schema) } throws: { ($0 as? DatabaseError)?.code == .foreign }
    let text = Array("no database, but long enough to look like one at a first glance".utf8)
    try write(text + text + text + text + text + text + text + text + text, to: folder("text.db"))
    #expect { try Database(path: BytePath(folder("text.db")), schema: Self.schema) } throws: {
      ($0 as? DatabaseError)?.code == .damaged
    }
    #expect(contents(of: folder("text.db")).starts(with: text))
  }

  @Test func `an error says what, where, and what to do`() throws {
    let missing = BytePath(folder("nowhere/x.db"))
    #expect { try Database(path: missing, schema: Self.schema) } throws: { error in
      "\(error)".hasPrefix("cannot open \(missing): ") && "\(error)".contains("check the permissions")
    }
  }

  @Test func `two connections take turns`() throws {
    let first = try Database(path: path, schema: Self.schema)
    let second = try Database(path: path, schema: Self.schema, busyMilliseconds: 1)
    try first.begin()
    try first.execute("INSERT INTO song (name) VALUES ('a')")
    // Readers see the state before.
    #expect(try second.integer("SELECT count(*) FROM song") == 0)
    #expect { try second.begin() } throws: { ($0 as? DatabaseError)?.code == .busy }
    try first.commit()
    try second.transaction { () throws(DatabaseError) in
      try second.execute("INSERT INTO song (name) VALUES ('b')")
    }
    #expect(try first.integer("SELECT count(*) FROM song") == 2)
  }

  /// The files at any moment are what a program leaves that is killed (`kill -9`) at that moment.
  @Test func `a program that dies at any write leaves whole transactions`() throws {
    let database = try Database(path: path, schema: Self.schema)
    for count in 0..<20 {
      try database.begin()
      for row in 0..<10 {
        try database.prepare("INSERT INTO song (name, data) VALUES (?, ?)")
          .run(.text("\(count).\(row)"), .blob([UInt8](repeating: 1, count: 3000)))
        let copy = folder("copy\(count)-\(row).db")
        for suffix in ["", "-wal"] { try write(contents(of: path.description + suffix), to: copy + suffix) }
        let left = try Database(path: BytePath(copy), schema: Self.schema)
        #expect(try left.integer("SELECT count(*) FROM song") == Int64(count * 10))
        let check = try left.prepare("PRAGMA integrity_check")
        #expect(try check.step() && check.text(0) == "ok")
      }
      try database.commit()
    }
  }
}
