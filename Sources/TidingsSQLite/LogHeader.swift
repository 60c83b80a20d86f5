/// The first 32 bytes of a write-ahead log.
///
/// - SeeAlso: SQLite, "WAL-mode File Format".
public struct LogHeader: Hashable, Sendable {
  /// Length of the header.
  public static let byteCount = 32
  private static let magic: UInt32 = 0x377f_0682
  private static let version: UInt32 = 3_007_000

  /// Which log it is.
  public let log: LogID
  /// Bytes of a page.
  public let pageBytes: Int
  /// How checksums read words.
  let readsBigEndian: Bool
  let checksum: LogChecksum

  /// The header in bytes; `nil` when it is damaged or none, which SQLite ignores together with all
  /// that follows.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount else { return nil }
    let words = bytes.withUnsafeBytes { bytes in (0..<8).map { bytes.bigEndianWord(4 * $0) } }
    let size = words[2]
    guard words[0] & ~1 == Self.magic, words[1] == Self.version, size >= 512, size <= 65_536,
      size & (size - 1) == 0
    else { return nil }
    let isBigEndian = words[0] & 1 == 1
    var sum = LogChecksum()
    bytes.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<24]), isBigEndian) }
    guard sum == LogChecksum(first: words[6], second: words[7]) else { return nil }
    checksum = sum
    readsBigEndian = isBigEndian
    pageBytes = Int(size)
    log = LogID(checkpoint: words[3], salt1: words[4], salt2: words[5])
  }
}

/// The checksum of a log up to a frame.
struct LogChecksum: Hashable, Sendable {
  var first: UInt32 = 0
  var second: UInt32 = 0

  /// Adds bytes, whose number is divisible by eight.
  mutating func add(_ bytes: UnsafeRawBufferPointer, _ readsBigEndian: Bool) {
    var (a, b) = (first, second)
    var offset = 0
    while offset + 8 <= bytes.count {
      let x = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let y = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      a = a &+ (readsBigEndian ? UInt32(bigEndian: x) : UInt32(littleEndian: x)) &+ b
      b = b &+ (readsBigEndian ? UInt32(bigEndian: y) : UInt32(littleEndian: y)) &+ a
      offset += 8
    }
    (first, second) = (a, b)
  }
}

extension UnsafeRawBufferPointer {
  /// The number in four bytes, the highest first.
  func bigEndianWord(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
