public import TidingsWire

/// The entries of a map of messages that are in succession, as long as each has a key and a message.
@usableFromInline
struct MapEntries {
  /// The key of an entry.
  @usableFromInline
  struct Key {
    /// How the entry begins: all before the length of its message.
    let head: LentBytes
    let text: LentBytes
  }

  /// Most entries of a map with a shape.
  private static let countMax = 64

  /// After the entries that were read.
  @usableFromInline private(set) var wire: WireReader<LentBytes>
  /// Of each entry, as on the wire.
  private let tag: UInt64
  /// The tag of an entry was read.
  private var isAtEntry: Bool

  /// Entries of a map, after the tag of the first.
  @usableFromInline
  init(_ wire: WireReader<LentBytes>, of field: Int) {
    (self.wire, isAtEntry) = (wire, true)
    tag = UInt64(field) << 3 | WireType.delimited.rawValue
  }

  /// Whether these are all entries, and begin as those of a shape.
  @usableFromInline
  func match<Value>(_ shape: MapShape<Value>) -> Bool {
    var rest = self
    for position in shape.positions where !rest.skip(position.head) { return false }
    return !rest.findEntry()
  }

  /// The keys, if other entries have the same, and not too many.
  @usableFromInline
  func keys(sameAs other: MapEntries) -> [Key]? {
    var (rest, others, keys): (MapEntries, MapEntries, [Key]) = (self, other, [])
    while let content = rest.next() {
      guard keys.count < Self.countMax, let key = Self.key(of: content), others.skip(key.head)
      else { return nil }
      keys.append(key)
    }
    return others.findEntry() ? nil : keys
  }

  /// Reads an entry.
  @usableFromInline
  mutating func next() -> LentBytes? {
    guard findEntry(), let content = try? wire.delimited() else { return nil }
    isAtEntry = false
    return content
  }

  /// Skips an entry, if it begins like this, and a message is all that follows.
  private mutating func skip(_ head: LentBytes) -> Bool {
    guard let content = next(), content.begins(with: head) else { return false }
    var rest = WireReader(content[(content.startIndex + head.count)...])
    return (try? rest.delimited()) != nil && rest.isAtEnd
  }

  private static func key(of content: LentBytes) -> Key? {
    var parts = WireReader(content)
    guard let key = parts.nextDelimited(), key.field == 1,
      let (part, type) = try? parts.tag(), part == 2, type == .delimited
    else { return nil }
    return Key(head: content[..<parts.rest.startIndex], text: key.content)
  }

  private mutating func findEntry() -> Bool {
    if isAtEntry { return true }
    var ahead = wire
    guard !ahead.isAtEnd, (try? ahead.varint()) == tag else { return false }
    (wire, isAtEntry) = (ahead, true)
    return true
  }
}
