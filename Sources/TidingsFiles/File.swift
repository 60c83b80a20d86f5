internal import Glibc
internal import Synchronization

/// An open file, read and written at places that each call names.
///
/// Any thread may use it; it is closed with the last reference.
package final class File: Sendable {
  /// What a file is opened for.
  package enum Access: Sendable {
    /// To be read.
    case read
    /// To be read and written; it must be there.
    case write
    /// To be read and written; created, for its owner alone, if it is not there.
    case create
    /// To be read and written; created for its owner alone, an error when anything is there.
    case createNew

    fileprivate var flags: CInt {
      switch self {
      // Who opens a pipe would wait for its writer; files with content do not care.
      case .read: O_RDONLY | O_NONBLOCK | O_CLOEXEC
      case .write: O_RDWR | O_CLOEXEC
      case .create: O_RDWR | O_CREAT | O_CLOEXEC
      case .createNew: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
      }
    }
  }

  /// Bytes that are read at once where a whole file is read in pieces.
  package static let pieceBytes = 256 << 10

  private let descriptor: CInt
  private let path: String
  private let isLocked = Atomic(false)

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: Where.
  ///   - access: What for.
  ///   - mode: The rights of a file that is created, before the process's mask.
  /// - Throws: `FileError`.
  package init(path: String, _ access: Access, mode: UInt32 = 0o600) throws(FileError) {
    self.path = path
    descriptor = open(path, access.flags, mode)
    guard descriptor >= 0 else {
      let creates = access == .create || access == .createNew
      throw FileError(creates ? "create" : "open", path)
    }
  }

  deinit {
    // A process that is just being started has a copy of the descriptor, and the lock with it.
    if isLocked.load(ordering: .relaxed) { _ = flock(descriptor, LOCK_UN) }
    close(descriptor)
  }

  /// Bytes.
  package var size: UInt64 {
    get throws(FileError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileError("look at", path) }
      return UInt64(clamping: status.st_size)
    }
  }

  /// Whether it is a file with content, rather than a folder, a pipe or a device.
  package var isRegular: Bool {
    get throws(FileError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileError("look at", path) }
      return status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// Whether a path leads to this file, rather than to another or to none.
  package func isNamed(_ path: String) throws(FileError) -> Bool {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { throw FileError("look at", self.path) }
    guard stat(path, &named) == 0 else {
      if errno == ENOENT { return false }
      throw FileError("look at", path)
    }
    return own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  /// Whether others than the file's owner may read or write it.
  package var isOpenToOthers: Bool {
    get throws(FileError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileError("look at", path) }
      return status.st_mode & 0o077 != 0
    }
  }

  /// Lets others than the file's owner read it, whatever the process's mask says.
  package func openToReaders() throws(FileError) {
    guard fchmod(descriptor, 0o644) == 0 else { throw FileError("change the rights of", path) }
  }

  /// Sets the time that the file shows as that of its last change.
  ///
  /// - Parameter milliseconds: Since 1970.
  /// - Throws: `FileError`.
  package func setChanged(milliseconds: Int64) throws(FileError) {
    let time = timespec(
      tv_sec: Int(milliseconds / 1_000),
      tv_nsec: Int(milliseconds % 1_000) * 1_000_000
    )
    guard futimens(descriptor, [time, time]) == 0 else {
      throw FileError("set the time of", path)
    }
  }

  /// Reads bytes.
  ///
  /// - Returns: `count` bytes, fewer only where the file ends.
  package func read(at offset: UInt64, count: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count, let start = buffer.baseAddress {
        let position = off_t(clamping: offset) + off_t(initialized)
        let got = pread(descriptor, start + initialized, count - initialized, position)
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = FileError("read", path) }
        guard got > 0 else { break }
        initialized += got
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all bytes.
  package func write(_ bytes: ArraySlice<UInt8>, at offset: UInt64) throws(FileError) {
    var rest = bytes
    var position = off_t(clamping: offset)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, position) }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError("write", path)
      }
      rest = rest.dropFirst(count)
      position += off_t(count)
    }
  }

  /// Cuts the file off, or fills it up with zeros.
  package func truncate(to size: UInt64) throws(FileError) {
    guard ftruncate(descriptor, off_t(clamping: size)) == 0 else { throw FileError("cut", path) }
  }

  /// Waits until what was written is on the disk.
  package func synchronize() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw FileError("write", path) }
  }

  /// Locks the file for this process, until it is closed.
  ///
  /// - Returns: `false` when another has it.
  package func lock() -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    isLocked.store(true, ordering: .relaxed)
    return true
  }

  /// Adds the file's content to a hash, in pieces.
  ///
  /// - Parameters:
  ///   - hash: The hash.
  ///   - range: Which bytes.
  ///   - progress: Called after each piece with the number of bytes that are done.
  /// - Throws: `FileError`.
  package func hash(
    into hash: inout SHA256,
    _ range: Range<UInt64>,
    progress: (UInt64) -> Void = { _ in }
  ) throws(FileError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(UInt64(Self.pieceBytes), range.upperBound - offset))
      let piece = try read(at: offset, count: count)
      if piece.isEmpty { return }
      hash.update(piece[...])
      offset += UInt64(piece.count)
      progress(offset)
    }
  }
}
