internal import Database

/// Joins the tracks that are at several places (`Twins`) in both databases.
struct TwinJoin {
  let library: MusicLibrary
  private var listener: Database { library.listener }

  /// Gives files the recordings of their twins, and those all that the listener's database has of the old ones. An old
  /// recording stays, without facts: acts that can be undone may name it.
  func perform(_ twins: Twins.Outcome) throws(DatabaseError) {
    guard !twins.recordings.isEmpty else { return }
    // Before the catalogue, as in a scan: if that fails, the next index joins them again.
    if !twins.merged.isEmpty { try merge(twins.merged) }
    try library.catalogue.transaction { () throws(DatabaseError) in
      let update = try library.catalogue.prepare("UPDATE file SET recording=? WHERE id=?")
      for (file, recording) in twins.recordings { try update.run(.integer(recording), .integer(file)) }
    }
  }

  private func merge(_ recordings: [Int64: Int64]) throws(DatabaseError) {
    try listener.execute("PRAGMA temp_store=MEMORY")
    try listener.execute("CREATE TEMP TABLE IF NOT EXISTS twin (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    defer { try? listener.execute("DROP TABLE twin") }
    try listener.transaction { () throws(DatabaseError) in
      let insert = try listener.prepare("INSERT OR REPLACE INTO twin VALUES (?, ?)")
      for (old, new) in recordings { try insert.run(.integer(old), .integer(new)) }
      for table in ["play", "entry"] {
        try listener.execute(
          """
          UPDATE \(table) SET recording=(SELECT new FROM twin WHERE old=recording)
          WHERE recording IN (SELECT old FROM twin)
          """)
      }
      try listener.execute(
        """
        UPDATE OR IGNORE sticker SET recording=(SELECT new FROM twin WHERE old=recording)
        WHERE recording IN (SELECT old FROM twin)
        """)
      // Undoing gives a value back to where it is now.
      try listener.execute(
        """
        UPDATE former SET target=(SELECT new FROM twin WHERE old=target)
        WHERE kind IN ('rating', 'love', 'track', 'copy') AND EXISTS (
          SELECT 1 FROM twin JOIN recording ON id=new WHERE old=target AND CASE kind
            WHEN 'rating' THEN rating IS NULL WHEN 'love' THEN love=0 ELSE 1 END)
        """)
      let change = try library.nextChange()
      try listener.execute(
        """
        UPDATE recording SET plays=plays+more.p, skips=skips+more.s,
          last=nullif(max(coalesce(last, 0), coalesce(more.l, 0)), 0), rating=coalesce(rating, more.r),
          love=max(love, more.v), resume=coalesce(resume, more.e), changed=\(change)
        FROM (
          SELECT new, sum(plays) AS p, sum(skips) AS s, max(last) AS l, max(rating) AS r, max(love) AS v,
            max(resume) AS e FROM twin JOIN recording ON id=old GROUP BY new
        ) AS more
        WHERE id=more.new AND (more.p+more.s+more.v>0 OR coalesce(more.r, more.e) IS NOT NULL)
        """)
      try listener.execute(
        """
        UPDATE recording SET plays=0, skips=0, last=NULL, rating=NULL, love=0, resume=NULL
        WHERE id IN (SELECT old FROM twin)
        """)
    }
  }
}
