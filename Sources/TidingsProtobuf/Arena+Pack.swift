public import CProtobufC

/// Builds members of C messages, for generated code.
extension Arena {
  /// A string, without its U+0000s being ends.
  @inlinable
  public func packed(_ string: String) -> ProtobufCBinaryData {
    var string = string
    return string.withUTF8 { packed(UnsafeRawBufferPointer($0)) }
  }

  /// Bytes.
  @inlinable
  public func packed(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    bytes.withUnsafeBytes { packed($0) }
  }

  /// Copies bytes into the arena.
  public func packed(_ bytes: UnsafeRawBufferPointer) -> ProtobufCBinaryData {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return ProtobufCBinaryData() }
    let copy = allocate(byteCount: bytes.count)
    copy.copyMemory(from: source, byteCount: bytes.count)
    return ProtobufCBinaryData(
      len: bytes.count,
      data: copy.assumingMemoryBound(to: UInt8.self)
    )
  }

  /// A singular message.
  @inlinable
  public func packed<C>(
    _ message: some GeneratedMessage,
    as type: C.Type = C.self
  ) -> UnsafeMutablePointer<C> {
    message.packed(in: self).assumingMemoryBound(to: type)
  }

  /// A repeated member, element by element.
  @inlinable
  public func packed<Elements: Collection, C>(
    _ elements: Elements,
    _ convert: (Elements.Element) -> C
  ) -> UnsafeMutablePointer<C>? {
    guard !elements.isEmpty else { return nil }
    let start = allocate(C.self, count: elements.count)
    var next = start
    for element in elements {
      next.initialize(to: convert(element))
      next += 1
    }
    return start
  }

  /// A map: an array of pointers to entries, in the order of their keys.
  @inlinable
  public func packedMap<Key, Value, C>(
    _ map: [Key: Value],
    _ convert: ((key: Key, value: Value)) -> UnsafeMutablePointer<C>,
    isOrderedBefore: (UnsafeMutablePointer<C>, UnsafeMutablePointer<C>) -> Bool
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<C>?> {
    let start = allocate(UnsafeMutablePointer<C>.self, count: map.count)
    var next = start
    for element in map {
      next.initialize(to: convert(element))
      next += 1
    }
    if map.count > 1 {
      var entries = UnsafeMutableBufferPointer(start: start, count: map.count)
      entries.sort(by: isOrderedBefore)
    }
    // A pointer that is there has the form of an optional one.
    return UnsafeMutableRawPointer(start)
      .assumingMemoryBound(to: UnsafeMutablePointer<C>?.self)
  }
}

/// Orders map entries by the bytes of their keys, for generated code.
@inlinable
public func isOrderedBefore(_ a: ProtobufCBinaryData, _ b: ProtobufCBinaryData) -> Bool {
  UnsafeBufferPointer(start: a.data, count: a.len)
    .lexicographicallyPrecedes(UnsafeBufferPointer(start: b.data, count: b.len))
}
