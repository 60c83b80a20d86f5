internal import TidingsFiles

extension DataFolder {
  /// Writes the database's log over itself, and waits for the disk.
  ///
  /// After a sync that failed the system may take for written what is only in its memory, and show it to the next process.
  /// It must be on the disk before anything of it is moved into the database file.
  func renewLog() throws(FileError) {
    guard let size = try Folder.status(logPath)?.size, size > 0 else { return }
    let file = try File(path: logPath, .write)
    var offset: UInt64 = 0
    while offset < size {
      let piece = try file.read(at: offset, count: File.pieceBytes)
      guard !piece.isEmpty else { break }
      try file.write(piece[...], at: offset)
      offset += UInt64(piece.count)
    }
    try file.synchronize()
  }
}
