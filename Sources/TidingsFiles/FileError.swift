#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What the system refused to do with a file.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, for example `write`.
  package let operation: String
  /// The file's path.
  package let path: String
  /// The system's reason, an `errno`.
  package let code: Int32

  /// An error with the reason that the system gave just now.
  init(_ operation: String, _ path: String) {
    code = errno
    self.operation = operation
    self.path = path
  }

  /// An error with a reason.
  package init(_ operation: String, _ path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// The file is not there.
  package var isMissing: Bool { code == ENOENT }
  /// The file was there already, and was not to be.
  package var isThere: Bool { code == EEXIST }
  /// Another process has the lock.
  package var isLocked: Bool { code == EWOULDBLOCK }
  /// The disk, or what the user may take of it, is full.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT }

  /// For the owner of the file: it names the path.
  package var description: String {
    "cannot \(operation) '\(path)': \(String(cString: strerror(code)))"
  }
}
