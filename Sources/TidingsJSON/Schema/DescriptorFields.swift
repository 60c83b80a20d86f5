internal import TidingsWire

/// The fields of one descriptor message, by number.
///
/// Descriptors are read here without protobuf-c, whose C strings would end at U+0000 and whose
/// decoder has no bound on depth; the transcoder needs a reader of the wire anyway.
struct DescriptorFields {
  private var values: [Int: [WireField]] = [:]

  init(_ bytes: ArraySlice<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    while let (number, value) = try reader.next() { values[number, default: []].append(value) }
  }

  /// The contents of a repeated message or string.
  func messages(_ number: Int) -> [ArraySlice<UInt8>] {
    (values[number] ?? []).compactMap { value in
      if case .bytes(let bytes) = value { bytes } else { nil }
    }
  }

  func string(_ number: Int) -> String {
    messages(number).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  func integer(_ number: Int) -> Int? {
    guard case .varint(let value)? = values[number]?.last else { return nil }
    return Int(truncatingIfNeeded: value)
  }

  func bool(_ number: Int) -> Bool? { integer(number).map { $0 != 0 } }

  /// Options of a descriptor, empty if there are none.
  func options(_ number: Int) throws(WireError) -> DescriptorFields {
    try DescriptorFields(messages(number).last ?? [])
  }

  /// A repeated int32, packed or not.
  func integers(_ number: Int) throws(WireError) -> [Int] {
    var integers: [Int] = []
    for value in values[number] ?? [] {
      switch value {
      case .varint(let value): integers.append(Int(truncatingIfNeeded: value))
      case .bytes(let bytes):
        var reader = WireReader(bytes)
        while !reader.isAtEnd { integers.append(Int(truncatingIfNeeded: try reader.varint())) }
      default: throw WireError()
      }
    }
    return integers
  }
}
