public import TidingsWire

/// Reads the fields of an encoded message, for generated code.
///
/// `next` finds a field, and one of the other functions must read its value. A value of another form than
/// its field has makes the message malformed.
@frozen
public struct FieldReader {
  @usableFromInline var wire: WireReader<LentBytes>
  /// The form of the value that is to be read.
  @usableFromInline var type = WireType.delimited
  /// How many messages there may still be within this one.
  @usableFromInline let nestingLeft: Int
  /// Of all messages within the outermost one, which has it.
  @usableFromInline let bounds: UnsafeMutablePointer<Bounds>

  @usableFromInline
  struct Bounds {
    /// The name of the outermost message, for errors.
    @usableFromInline let root: String
    /// Bytes that values may still take.
    @usableFromInline var bytesLeft: Int
    /// The last text that Swift allocates, which many have twice: who created a record often changed it last.
    @usableFromInline var lastText: (bytes: LentBytes, text: String)?
    /// Up to so many bytes Swift keeps a text in place.
    static let inlineTextBytesMax = 15
    /// The last map of messages that was read entry by entry.
    @usableFromInline var lastMap: MapEntries?
    /// What maps of messages had in common: a `MapShape`.
    @usableFromInline var shape: AnyObject?
  }

  @usableFromInline
  init(_ bytes: LentBytes, nestingLeft: Int, _ bounds: UnsafeMutablePointer<Bounds>) {
    wire = WireReader(bytes)
    self.nestingLeft = nestingLeft
    self.bounds = bounds
  }

  /// Lends a reader of the fields of an outermost message.
  static func read(
    _ bytes: LentBytes,
    of name: String,
    bytesMax: Int,
    _ body: (inout FieldReader) throws(MessageDecodingError) -> Void
  ) throws(MessageDecodingError) {
    var bounds = Bounds(root: name, bytesLeft: bytesMax)
    try withUnsafeMutablePointer(to: &bounds) { (bounds) throws(MessageDecodingError) in
      var reader = FieldReader(bytes, nestingLeft: MessageDecodingError.nestingMax - 1, bounds)
      try body(&reader)
    }
  }

  /// Finds the next field.
  ///
  /// - Returns: Its number; `nil` at the end of the message.
  /// - Throws: When there is none, nor the end.
  @inlinable
  public mutating func next() throws(MessageDecodingError) -> Int? {
    if wire.isAtEnd { return nil }
    guard let (field, type) = try? wire.tag(), type != .groupEnd else { throw malformed }
    self.type = type
    return field
  }

  /// Skips a value.
  public mutating func skip(_ field: Int) throws(MessageDecodingError) {
    guard (try? wire.skip(field, type)) != nil else { throw malformed }
  }

  // MARK: Numbers

  /// A `uint64`.
  @inlinable
  public mutating func uint64() throws(MessageDecodingError) -> UInt64 {
    guard type == .varint, let value = try? wire.varint() else { throw malformed }
    return value
  }

  /// An `int64`.
  @inlinable
  public mutating func int64() throws(MessageDecodingError) -> Int64 {
    Int64(bitPattern: try uint64())
  }

  /// A `uint32`.
  @inlinable
  public mutating func uint32() throws(MessageDecodingError) -> UInt32 {
    UInt32(truncatingIfNeeded: try uint64())
  }

  /// An `int32`, or the number of an enum's value.
  @inlinable
  public mutating func int32() throws(MessageDecodingError) -> Int32 {
    Int32(truncatingIfNeeded: try uint64())
  }

  /// An `sint64`.
  @inlinable
  public mutating func sint64() throws(MessageDecodingError) -> Int64 {
    let value = try uint64()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// An `sint32`.
  @inlinable
  public mutating func sint32() throws(MessageDecodingError) -> Int32 {
    let value = try uint32()
    return Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1)
  }

  /// A `bool`.
  @inlinable
  public mutating func bool() throws(MessageDecodingError) -> Bool { try uint64() != 0 }

  /// A `fixed64`.
  @inlinable
  public mutating func fixed64() throws(MessageDecodingError) -> UInt64 {
    guard type == .fixed64, let value = try? wire.fixed64() else { throw malformed }
    return value
  }

  /// An `sfixed64`.
  @inlinable
  public mutating func sfixed64() throws(MessageDecodingError) -> Int64 {
    Int64(bitPattern: try fixed64())
  }

  /// A `double`.
  @inlinable
  public mutating func double() throws(MessageDecodingError) -> Double {
    Double(bitPattern: try fixed64())
  }

  /// A `fixed32`.
  @inlinable
  public mutating func fixed32() throws(MessageDecodingError) -> UInt32 {
    guard type == .fixed32, let value = try? wire.fixed32() else { throw malformed }
    return value
  }

  /// An `sfixed32`.
  @inlinable
  public mutating func sfixed32() throws(MessageDecodingError) -> Int32 {
    Int32(bitPattern: try fixed32())
  }

  /// A `float`.
  @inlinable
  public mutating func float() throws(MessageDecodingError) -> Float {
    Float(bitPattern: try fixed32())
  }

  /// The numbers of a list that have a variable length.
  @inlinable
  public mutating func varints(
    _ read: (inout FieldReader) throws(MessageDecodingError) -> Void
  ) throws(MessageDecodingError) {
    try numbers(.varint, read)
  }

  /// The numbers of a list that have 4 bytes.
  @inlinable
  public mutating func fixed32s(
    _ read: (inout FieldReader) throws(MessageDecodingError) -> Void
  ) throws(MessageDecodingError) {
    try numbers(.fixed32, read)
  }

  /// The numbers of a list that have 8 bytes.
  @inlinable
  public mutating func fixed64s(
    _ read: (inout FieldReader) throws(MessageDecodingError) -> Void
  ) throws(MessageDecodingError) {
    try numbers(.fixed64, read)
  }

  /// One number, or all that are packed in one value.
  @inlinable
  mutating func numbers(
    _ type: WireType,
    _ read: (inout FieldReader) throws(MessageDecodingError) -> Void
  ) throws(MessageDecodingError) {
    guard self.type == .delimited else { return try read(&self) }
    var list = self
    list.wire = WireReader(try delimited())
    list.type = type
    while !list.wire.isAtEnd {
      try charge(MemoryLayout<UInt64>.stride)
      try read(&list)
    }
  }

  // MARK: What has a length

  /// A `string`; the name is that of the field, for errors.
  public mutating func string(_ name: StaticString) throws(MessageDecodingError) -> String {
    try charge(MemoryLayout<String>.stride)
    let content = try delimited()
    let isAllocated = content.count > Bounds.inlineTextBytesMax
    if isAllocated, let last = bounds.pointee.lastText, last.bytes.count == content.count,
      last.bytes.begins(with: content)
    {
      return last.text
    }
    guard let string = Unpacked.validated(content.raw) else {
      throw MessageDecodingError(.invalidUTF8, in: name.description)
    }
    if isAllocated { bounds.pointee.lastText = (content, string) }
    return string
  }

  /// A `bytes`.
  public mutating func bytes() throws(MessageDecodingError) -> [UInt8] {
    try charge(MemoryLayout<String>.stride)
    return [UInt8](try delimited().raw)
  }

  /// A message.
  @inlinable
  public mutating func message<M: GeneratedMessage>() throws(MessageDecodingError) -> M {
    var message = M()
    try self.message(into: &message)
    return message
  }

  /// A message, which is merged with what the same field has brought before.
  ///
  /// It is read where it is to be: to return it would copy it.
  @inlinable
  public mutating func message<M: GeneratedMessage>(
    into message: inout M
  ) throws(MessageDecodingError) {
    try charge(MemoryLayout<M>.stride)
    var fields = try nested()
    try message.readFields(&fields)
  }

  /// The message of a field that may be absent.
  @inlinable
  public mutating func message<M: GeneratedMessage>(
    into message: inout M?
  ) throws(MessageDecodingError) {
    try charge(MemoryLayout<M>.stride)
    var fields = try nested()
    if message == nil { message = M() }
    try message?.readFields(&fields)
  }

  /// A message of a list.
  @inlinable
  public mutating func message<M: GeneratedMessage>(
    appendingTo list: inout [M]
  ) throws(MessageDecodingError) {
    list.append(M())
    try message(into: &list[list.count - 1])
  }

  /// The fields of a message within this one, such as an entry of a map.
  @inlinable
  public mutating func nested() throws(MessageDecodingError) -> FieldReader {
    guard nestingLeft > 0 else { throw error(.nestedTooDeeply) }
    try charge(Self.messageBytes)
    return FieldReader(try delimited(), nestingLeft: nestingLeft - 1, bounds)
  }

  /// How many entries of a map are here in succession, the one that was found included.
  ///
  /// To make room for them at once is a sixth of the time of reading a record. At most 64: they are not charged yet.
  public func entryCount(of map: Int) -> Int {
    var (rest, type, count) = (wire, type, 0)
    repeat {
      count += 1
      guard count < 64, (try? rest.skip(map, type)) != nil, !rest.isAtEnd,
        let (field, next) = try? rest.tag(), field == map
      else { break }
      type = next
    } while true
    return count
  }

  /// What a message takes beside its fields.
  @inlinable static var messageBytes: Int { 32 }

  @inlinable
  mutating func delimited() throws(MessageDecodingError) -> LentBytes {
    guard type == .delimited, let content = try? wire.delimited() else { throw malformed }
    return content
  }

  @inlinable
  func charge(_ bytes: Int) throws(MessageDecodingError) {
    bounds.pointee.bytesLeft -= bytes
    if bounds.pointee.bytesLeft < 0 { throw error(.arenaExhausted) }
  }

  @inlinable var malformed: MessageDecodingError { error(.malformed) }

  @usableFromInline
  func error(_ reason: MessageDecodingError.Reason) -> MessageDecodingError {
    MessageDecodingError(reason, in: bounds.pointee.root)
  }
}
