/// The form of a value on the wire.
@frozen
public enum WireType: UInt64, Sendable {
  /// An integer of variable length.
  case varint = 0
  /// 8 bytes.
  case fixed64 = 1
  /// A length and that many bytes: a message, a string, bytes, packed numbers.
  case delimited = 2
  /// The begin of a proto2 group.
  case groupStart = 3
  /// Its end.
  case groupEnd = 4
  /// 4 bytes.
  case fixed32 = 5
}

/// Sizes on the wire, in bytes.
public enum WireSize {
  /// The size of an integer of variable length.
  @inlinable
  public static func varint(_ value: UInt64) -> Int {
    (UInt64.bitWidth - (value | 1).leadingZeroBitCount + 6) / 7
  }

  /// The size of a field with so many bytes of content, whose number is below 16.
  @inlinable
  public static func field(_ content: Int) -> Int { 1 + varint(UInt64(content)) + content }
}
