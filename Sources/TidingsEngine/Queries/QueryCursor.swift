internal import TidingsModel
internal import TidingsSeal

/// Where a query is continued: all that its next page needs, kept by the client.
///
/// To clients it is opaque: a version, the store's incarnation, and the number of the store's start with
/// the content, sealed with a key that the store has for each user: it may name a record that the user
/// may not read.
struct QueryCursor: Hashable {
  /// A zone, and its number when the query began.
  struct Begin: Hashable {
    var zone: Int64
    var head: Int64
  }

  var query: RecordQuery
  var plan: QueryPlan
  /// When the query began.
  var began: SteadyTime
  /// The zones of the query, in the order of their numbers.
  var zones: [Begin]
  /// The first record that was not looked at, or not returned.
  var next: QueryPosition

  private static let version: UInt8 = 4

  // MARK: Bytes

  /// The bytes for the client.
  func encoded(for user: String, identity: StoreIdentity) -> [UInt8] {
    var writer = CursorWriter()
    writer.write(identity.starts.newest ?? 0)
    writer.write(began.milliseconds)
    writer.write(query)
    writer.write(plan)
    var last: Int64 = 0
    writer.write(zones) { writer, begin in
      writer.write(begin.zone - last)
      writer.write(begin.head)
      last = begin.zone
    }
    writer.write(next.keys) { $0.write($1) }
    writer.write(next.zone)
    writer.write(next.name)
    let sealed = Self.key(of: user, identity).sealed(writer.bytes)
    return [Self.version] + identity.incarnation + sealed
  }

  /// Reads a cursor that a client sent.
  ///
  /// - Throws: `invalidArguments` for bytes that are no cursor of this user's;
  ///   `changeTokenExpired` for one from before a restored backup, or an older copy that was put in
  ///   place.
  init(_ bytes: [UInt8], of user: String, identity: StoreIdentity) throws(ItemError) {
    let headBytes = 1 + identity.incarnation.count
    guard bytes.count >= headBytes, bytes[0] == Self.version else {
      throw Self.foreign
    }
    guard bytes[1..<headBytes].elementsEqual(identity.incarnation) else {
      throw Self.restored
    }
    guard let content = Self.key(of: user, identity).open(Array(bytes.dropFirst(headBytes))) else {
      throw Self.foreign
    }
    var reader = CursorReader(content[...])
    let start = reader.number()
    guard let cursor = Self.content(&reader), reader.isAtEnd else { throw Self.foreign }
    guard identity.starts.include(start) else { throw Self.restored }
    self = cursor
  }

  private static let restored = ItemError(
    .changeTokenExpired,
    "the cursor was issued before the server's data was restored: run the query again"
  )

  init(
    query: RecordQuery,
    plan: QueryPlan,
    began: SteadyTime,
    zones: [Begin],
    next: QueryPosition
  ) {
    self.query = query
    self.plan = plan
    self.began = began
    self.zones = zones
    self.next = next
  }

  private static func content(_ reader: inout CursorReader) -> QueryCursor? {
    guard let began = reader.number(), let query = reader.query(), let plan = reader.plan() else {
      return nil
    }
    var last: Int64 = 0
    let zones = reader.list { reader -> Begin? in
      guard let step = reader.number(), let head = reader.number() else { return nil }
      last += step
      return Begin(zone: last, head: head)
    }
    guard let zones, let keys = reader.list({ $0.key() }), let zone = reader.number(),
      let name = reader.text()
    else { return nil }
    return QueryCursor(
      query: query,
      plan: plan,
      began: SteadyTime(milliseconds: began),
      zones: zones,
      next: QueryPosition(keys: keys, zone: zone, name: name)
    )
  }

  private static let foreign = ItemError(
    .invalidArguments,
    "the cursor is not one that this server issued to this user: run the query again without one"
  )

  private static func key(of user: String, _ identity: StoreIdentity) -> SealingKey {
    SealingKey(secret: identity.secret, name: Array("query cursor of \(user)".utf8))
  }
}

extension CursorWriter {
  fileprivate mutating func write(_ query: RecordQuery) {
    write(query.database.container)
    write(Int64(query.database.environment.rawValue))
    write(Int64(query.database.scope.rawValue))
    write(query.database.owner)
    write(query.recordType)
    write(query.predicate.canonicalBytes)
    write(query.sortKeys) { writer, key in
      writer.write(key.field)
      writer.write((key.isDescending ? 1 : 0) | (key.relativeLocation == nil ? 0 : 2) as UInt8)
      if let location = key.relativeLocation {
        writer.write(location.latitude)
        writer.write(location.longitude)
      }
    }
    write(query.zoneID?.zoneName ?? "")
    write(query.zoneID?.ownerName ?? "")
  }

  fileprivate mutating func write(_ plan: QueryPlan) {
    switch plan.access {
    case .scan(let from, let to):
      write(0 as UInt8)
      write(from)
      write(to)
    case .named(let names):
      write(1 as UInt8)
      write(names) { $0.write($1) }
    case .range(let index, let range):
      write(2 as UInt8)
      write(index, range)
    case .keys(let keys):
      write(3 as UInt8)
      write(keys) { writer, key in
        writer.write(key.index)
        writer.write(key.key)
      }
    case .ranges(let ranges):
      write(5 as UInt8)
      write(ranges) { $0.write($1.index, $1.range) }
    case .ordered(let index, let range, let descending, let withAbsent):
      write((4 | (descending ? 8 : 0) | (withAbsent ? 16 : 0)) as UInt8)
      write(index, range)
    }
    switch plan.order {
    case .any: write(0 as UInt8)
    case .access: write(1 as UInt8)
    case .sorted(let isPrefix): write((isPrefix ? 3 : 2) as UInt8)
    }
    write((plan.isExact ? 1 : 0) as UInt8)
  }

  private mutating func write(_ index: Int64, _ range: KeyRange) {
    write(index)
    write(range.lower)
    write(range.upper)
  }
}

extension CursorReader {
  fileprivate mutating func query() -> RecordQuery? {
    guard let container = text(),
      let environment = number().flatMap({
        Environment(rawValue: Int32(truncatingIfNeeded: $0))
      }),
      let scope = number().flatMap({ DatabaseScope(rawValue: Int32(truncatingIfNeeded: $0)) }),
      let owner = text(),
      let recordType = text(),
      let predicate = text().flatMap({ try? Predicate(canonicalText: $0) }),
      let sortKeys = list({ $0.sortKey() }),
      let zoneName = text(),
      let ownerName = text()
    else { return nil }
    return RecordQuery(
      database: DatabaseID(
        container: container,
        environment: environment,
        scope: scope,
        owner: owner
      ),
      recordType: recordType,
      predicate: predicate,
      sortKeys: sortKeys,
      zoneID: zoneName.isEmpty ? nil : ZoneID(zoneName: zoneName, ownerName: ownerName)
    )
  }

  private mutating func sortKey() -> RecordQuery.SortKey? {
    guard let field = text(), let flags = byte() else { return nil }
    var key = RecordQuery.SortKey(field: field, isDescending: flags & 1 != 0)
    if flags & 2 != 0 {
      guard let latitude = double(), let longitude = double() else { return nil }
      key.relativeLocation = Location(latitude: latitude, longitude: longitude)
    }
    return key
  }

  fileprivate mutating func plan() -> QueryPlan? {
    guard let access = access(), let order = order(), let isExact = byte() else { return nil }
    return QueryPlan(access: access, order: order, isExact: isExact != 0)
  }

  private mutating func access() -> QueryAccess? {
    guard let kind = byte() else { return nil }
    switch kind & 7 {
    case 0:
      guard let from = text(), let to = text() else { return nil }
      return .scan(from: from, to: to)
    case 1:
      return list { $0.text() }.map { .named($0) }
    case 3:
      let keys = list { reader -> IndexedKey? in
        guard let index = reader.number(), let key = reader.key() else { return nil }
        return IndexedKey(index: index, key: key)
      }
      return keys.map { .keys($0) }
    case 5: return list { $0.indexedRange() }.map { .ranges($0) }
    case 2, 4:
      guard let entries = indexedRange() else { return nil }
      if kind & 7 == 2 { return .range(index: entries.index, entries.range) }
      return .ordered(
        index: entries.index,
        entries.range,
        descending: kind & 8 != 0,
        withAbsent: kind & 16 != 0
      )
    default: return nil
    }
  }

  private mutating func indexedRange() -> IndexedRange? {
    guard let index = number(), let lower = key(), let upper = key() else { return nil }
    return IndexedRange(index: index, range: KeyRange(lower: lower, upper: upper))
  }

  private mutating func order() -> QueryPlan.Order? {
    switch byte() {
    case 0: .any
    case 1: .access
    case 2: .sorted(isPrefix: false)
    case 3: .sorted(isPrefix: true)
    default: nil
    }
  }
}

extension SealingKey {
  /// A message, sealed with a random nonce.
  fileprivate func sealed(_ message: [UInt8]) -> [UInt8] {
    var nonces = NonceSequence()
    var bytes = [UInt8](repeating: 0, count: Self.overheadBytes) + message
    bytes.withUnsafeMutableBytes { seal($0, nonces.next()) }
    return bytes
  }
}
