internal import Glibc
internal import Synchronization
internal import TidingsFiles

/// The key ring of a user who names none: a file in the user's data folder, which is made when a value is
/// sealed first.
///
/// Reading values never makes one: a new key would open nothing.
public final class DefaultKeyRing: Sendable {
  private struct Loaded: Sendable {
    let ring: KeyRing
    let size: UInt64
    let changed: Int64
  }

  /// The variables of the environment that say where the data folder is.
  public static let variables = ["XDG_DATA_HOME", "HOME"]

  /// Where the ring is, or will be.
  public let path: String
  private let notice: @Sendable (String) -> Void
  private let loaded = Mutex<Loaded?>(nil)

  /// The ring at a path.
  ///
  /// - Parameters:
  ///   - path: Where the ring is, or will be.
  ///   - notice: Called with one line when the ring is made, which says how it reaches other devices.
  public init(path: String, notice: @escaping @Sendable (String) -> Void = DefaultKeyRing.print) {
    self.path = path
    self.notice = notice
  }

  /// The path in a user's data folder: `$XDG_DATA_HOME/tidings/default.ring`, or in `~/.local/share`.
  ///
  /// - Parameter variables: The environment.
  /// - Returns: The path; `nil` when neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
  public static func path(_ variables: [String: String]) -> String? {
    func absolute(_ name: String) -> String? {
      variables[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let folder = absolute("XDG_DATA_HOME") ?? absolute("HOME").map { $0 + "/.local/share" }
    return folder.map { $0 + "/tidings/default.ring" }
  }

  /// The ring of this process's user.
  ///
  /// - Throws: When the environment names no data folder.
  public static func standard() throws(KeyRingError) -> DefaultKeyRing {
    var environment: [String: String] = [:]
    for name in variables { environment[name] = getenv(name).map { String(cString: $0) } }
    guard let path = path(environment) else {
      throw KeyRingError("neither XDG_DATA_HOME nor HOME is set: name a key ring file of your own")
    }
    return DefaultKeyRing(path: path)
  }

  /// Writes a line to standard error.
  public static func print(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  /// The keys, to seal values with; when the file is not there it is made, with a new key.
  ///
  /// - Throws: As `current`; when the file cannot be written.
  public func forSealing() throws(KeyRingError) -> KeyRing {
    if let ring = try current() { return ring }
    let ring = KeyRing([.init(EncryptionKey(), .seal)])
    // Another process may make it at the same time: whoever comes second takes what is there.
    guard try make(ring) else { return try current() ?? KeyRing() }
    notice(
      "tidings: made the key ring '\(path)' for encrypted values: copy it to the same place on the user's "
        + "other devices before they save any, and keep a backup; without it they cannot be read"
    )
    return ring
  }

  /// The keys, to open values with; read again when the file was changed.
  ///
  /// - Returns: `nil` when the file is not there.
  /// - Throws: When the file cannot be read, is no key ring, or others than its owner may read it.
  public func current() throws(KeyRingError) -> KeyRing? {
    do {
      guard let status = try Folder.status(path) else { return nil }
      // A ring only grows, so that its size shows changes too.
      if let loaded = loaded.withLock({ $0 }), loaded.size == status.size,
        loaded.changed == status.changed
      {
        return loaded.ring
      }
      let ring = try KeyRingFile(path: path).read()
      loaded.withLock { $0 = Loaded(ring: ring, size: status.size, changed: status.changed) }
      return ring
    } catch let error as KeyRingError {
      throw error
    } catch {
      throw KeyRingError("\(error)")
    }
  }

  /// Writes the file whole, or not at all; `false`: it is there by now.
  private func make(_ ring: KeyRing) throws(KeyRingError) -> Bool {
    let random = UInt64.random(in: 0...UInt64.max)
    let other = "\(path).\(String(random, radix: 36))"
    do {
      try makeFolders()
      try KeyRingFile(path: other).create(ring)
      defer { try? Folder.remove(other) }
      try Folder.renameNew(other, to: path)
      try Folder.synchronize(folder)
      return true
    } catch let error as FileError where error.isThere {
      return false
    } catch let error as KeyRingError {
      throw error
    } catch {
      throw KeyRingError(
        "the key ring '\(path)' cannot be made: \(error); name a key ring file of your own"
      )
    }
  }

  private var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

  /// The folders above, each its owner's alone if it is new.
  private func makeFolders() throws(FileError) {
    var end = folder.startIndex
    while end < folder.endIndex {
      end = folder[folder.index(after: end)...].firstIndex(of: "/") ?? folder.endIndex
      let above = String(folder[..<end])
      if !Folder.isThere(above) { try Folder.make(above) }
    }
  }
}
