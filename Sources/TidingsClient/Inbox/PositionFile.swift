internal import TidingsFiles

/// The file that holds an inbox's position: replaced as a whole, on the disk before a commit returns.
///
/// While it is open nobody else can open it: a file beside it, which stays, is locked.
struct PositionFile: Sendable {
  /// Where it is.
  let path: String
  private let lock: File

  /// Positions of more bytes are not written by this client.
  private static let bytesMax: UInt64 = 64 << 20

  /// Takes the file; it need not be there.
  ///
  /// - Throws: `positionInUse`, `positionFileError`.
  init(path: String) throws(InboxError) {
    self.path = path
    do {
      lock = try File(path: path + ".lock", .create)
    } catch {
      throw .positionFileError(
        "\(error): choose a path in a folder that is there and can be written"
      )
    }
    guard lock.lock() else {
      throw .positionInUse(
        "the position file '\(path)' is used by another inbox, of this process or another: close "
          + "that one, or give each a file of its own"
      )
    }
  }

  /// Reads the position; `nil` when there is no file.
  ///
  /// - Throws: `positionDamaged`, `positionFileError`.
  func read() throws(InboxError) -> InboxPosition? {
    let bytes: [UInt8]
    do {
      let file = try File(path: path, .read)
      bytes = try file.read(at: 0, count: Int(min(file.size, Self.bytesMax)))
    } catch {
      if error.isMissing { return nil }
      throw .positionFileError(error.description)
    }
    do {
      return try InboxPosition(bytes: bytes)
    } catch {
      throw .positionDamaged(
        "the position file '\(path)': \(error); put back a copy of it, or remove it to begin with the "
          + "oldest notification that is kept"
      )
    }
  }

  /// Replaces the position; it is on the disk when this returns.
  ///
  /// - Throws: `positionFileError`; the file then holds the old position or the new one.
  func write(_ position: InboxPosition) throws(InboxError) {
    let temporary = path + ".new"
    do {
      let file = try File(path: temporary, .create)
      try file.truncate(to: 0)
      try file.write(position.bytes[...], at: 0)
      try file.synchronize()
      try Folder.rename(temporary, to: path)
      try Folder.synchronize(folder)
    } catch {
      throw .positionFileError("the position is not kept: \(error)")
    }
  }

  private var folder: String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}
