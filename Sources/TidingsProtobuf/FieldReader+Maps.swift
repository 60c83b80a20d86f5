public import TidingsWire

extension FieldReader {
  /// Reads the entry of a map of messages that was found, or, with the keys of earlier maps, all its entries.
  ///
  /// - Parameters:
  ///   - map: Where the entry belongs.
  ///   - field: The number of the map's field.
  ///   - name: The name of the map's field, for errors.
  /// - Throws: When it is malformed.
  @inlinable
  public mutating func entry<Value: GeneratedMessage>(
    of map: inout [String: Value],
    _ field: Int,
    _ name: StaticString
  ) throws(MessageDecodingError) {
    if map.isEmpty, type == .delimited {
      let entries = MapEntries(wire, of: field)
      if nestingLeft > 1, let shape = bounds.pointee.shape as? MapShape<Value>,
        entries.match(shape)
      {
        return try read(&map, entries, shape)
      }
      if let last = bounds.pointee.lastMap, let keys = entries.keys(sameAs: last) {
        bounds.pointee.shape = MapShape<Value>(keys)
      }
      bounds.pointee.lastMap = entries
      map.reserveCapacity(entryCount(of: field))
    }
    var entry = try nested()
    var (key, value) = ("", Value())
    while let part = try entry.next() {
      switch part {
      case 1: key = try entry.string(name)
      case 2: try entry.message(into: &value)
      default: try entry.skip(part)
      }
    }
    map[key] = value
  }

  /// Reads a map with the keys of a shape, the values where they are in the dictionary.
  @inlinable
  mutating func read<Value: GeneratedMessage>(
    _ map: inout [String: Value],
    _ entries: MapEntries,
    _ shape: MapShape<Value>
  ) throws(MessageDecodingError) {
    var entries = entries
    map = shape.empty
    for (head, index) in shape.positions {
      guard let content = entries.next() else { throw malformed }
      var message = WireReader(content[(content.startIndex + head.count)...])
      guard let content = try? message.delimited() else { throw malformed }
      try charge(MemoryLayout<(String, Value)>.stride + Self.messageBytes << 1)
      var fields = FieldReader(content, nestingLeft: nestingLeft - 2, bounds)
      try map.values[index].readFields(&fields)
    }
    wire = entries.wire
  }
}
