/// The layout of a backup file.
///
/// A head of 16 bytes, then sections. Each is a kind (1 byte), the length of its content (4 bytes,
/// big-endian), the content, and a SHA-256 over the checksum of the section before it (of the first
/// one: of the head) and all that. So the last checksum covers the whole file, every byte is verified
/// as it comes, and a section cannot be removed, added or moved.
package enum BackupFormat {
  /// The version of this layout.
  package static let version: UInt8 = 1
  /// Most bytes of database pages or of an asset in one section.
  package static let pieceBytesMax = 1 << 20
  /// Most bytes of a manifest.
  package static let manifestBytesMax = 64 << 10

  /// What every backup begins with; the version follows.
  static let magic = Array("tidings backup\n".utf8)
  static let headBytes = magic.count + 1
  /// Kind and length.
  static let sectionHeadBytes = 5
  /// Most bytes of a section's content: a piece, and where it belongs.
  static let contentBytesMax = pieceBytesMax + 8

  /// The first bytes of a file.
  static var head: [UInt8] { magic + [version] }

  /// What a section is.
  enum Kind: UInt8 {
    case manifest = 0x6d
    case pages = 0x70
    case asset = 0x61
    case piece = 0x62
    case damagedAsset = 0x64
    case end = 0x65
  }
}
