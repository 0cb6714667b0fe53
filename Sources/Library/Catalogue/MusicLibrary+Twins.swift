internal import Database

// Tracks that are at several places (`Twins`).
extension MusicLibrary {
  /// Gives files the recordings of their twins, and those all that the listener's database has of the old ones. An old
  /// recording stays, without facts: acts that can be undone may name it.
  func join(_ twins: Twins.Outcome) throws(DatabaseError) {
    guard !twins.recordings.isEmpty else { return }
    // Before the catalogue, as in a scan: if that fails, the next index joins them again.
    if !twins.merged.isEmpty { try merge(twins.merged) }
    try catalogue.transaction { () throws(DatabaseError) in
      let update = try self.catalogue.prepare("UPDATE file SET recording=? WHERE id=?")
      for (file, recording) in twins.recordings { try update.run(.integer(recording), .integer(file)) }
    }
  }

  private func merge(_ recordings: [Int64: Int64]) throws(DatabaseError) {
    try listener.execute("PRAGMA temp_store=MEMORY")
    try listener.execute("CREATE TEMP TABLE IF NOT EXISTS twin (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    defer { try? listener.execute("DROP TABLE twin") }
    try listener.transaction { () throws(DatabaseError) in
      let insert = try self.listener.prepare("INSERT OR REPLACE INTO twin VALUES (?, ?)")
      for (old, new) in recordings { try insert.run(.integer(old), .integer(new)) }
      for table in ["play", "entry"] {
        try self.listener.execute(
          """
          UPDATE \(table) SET recording=(SELECT new FROM twin WHERE old=recording)
          WHERE recording IN (SELECT old FROM twin)
          """)
      }
      try self.listener.execute(
        """
        UPDATE OR IGNORE sticker SET recording=(SELECT new FROM twin WHERE old=recording)
        WHERE recording IN (SELECT old FROM twin)
        """)
      // Undoing gives a value back to where it is now.
      try self.listener.execute(
        """
        UPDATE former SET target=(SELECT new FROM twin WHERE old=target)
        WHERE kind IN ('rating', 'love', 'track', 'copy') AND EXISTS (
          SELECT 1 FROM twin JOIN recording ON id=new WHERE old=target AND CASE kind
            WHEN 'rating' THEN rating IS NULL WHEN 'love' THEN love=0 ELSE 1 END)
        """)
      let change = try self.nextChange()
      try self.listener.execute(
        """
        UPDATE recording SET plays=plays+other.plays, skips=skips+other.skips,
          last=nullif(max(coalesce(last, 0), coalesce(other.last, 0)), 0), rating=coalesce(rating, other.rating),
          love=max(love, other.love), resume=coalesce(resume, other.resume), changed=\(change)
        FROM (
          SELECT new, sum(plays) AS plays, sum(skips) AS skips, max(last) AS last, max(rating) AS rating,
            max(love) AS love, max(resume) AS resume FROM twin JOIN recording ON id=old GROUP BY new
        ) AS other
        WHERE id=other.new AND (other.plays+other.skips+other.love>0 OR coalesce(other.rating, other.resume) IS NOT NULL)
        """)
      try self.listener.execute(
        """
        UPDATE recording SET plays=0, skips=0, last=NULL, rating=NULL, love=0, resume=NULL
        WHERE id IN (SELECT old FROM twin)
        """)
    }
  }
}
