internal import TidingsFiles

/// The file of a key ring: its owner's alone, never overwritten; it only grows.
public struct KeyRingFile: Sendable {
  /// Largest file, in bytes.
  static let bytesMax = 256 << 10

  /// Where it is.
  public let path: String

  /// A file that is or will be there.
  public init(path: String) { self.path = path }

  /// Reads the ring.
  ///
  /// - Throws: When it cannot be read, is no key ring, or others than its owner may read it.
  public func read() throws(KeyRingError) -> KeyRing {
    try ring(of: try opened(.read))
  }

  /// Creates the file with a ring; it is on the disk when this returns.
  ///
  /// - Throws: When something is there already, or it cannot be written.
  public func create(_ ring: KeyRing) throws(KeyRingError) {
    do {
      let file = try File(path: path, .createNew)
      try file.write(Array(ring.text.utf8)[...], at: 0)
      try file.synchronize()
      try Folder.synchronize(folder)
    } catch {
      guard error.isThere else { throw KeyRingError("\(error)") }
      throw KeyRingError(
        "'\(path)' is there already, and keys are not overwritten: name another file, or add a key "
          + "to it"
      )
    }
  }

  /// Adds keys to the end of the file; they are on the disk when this returns.
  ///
  /// - Parameter entries: The keys; those that exist already are ignored.
  /// - Returns: Those that were added.
  /// - Throws: As `read`; when the ring is full, or the file is being changed by another process.
  public func add(_ entries: [KeyRing.Entry]) throws(KeyRingError) -> [KeyRing.Entry] {
    let file = try opened(.write)
    guard file.lock() else {
      throw KeyRingError("the key ring '\(path)' is being changed by another process: try again")
    }
    var ring = try ring(of: file)
    var added: [KeyRing.Entry] = []
    for entry in entries where ring.key(entry.key.id) == nil {
      guard ring.add(entry) else {
        throw KeyRingError(
          "the key ring '\(path)' would have more than \(KeyRing.keysMax) keys: create another one"
        )
      }
      added.append(entry)
    }
    if added.isEmpty { return [] }
    do {
      try append(added, to: file)
    } catch {
      throw KeyRingError("\(error)")
    }
    return added
  }

  private func append(_ entries: [KeyRing.Entry], to file: File) throws(FileError) {
    let size = try file.size
    let end = size == 0 ? [] : try file.read(at: size - 1, count: 1)
    let isWhole = size == 0 || end == [UInt8(ascii: "\n")]
    let lines = (isWhole ? "" : "\n") + entries.map(\.line).joined()
    do throws(FileError) {
      try file.write(Array(lines.utf8)[...], at: size)
      try file.synchronize()
    } catch {
      // Keys that were not synced must not be taken for some that are there.
      try? file.truncate(to: size)
      throw error
    }
  }

  private func opened(_ access: File.Access) throws(KeyRingError) -> File {
    do {
      let file = try File(path: path, access)
      guard try file.isRegular, try file.size <= UInt64(Self.bytesMax) else {
        throw KeyRingError("'\(path)' is not a key ring")
      }
      guard try !file.isOpenToOthers else {
        throw KeyRingError(
          "others can read the key ring '\(path)': chmod 600 '\(path)', and add a new key if they "
            + "may have done so"
        )
      }
      return file
    } catch let error as KeyRingError {
      throw error
    } catch {
      throw KeyRingError("\(error)")
    }
  }

  private func ring(of file: File) throws(KeyRingError) -> KeyRing {
    let bytes: [UInt8]
    do {
      bytes = try file.read(at: 0, count: Self.bytesMax)
    } catch {
      throw KeyRingError("\(error)")
    }
    do {
      return try KeyRing(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw KeyRingError("'\(path)' is not a key ring: \(error)")
    }
  }

  private var folder: String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}
