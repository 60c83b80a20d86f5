/// Why a file cannot be used as a backup.
package struct BackupError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  package let description: String

  /// An error in words.
  init(_ description: String) { self.description = description }

  /// Bytes that no backup has.
  static func damaged(_ what: String, at offset: UInt64) -> Self {
    Self("the backup is damaged at byte \(offset) (\(what)): use another one")
  }

  /// The file ends before the backup does.
  static func cut(at offset: UInt64) -> Self {
    Self("the backup is incomplete, it ends after \(offset) bytes: use another one")
  }
}
