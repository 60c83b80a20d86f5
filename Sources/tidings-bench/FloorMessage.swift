import BenchCore

/// The messages of the floor service, all of one size: an operation, a key, and what is stored.
struct FloorMessage {
  enum Operation: UInt8 {
    case save = 0x73
    case get = 0x67
  }

  /// As many as a record of the calls to rpcd has.
  static let byteCount = Calls.recordBytes
  private static let keyRange = 1..<1 + CallTemplate.digitCount

  let bytes: UnsafeRawBufferPointer
  let operation: Operation
  var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[Self.keyRange]) }

  init(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count == Self.byteCount, let operation = Operation(rawValue: bytes[0]) else {
      throw BenchError("a message that the floor service does not know")
    }
    self.bytes = bytes
    self.operation = operation
  }

  /// Calls of the service; the header has nothing but the call id.
  static func calls(_ operation: Operation, _ numbers: NumberSequence = .fresh) -> CallSequence {
    let digits = CallTemplate.namePlaceholder + CallTemplate.serialPlaceholder
    let body = [operation.rawValue] + digits.utf8
    let filler = [UInt8](repeating: 0x61, count: byteCount - body.count)
    return CallSequence(
      CallTemplate(header: [0x08, 0x80, 0x80, 0x80, 0x01], body: body + filler),
      numbers,
      check: .baseline
    )
  }
}
