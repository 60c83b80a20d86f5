/// Walks over the first members of a stored message, as long as they are of length-delimited type.
struct StoredMembers {
  private var rest: UnsafeRawBufferPointer

  /// The members of an encoded message, valid as long as its bytes.
  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  /// The next member; `nil`: there is none, or it has another type.
  mutating func next() -> (field: UInt64, content: UnsafeRawBufferPointer)? {
    guard let tag = varint(), tag & 7 == 2, let count = varint(), count <= rest.count else {
      return nil
    }
    let content = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count)))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
    return (tag >> 3, content)
  }

  private mutating func varint() -> UInt64? {
    var (value, shift) = (UInt64(0), UInt64(0))
    while let byte = rest.first, shift < 64 {
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
      value |= UInt64(byte & 0x7f) << shift
      guard byte & 0x80 != 0 else { return value }
      shift += 7
    }
    return nil
  }
}
