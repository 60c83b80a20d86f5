internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQLite

/// What is known of a store beside it: how far its acknowledged commits reach.
///
/// Compared with the database and its log before they are used, it shows that one of them is missing,
/// was cut or is an older copy.
struct StoreState: Hashable, Sendable {
  /// Which store it is: 8 bytes.
  var incarnation: [UInt8]
  /// Goes up with each start and each clean stop; the database holds it too.
  var run: Int64
  /// The run was ended cleanly: the log may have been moved and removed since.
  var isStopped = false
  /// The end of the last commit of this run; `nil`: none was noted.
  var position: LogPosition?
  /// How often the database's first page had been written when the log was started, according to the
  /// database file.
  var firstPageVersion: UInt32 = 0
  /// When the last commit was noted.
  var lastCommit = Timestamp(millisecondsSince1970: 0)
  /// Files of assets without rows are left alone until then: a run did not end cleanly.
  var sweepsAfter = SteadyTime(milliseconds: 0)

  static let incarnationBytes = 8
}

extension StoreState {
  /// Length of a state in bytes.
  static let byteCount = 80
  private static let magic: [UInt8] = Array("TdState1".utf8)

  /// The state in bytes, with a checksum at their end.
  ///
  /// - Parameter number: Which of two states is newer.
  /// - Returns: `byteCount` bytes.
  func encoded(_ number: UInt64) -> [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.byteCount)
    bytes.append(bigEndian: number)
    bytes += incarnation
    bytes.append(bigEndian: run)
    bytes.append(bigEndian: lastCommit.millisecondsSince1970)
    bytes.append(bigEndian: sweepsAfter.milliseconds)
    bytes.append(bigEndian: UInt32(isStopped ? 1 : 0) | (position == nil ? 0 : 2))
    let position = position ?? LogPosition(log: .init(checkpoint: 0, salt1: 0, salt2: 0), frames: 0)
    for word in [position.log.checkpoint, position.log.salt1, position.log.salt2] {
      bytes.append(bigEndian: word)
    }
    bytes.append(bigEndian: position.frames)
    bytes.append(bigEndian: firstPageVersion)
    bytes.append(bigEndian: Self.checksum(bytes[...]))
    return bytes
  }

  /// A state and its number; `nil` when the bytes are damaged or none.
  static func decoded(_ bytes: ArraySlice<UInt8>) -> (state: StoreState, number: UInt64)? {
    guard bytes.count == byteCount, bytes.starts(with: magic) else { return nil }
    var rest = bytes.dropFirst(magic.count)
    let number: UInt64 = rest.takeBigEndian()
    let incarnation = Array(rest.prefix(incarnationBytes))
    rest = rest.dropFirst(incarnationBytes)
    let run: Int64 = rest.takeBigEndian()
    let lastCommit = Timestamp(millisecondsSince1970: rest.takeBigEndian())
    let sweepsAfter = SteadyTime(milliseconds: rest.takeBigEndian())
    let flags: UInt32 = rest.takeBigEndian()
    let log = LogID(
      checkpoint: rest.takeBigEndian(),
      salt1: rest.takeBigEndian(),
      salt2: rest.takeBigEndian()
    )
    let position = LogPosition(log: log, frames: rest.takeBigEndian())
    let firstPageVersion: UInt32 = rest.takeBigEndian()
    let sum: UInt64 = rest.takeBigEndian()
    guard sum == checksum(bytes.dropLast(8)), Timestamp.validRange.contains(lastCommit) else {
      return nil
    }
    let state = StoreState(
      incarnation: incarnation,
      run: run,
      isStopped: flags & 1 != 0,
      position: flags & 2 != 0 ? position : nil,
      firstPageVersion: firstPageVersion,
      lastCommit: lastCommit,
      sweepsAfter: sweepsAfter
    )
    return (state, number)
  }

  /// FNV-1a, 64 bits: it detects a torn write, not a forgery.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}

extension ArraySlice<UInt8> {
  /// The next number; the caller knows that it is there.
  fileprivate mutating func takeBigEndian<Number: FixedWidthInteger>() -> Number {
    let width = Number.bitWidth / 8
    defer { self = dropFirst(width) }
    return prefix(width).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}
