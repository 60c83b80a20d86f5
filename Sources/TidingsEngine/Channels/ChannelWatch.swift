internal import TidingsMatcher
internal import TidingsModel

/// What the channel index wants to know of a channel, as the store keeps it beside the definition.
///
/// Starting with a million channels, parsing the texts of their predicates would take half a minute.
struct ChannelWatch: Hashable {
  var kind: Subscription.Kind
  /// Empty: all types.
  var recordType: String
  /// `nil`: all zones.
  var zoneID: ZoneID?
  var options: Subscription.FiringOptions
  var predicate: Predicate

  init(_ definition: Subscription) {
    kind = definition.kind
    recordType = definition.recordType
    zoneID = definition.zoneID
    options = definition.options
    predicate = definition.predicate
  }
}

/// The bytes: the version, kind, options, record type, zone; then the canonical predicate in postfix
/// order. Numbers are in LEB128 or 8 bytes, little-endian; strings and bytes have their length before
/// them. Bytes of another version are recreated from the definition: the version rises with any change
/// of this form, of the canonical form of predicates, or of the numbers of its operators.
extension ChannelWatch {
  fileprivate static let version: UInt8 = 1

  fileprivate enum Tag {
    static let comparison: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let not: UInt8 = 3
    static let and: UInt8 = 4
    static let or: UInt8 = 5
    /// Of a value, beside the numbers of `MeaningClass`: a time with more than milliseconds.
    static let preciseTime: UInt8 = 0x80
  }

  /// The bytes.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(UInt8(truncatingIfNeeded: kind.rawValue))
    writer.write(number: UInt64(bitPattern: options.rawValue))
    writer.write(recordType)
    writer.write(zoneID?.zoneName ?? "")
    for item in predicate.postfix { writer.write(item) }
    return writer.bytes
  }

  /// What bytes say; `nil`: they are of another version, or damaged.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    guard let head = reader.watchHead() else { return nil }
    var items: [Predicate.PostfixItem] = []
    while !reader.isAtEnd {
      guard let item = reader.postfixItem() else { return nil }
      items.append(item)
    }
    guard let predicate = try? Predicate(canonicalPostfix: items) else { return nil }
    kind = head.kind
    recordType = head.recordType
    zoneID = head.zoneID
    options = head.options
    self.predicate = predicate
  }

  /// What stands before the predicate.
  fileprivate struct Head {
    var kind: Subscription.Kind
    var recordType: String
    var zoneID: ZoneID?
    var options: Subscription.FiringOptions
  }
}

/// What a query channel watches whose predicate says that a few conditions hold, as most do.
///
/// Read without making a tree, which would take longer than all else at a start with a million.
struct ConjunctionWatch {
  var recordType: String
  /// `nil`: all zones.
  var zoneID: ZoneID?
  var options: Subscription.FiringOptions
  var conditions: [Condition]

  /// What the bytes of a `ChannelWatch` say; `nil`: something else.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    guard let head = reader.watchHead(), head.kind == .query,
      head.options.isDisjoint(with: [.recordEnter, .recordLeave]),
      let conditions = reader.conjunction()
    else { return nil }
    recordType = head.recordType
    zoneID = head.zoneID
    options = head.options
    self.conditions = conditions
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ item: Predicate.PostfixItem) {
    switch item {
    case .comparison(let comparison):
      write(ChannelWatch.Tag.comparison)
      write(comparison)
    case .constant(let value): write(value ? ChannelWatch.Tag.yes : ChannelWatch.Tag.no)
    case .not: write(ChannelWatch.Tag.not)
    case .and(let count):
      write(ChannelWatch.Tag.and)
      write(number: UInt64(count))
    case .or(let count):
      write(ChannelWatch.Tag.or)
      write(number: UInt64(count))
    }
  }

  private mutating func write(_ comparison: Predicate.Comparison) {
    write(comparison.operator.rawValue)
    write(comparison.modifier.rawValue << 1 | (comparison.isCaseInsensitive ? 1 : 0))
    write(comparison.field)
    write(number: UInt64(comparison.values.count))
    for value in comparison.values { write(value) }
  }

  private mutating func write(_ value: FieldValue) {
    if case .timestamp(let time) = value { return write(time) }
    write(value.meaningClass?.rawValue ?? .max)
    switch value {
    case .int64(let value):
      write(0 as UInt8)
      write(word: UInt64(bitPattern: value))
    case .double(let value):
      write(1 as UInt8)
      write(word: value.bitPattern)
    case .string(let value): write(value)
    case .bytes(let value): write(value)
    case .location(let value):
      write(word: value.latitude.bitPattern)
      write(word: value.longitude.bitPattern)
    case .reference(let value):
      write(value.recordID.zoneID.zoneName)
      write(value.recordID.recordName)
    // No comparison has others: their class says so, and is not read.
    default: break
    }
  }
}

extension ByteWriter {
  /// A whole millisecond as earlier versions had it, so that their bytes stay good; any other time apart.
  fileprivate mutating func write(_ time: Timestamp) {
    let rest = time.nanosecondsOfMillisecond
    write(rest == 0 ? FieldValue.MeaningClass.timestamp.rawValue : ChannelWatch.Tag.preciseTime)
    write(word: UInt64(bitPattern: time.millisecondsSince1970))
    if rest > 0 { write(number: UInt64(rest)) }
  }
}

extension ByteReader {
  fileprivate mutating func watchHead() -> ChannelWatch.Head? {
    guard byte() == ChannelWatch.version,
      let kind = byte().flatMap({ Subscription.Kind(rawValue: Int32($0)) }),
      let options = number(),
      let recordType = string(),
      let zone = string()
    else { return nil }
    return ChannelWatch.Head(
      kind: kind,
      recordType: recordType,
      zoneID: zone.isEmpty ? nil : ZoneID(zoneName: zone),
      options: Subscription.FiringOptions(rawValue: Int64(bitPattern: options))
    )
  }

  /// The predicate, if it is one condition, or the AND of some.
  fileprivate mutating func conjunction() -> [Condition]? {
    var conditions: [Condition] = []
    // As many as most have.
    conditions.reserveCapacity(2)
    while let tag = byte() {
      switch tag {
      case ChannelWatch.Tag.comparison:
        guard let condition = condition(), conditions.count < Condition.countMax else { return nil }
        conditions.append(condition)
      case ChannelWatch.Tag.not:
        guard let last = conditions.indices.last, !conditions[last].negated else { return nil }
        conditions[last].negated = true
      case ChannelWatch.Tag.and:
        guard conditions.count > 1, number() == UInt64(conditions.count), isAtEnd else {
          return nil
        }
        return conditions
      default: return nil
      }
    }
    return conditions.count == 1 ? conditions : nil
  }

  /// A comparison with one value that does not regard case or members.
  private mutating func condition() -> Condition? {
    guard let symbol = byte().flatMap({ Predicate.Comparison.Operator(rawValue: $0) }),
      byte() == 0,
      let field = string(),
      number() == 1,
      let value = value()
    else { return nil }
    return Condition(field: field, operator: symbol, value: value)
  }

  fileprivate mutating func preciseTime() -> FieldValue? {
    guard let word = word(), let rest = number(), (1...999_999).contains(rest) else { return nil }
    return .timestamp(
      Timestamp(milliseconds: Int64(bitPattern: word), nanoseconds: Int32(rest))
    )
  }

  fileprivate mutating func postfixItem() -> Predicate.PostfixItem? {
    switch byte() {
    case ChannelWatch.Tag.comparison: comparison().map { .comparison($0) }
    case ChannelWatch.Tag.no: .constant(false)
    case ChannelWatch.Tag.yes: .constant(true)
    case ChannelWatch.Tag.not: .not
    case ChannelWatch.Tag.and: number().flatMap { Int(exactly: $0) }.map { .and($0) }
    case ChannelWatch.Tag.or: number().flatMap { Int(exactly: $0) }.map { .or($0) }
    default: nil
    }
  }

  private mutating func comparison() -> Predicate.Comparison? {
    guard let symbol = byte().flatMap({ Predicate.Comparison.Operator(rawValue: $0) }),
      let flags = byte(),
      let modifier = Predicate.Comparison.Modifier(rawValue: flags >> 1),
      let field = string(),
      let count = number()
    else { return nil }
    var values: [FieldValue] = []
    // Each value takes a byte at least.
    guard count <= remaining else { return nil }
    for _ in 0..<count {
      guard let value = value() else { return nil }
      values.append(value)
    }
    return Predicate.Comparison(
      field: field,
      operator: symbol,
      values: values,
      modifier: modifier,
      isCaseInsensitive: flags & 1 == 1
    )
  }

  private mutating func value() -> FieldValue? {
    let tag = byte()
    if tag == ChannelWatch.Tag.preciseTime { return preciseTime() }
    switch tag.flatMap({ FieldValue.MeaningClass(rawValue: $0) }) {
    case .number:
      guard let isDouble = byte(), isDouble <= 1, let word = word() else { return nil }
      return isDouble == 1
        ? .double(Double(bitPattern: word)) : .int64(Int64(bitPattern: word))
    case .string: return string().map { .string($0) }
    case .bytes: return bytes().map { .bytes([UInt8]($0)) }
    case .timestamp:
      return word().map { .timestamp(Timestamp(millisecondsSince1970: Int64(bitPattern: $0))) }
    case .location:
      guard let latitude = word(), let longitude = word() else { return nil }
      return .location(
        Location(
          latitude: Double(bitPattern: latitude),
          longitude: Double(bitPattern: longitude)
        )
      )
    case .reference:
      guard let zone = string(), let name = string() else { return nil }
      let id = RecordID(recordName: name, zoneID: ZoneID(zoneName: zone))
      return .reference(Reference(recordID: id))
    case nil: return nil
    }
  }
}
