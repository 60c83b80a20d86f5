public import CProtobufC

/// Converts members of unpacked C messages, for generated code.
public enum Unpacked {
  /// A string; the C member has the type of `bytes`, so that its length is known.
  @inlinable
  public static func string(
    _ data: ProtobufCBinaryData,
    _ field: StaticString
  ) throws(MessageDecodingError) -> String {
    guard data.len > 0 else { return "" }
    let bytes = UnsafeBufferPointer(start: data.data, count: data.len)
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw MessageDecodingError(.invalidUTF8, in: field.description)
    }
    return string
  }

  /// Bytes.
  @inlinable
  public static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
    [UInt8](UnsafeBufferPointer(start: data.data, count: data.len))
  }

  /// A bool, which is an `int` in C.
  @inlinable
  public static func bool(_ value: protobuf_c_boolean) -> Bool { value != 0 }

  /// A repeated string.
  public static func strings(
    _ count: Int,
    _ start: UnsafeMutablePointer<ProtobufCBinaryData>?,
    _ field: StaticString
  ) throws(MessageDecodingError) -> [String] {
    var strings: [String] = []
    strings.reserveCapacity(count)
    for data in UnsafeBufferPointer(start: start, count: count) {
      strings.append(try string(data, field))
    }
    return strings
  }

  /// A repeated byte string.
  public static func byteStrings(
    _ count: Int,
    _ start: UnsafeMutablePointer<ProtobufCBinaryData>?
  ) -> [[UInt8]] {
    UnsafeBufferPointer(start: start, count: count).map { bytes($0) }
  }

  /// A repeated number.
  @inlinable
  public static func numbers<T: BitwiseCopyable>(
    _ count: Int,
    _ start: UnsafeMutablePointer<T>?
  ) -> [T] {
    [T](UnsafeBufferPointer(start: start, count: count))
  }

  /// A repeated bool.
  public static func bools(
    _ count: Int,
    _ start: UnsafeMutablePointer<protobuf_c_boolean>?
  ) -> [Bool] {
    UnsafeBufferPointer(start: start, count: count).map { $0 != 0 }
  }

  /// A repeated enum; enums are an `int` in C, whether clang calls it signed or not.
  @inlinable
  public static func enums<E: RawRepresentable<Int32>, C: BitwiseCopyable>(
    _ count: Int,
    _ start: UnsafeMutablePointer<C>?,
    _ make: (Int32) -> E
  ) -> [E] {
    let start = UnsafeRawPointer(start)
    return (0..<count).compactMap { index in
      start.map { make($0.load(fromByteOffset: index << 2, as: Int32.self)) }
    }
  }

  /// A repeated message.
  @inlinable
  public static func messages<M: GeneratedMessage, C>(
    _ count: Int,
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<C>?>?
  ) throws(MessageDecodingError) -> [M] {
    var messages: [M] = []
    messages.reserveCapacity(count)
    for case let pointer? in UnsafeBufferPointer(start: start, count: count) {
      messages.append(try M(unpacked: UnsafeRawPointer(pointer)))
    }
    return messages
  }

  /// A singular message; `nil` when absent.
  @inlinable
  public static func message<M: GeneratedMessage, C>(
    _ pointer: UnsafeMutablePointer<C>?
  ) throws(MessageDecodingError) -> M? {
    guard let pointer else { return nil }
    return try M(unpacked: UnsafeRawPointer(pointer))
  }
}
