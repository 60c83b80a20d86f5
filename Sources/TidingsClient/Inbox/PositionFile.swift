internal import TidingsFiles

/// The file with the position of an inbox: replaced atomically, durable before a commit returns.
///
/// A second file, which is never removed, is locked while it is open.
struct PositionFile: Sendable {
  /// The path.
  let path: String
  private let lock: File

  /// Larger than any position of this client.
  private static let bytesMax: UInt64 = 64 << 20

  /// Locks the file, which need not exist.
  ///
  /// - Throws: `positionInUse`, `positionFileError`.
  init(path: String) throws(InboxError) {
    self.path = path
    do {
      lock = try File(path: path + ".lock", .create)
    } catch {
      throw .positionFileError(
        "\(error): choose a path in an existing, writable folder"
      )
    }
    guard lock.lock() else {
      throw .positionInUse(
        "the position file '\(path)' is used by another inbox, of this or another process: close "
          + "that inbox, or use a separate file for each"
      )
    }
  }

  /// Reads the position; `nil` if there is no file.
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
        "the position file '\(path)': \(error); restore a copy, or remove it to start at the oldest "
          + "retained notification"
      )
    }
  }

  /// Replaces the position; it is durable when this returns.
  ///
  /// - Throws: `positionFileError`; the file then contains the old position or the new one.
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
      throw .positionFileError("cannot write the position file: \(error)")
    }
  }

  private var folder: String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}
