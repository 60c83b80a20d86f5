extension LentBytes {
  /// Takes the next member of a message off these bytes, if it is the one that is expected and has a length.
  ///
  /// For messages whose form was checked before, or that have only one: nothing here costs more than comparing bytes.
  ///
  /// - Parameter member: Its number, below 16.
  /// - Returns: Its content; `nil`: another member comes next, or nothing valid.
  @inlinable
  @inline(__always)
  public mutating func take(_ member: Int) -> LentBytes? {
    guard end - start >= 2, start[0] == UInt8(truncatingIfNeeded: member << 3 | 2) else {
      return nil
    }
    var content = start + 2
    var length = Int(start[1])
    if length >= 0x80 {
      var rest = LentBytes(start: start + 1, end: end)
      guard let long = rest.takeVarint(), long <= UInt64(Int.max) else { return nil }
      (content, length) = (rest.start, Int(long))
    }
    guard length <= end - content else { return nil }
    let next = content + length
    self = LentBytes(start: next, end: end)
    return LentBytes(start: content, end: next)
  }

  /// Takes an integer of variable length off these bytes; `nil`: there is none, or it has more than 64 bits.
  @inlinable
  public mutating func takeVarint() -> UInt64? {
    var (position, value, shift) = (start, UInt64(0), UInt64(0))
    while position < end, shift < 64 {
      let byte = position.pointee
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 {
        guard shift < 63 || byte == 1 else { return nil }
        self = LentBytes(start: position, end: end)
        return value
      }
      shift += 7
    }
    return nil
  }

  /// Takes 8 bytes off these bytes, a number with its lowest byte first; `nil`: there are fewer.
  @inlinable
  public mutating func takeFixed64() -> UInt64? {
    guard end - start >= 8 else { return nil }
    let value = UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)
    self = LentBytes(start: start + 8, end: end)
    return UInt64(littleEndian: value)
  }

  /// Takes the first byte off; `nil`: there is none.
  @inlinable
  public mutating func takeByte() -> UInt8? {
    guard start < end else { return nil }
    let byte = start.pointee
    self = LentBytes(start: start + 1, end: end)
    return byte
  }
}
