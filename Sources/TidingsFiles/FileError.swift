internal import Glibc

/// What the system refused to do with a file.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, for example `write`.
  package let operation: String
  /// The file's path.
  package let path: String
  /// The system's reason, an `errno`.
  package let code: Int32
  /// More than the system's reason says; `nil`: it says enough.
  private var reason: String?

  /// An error with the reason that the system gave just now.
  init(_ operation: String, _ path: String) {
    code = errno
    self.operation = operation
    self.path = path
  }

  /// An error with a reason.
  package init(_ operation: String, _ path: String, code: Int32, reason: String? = nil) {
    self.reason = reason
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// An error of something that is a folder, a pipe or a device, and should be a file with content.
  package static func notRegular(_ operation: String, _ path: String) -> Self {
    FileError(
      operation,
      path,
      code: EINVAL,
      reason: "it is a folder, a pipe or a device, not a file"
    )
  }

  /// The file is not there.
  package var isMissing: Bool { code == ENOENT }
  /// The file was there already, and was not to be.
  package var isThere: Bool { code == EEXIST }
  /// Another process has the lock.
  package var isLocked: Bool { code == EWOULDBLOCK }
  /// The disk, or what the user may take of it, is full.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT }
  /// The file system is read-only.
  package var isReadOnly: Bool { code == EROFS }
  /// The device does not do what is asked of it.
  package var isOfDevice: Bool { code == EIO }
  /// The process, or the system, has as many files open as it may.
  package var isOfOpenFiles: Bool { code == EMFILE || code == ENFILE }

  /// For the owner of the file: it names the path.
  package var description: String {
    "cannot \(operation) '\(path)': \(reason ?? String(cString: strerror(code)))"
  }
}
