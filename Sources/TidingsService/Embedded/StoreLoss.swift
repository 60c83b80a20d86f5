internal import TidingsFiles
internal import TidingsSQLite

/// What of a store was lost since its last run, or put in the place of something newer.
enum StoreLoss: Hashable, Sendable {
  /// There is no database, or an empty one, and this is left of a store.
  case database(found: [String])
  /// The database holds an earlier state than its state file knows of.
  case olderDatabase(run: Int64, expected: Int64)
  /// The database file holds an earlier state than its log was begun with.
  case olderDatabaseFile
  /// It is another store's database.
  case otherStore(incarnation: [UInt8], expected: [UInt8])
  /// The log is missing or empty, and held acknowledged commits.
  case log(frames: UInt32)
  /// The first bytes of the log are damaged.
  case logHeader(frames: UInt32)
  /// The log ends before the last acknowledged commit.
  case logEnd(frames: UInt32, expected: UInt32)
  /// The log belongs to another database, or to another time of this one.
  case otherLog
}

extension StoreLoss {
  /// What the files of a folder show, without the database being opened; `nil`: nothing is lost.
  init?(_ files: StoreFiles) {
    guard files.databaseBytes ?? 0 > 0 else {
      let found = files.remains(withLog: true)
      guard !found.isEmpty else { return nil }
      self = .database(found: found)
      return
    }
    guard let state = files.state, let expected = state.position else { return nil }
    guard let log = files.log else {
      // After a clean stop it was moved and removed, and its number of the run is in the database.
      if state.isStopped { return nil }
      self = .log(frames: expected.frames)
      return
    }
    guard let position = log.position else {
      self = .logHeader(frames: expected.frames)
      return
    }
    if position.log.follows(expected.log) { return nil }
    guard position.log == expected.log else {
      // Another program may have used the database of a server that was stopped.
      if state.isStopped { return nil }
      self = .otherLog
      return
    }
    guard position.frames >= expected.frames else {
      self = .logEnd(frames: position.frames, expected: expected.frames)
      return
    }
    // What the log does not hold is in the database file as it was when the log was begun.
    guard log.hasFirstPage || files.firstPageVersion == state.firstPageVersion else {
      self = .olderDatabaseFile
      return
    }
    return nil
  }

  /// What the content of the database shows, when the files show nothing.
  ///
  /// - Parameters:
  ///   - files: The files; those that a database knows of are counted.
  ///   - label: What the database says of itself; `nil`: it holds no store.
  init?(_ files: StoreFiles, label: (incarnation: [UInt8], run: Int64)?) {
    guard let label else {
      // The log of a first start that was cut short is no sign of a loss.
      let found = files.remains(withLog: false)
      guard !found.isEmpty else { return nil }
      self = .database(found: found)
      return
    }
    guard let state = files.state else { return nil }
    guard label.incarnation == state.incarnation else {
      self = .otherStore(incarnation: label.incarnation, expected: state.incarnation)
      return
    }
    // The database is ahead after a crash between its commit and the note of it.
    guard label.run < state.run else { return nil }
    self = .olderDatabase(run: label.run, expected: state.run)
  }

  /// What was found, in words.
  func description(_ folder: DataFolder) -> String {
    switch self {
    case .database(let found):
      "there is no database in '\(folder.path)', or an empty one, but \(found.joined(separator: ", "))"
    case .olderDatabase(let run, let expected):
      "the database '\(folder.databasePath)' is an older copy: it is of run \(run), and the store's "
        + "state says \(expected)"
    case .olderDatabaseFile:
      "the database file '\(folder.databasePath)' is another than the one that its log was begun with"
    case .otherStore(let incarnation, let expected):
      "the database '\(folder.databasePath)' belongs to another store: its incarnation is "
        + "\(incarnation.hexadecimal), and the store's state says \(expected.hexadecimal)"
    case .log(let frames):
      "the log of acknowledged commits '\(folder.logPath)' is missing: it had \(frames) frames"
    case .logHeader(let frames):
      "the log of acknowledged commits '\(folder.logPath)' is damaged in its first bytes: all its "
        + "\(frames) frames would be lost"
    case .logEnd(let frames, let expected):
      "the log '\(folder.logPath)' lost commits: it ends at frame \(frames) of \(expected)"
    case .otherLog:
      "the log '\(folder.logPath)' does not continue this store: it is of another store or another time"
    }
  }
}

extension StoreFiles {
  /// What there is of a store besides its database, in words.
  fileprivate func remains(withLog: Bool) -> [String] {
    var found: [String] = []
    if withLog, let log { found.append("a log of commits (\(log.fileBytes) bytes)") }
    if assetCount > 0 { found.append("files of assets (\(assetCount))") }
    if auditCount > 0 { found.append("an audit log") }
    if let state {
      found.append(
        "the state of a store (run \(state.run), last commit \(state.lastCommit.utcText))"
      )
    } else if hasStateFile {
      found.append("a damaged state of a store")
    }
    return found
  }
}
