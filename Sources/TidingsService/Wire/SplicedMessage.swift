internal import TidingsModel

/// Writes messages around bytes that are encoded already: an embedded message and a `bytes` field have
/// the same form on the wire, so what the store keeps goes to clients without being decoded.
///
/// Field numbers are those of `proto/tidings/v1`; tests read the results with the generated messages.
struct SplicedMessage {
  /// The message so far.
  private(set) var bytes: [UInt8] = []

  /// An empty message with room.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Adds a member of length-delimited type: a message, a string or bytes.
  mutating func add(_ field: Int, _ content: some Collection<UInt8>) {
    addHead(field, bytes: content.count)
    bytes += content
  }

  /// Adds a member of length-delimited type from memory.
  mutating func add(_ field: Int, _ content: UnsafeRawBufferPointer) {
    addHead(field, bytes: content.count)
    bytes += content
  }

  /// Adds a member of length-delimited type that is made of two parts and changed in place.
  mutating func add(
    _ field: Int,
    _ first: [UInt8],
    then second: [UInt8],
    _ change: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    addHead(field, bytes: first.count + second.count)
    let start = bytes.count
    bytes += first
    bytes += second
    bytes.withUnsafeMutableBytes { change(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Begins a member of length-delimited type; its content follows.
  mutating func addHead(_ field: Int, bytes count: Int) {
    addVarint(UInt64(field) << 3 | 2)
    addVarint(UInt64(count))
  }

  /// Adds a number.
  mutating func add(_ field: Int, varint value: UInt64) {
    addVarint(UInt64(field) << 3)
    addVarint(value)
  }

  /// Adds a number of 8 bytes.
  mutating func add(_ field: Int, fixed64 value: UInt64) {
    addVarint(UInt64(field) << 3 | 1)
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  /// Adds a `google.protobuf.Timestamp`.
  mutating func add(_ field: Int, _ time: Timestamp) {
    var message = SplicedMessage(capacity: 16)
    message.add(1, varint: UInt64(bitPattern: time.seconds))
    message.add(2, varint: UInt64(bitPattern: Int64(time.nanoseconds)))
    add(field, message.bytes)
  }

  /// Adds what is encoded already, as it is.
  mutating func append(_ encoded: some Sequence<UInt8>) { bytes += encoded }

  /// What is appended to the bytes of a stored record, which names no owner, for those with whom it is
  /// shared: messages merge.
  static func recordOwner(_ owner: String) -> [UInt8] {
    var (zone, recordID, record) = (SplicedMessage(), SplicedMessage(), SplicedMessage())
    zone.add(2, owner.utf8)
    recordID.add(2, zone.bytes)
    record.add(1, recordID.bytes)
    return record.bytes
  }

  /// How many bytes a member of length-delimited type takes, for field numbers below 16.
  static func memberBytes(_ content: Int) -> Int { 1 + varintBytes(content) + content }

  private static func varintBytes(_ value: Int) -> Int {
    max(1, (Int.bitWidth - value.leadingZeroBitCount + 6) / 7)
  }

  private mutating func addVarint(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
