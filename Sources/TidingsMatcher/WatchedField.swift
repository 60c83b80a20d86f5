internal import TidingsModel

/// A field of a record type by which channels are found, and how.
struct WatchedField {
  /// How often a size or grid is in use.
  struct Use {
    var key: Int32
    var count: UInt32
  }

  /// Empty for the channels that every record may fire.
  let name: String
  /// The field's number in the term table.
  let key: UInt32
  /// Postings of the field.
  private(set) var count: UInt32 = 0
  private(set) var memberCount: UInt32 = 0
  private(set) var equalCount: UInt32 = 0
  private(set) var wordCount: UInt32 = 0
  /// The lengths of prefixes, in bytes, ascending.
  private(set) var prefixLengths: [Use] = []
  private(set) var foldedEqualCount: UInt32 = 0
  /// As `prefixLengths`, of those without regard to case.
  private(set) var foldedPrefixLengths: [Use] = []
  /// The grids.
  private(set) var grids: [Use] = []
  /// The grids over the globe.
  private(set) var areas: [Use] = []
  /// By kind, `greaterThan` first; empty when there are no ranges.
  private(set) var ordered: [OrderedBuckets] = []

  init(name: String, key: UInt32) {
    self.name = name
    self.key = key
  }

  /// Notes a posting.
  mutating func add(_ bucket: TermTable.Bucket) {
    count += 1
    switch bucket.kind {
    case .equal: equalCount += 1
    case .member: memberCount += 1
    case .word: wordCount += 1
    case .prefix: Self.add(bucket.prefixLength, to: &prefixLengths)
    case .cell: Self.add(bucket.detail, to: &grids)
    case .area: Self.add(bucket.detail, to: &areas)
    case .foldedEqual: foldedEqualCount += 1
    case .foldedPrefix: Self.add(bucket.prefixLength, to: &foldedPrefixLengths)
    default: break
    }
  }

  /// Forgets a posting.
  mutating func remove(_ bucket: TermTable.Bucket) {
    count -= 1
    switch bucket.kind {
    case .equal: equalCount -= 1
    case .member: memberCount -= 1
    case .word: wordCount -= 1
    case .prefix: Self.remove(bucket.prefixLength, from: &prefixLengths)
    case .cell: Self.remove(bucket.detail, from: &grids)
    case .area: Self.remove(bucket.detail, from: &areas)
    case .foldedEqual: foldedEqualCount -= 1
    case .foldedPrefix: Self.remove(bucket.prefixLength, from: &foldedPrefixLengths)
    default: break
    }
  }

  /// Notes a new bucket of an ordered kind.
  mutating func insertOrdered(_ bucket: UInt32, _ table: TermTable) {
    if ordered.isEmpty { ordered = Array(repeating: OrderedBuckets(), count: 4) }
    ordered[table.buckets[Int(bucket)].kind.orderedIndex].insert(bucket, table)
  }

  /// Forgets a bucket of an ordered kind, while it is still in the table.
  mutating func removeOrdered(_ bucket: UInt32, _ table: TermTable) {
    ordered[table.buckets[Int(bucket)].kind.orderedIndex].remove(bucket, table)
  }

  /// How many buckets of an ordered kind there are.
  func orderedCount(_ kind: Term.Kind) -> Int {
    ordered.isEmpty ? 0 : ordered[kind.orderedIndex].count
  }

  /// Visits the buckets to which a value of this field leads.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - large: The record's large values; what is not known of this one yet is noted there, and leads to
  ///     no bucket.
  ///   - table: Where the buckets are.
  ///   - body: Takes a bucket.
  func visit(
    _ value: FieldValue,
    _ large: LargeFields?,
    _ table: TermTable,
    _ body: (UInt32) -> Void
  ) {
    func look(_ kind: Term.Kind, _ value: FieldValue, detail: Int32 = 0) {
      let bucket = table.bucket(field: key, kind: kind, detail: detail, value: value)
      if bucket != TermTable.none { body(bucket) }
    }
    if value.meaningClass == nil {
      if memberCount > 0 { value.visitMembers { look(.member, $0) } }
      return
    }
    if equalCount > 0 { look(.equal, value) }
    for grid in grids {
      if let cell = Grid.cell(of: value, detail: grid.key) { look(.cell, cell, detail: grid.key) }
    }
    if case .string(let text) = value {
      if !prefixLengths.isEmpty { visitPrefixes(text, .prefix, prefixLengths, table, body) }
      if foldedEqualCount > 0 || !foldedPrefixLengths.isEmpty,
        let folded = folded(text, large)
      {
        look(.foldedEqual, .string(folded))
        visitPrefixes(folded, .foldedPrefix, foldedPrefixLengths, table, body)
      }
      visitWords(text, large?[name], large?.memory, table, body)
    }
    if case .location(let position) = value {
      for area in areas {
        guard let cell = Globe.cell(of: position, detail: area.key) else { continue }
        look(.area, cell, detail: area.key)
      }
    }
    guard !ordered.isEmpty else { return }
    ordered[0].visit(below: value, orEqual: false, table, body)
    ordered[1].visit(below: value, orEqual: true, table, body)
    ordered[2].visit(above: value, orEqual: false, table, body)
    ordered[3].visit(above: value, orEqual: true, table, body)
  }

  /// A text in lowercase; `nil`: it is to be found first.
  private func folded(_ text: String, _ large: LargeFields?) -> String? {
    guard let large, let value = large[name] else { return text.foldedCase }
    guard case .string(let folded)? = value.folded(large.memory) else { return nil }
    return folded
  }

  private func visitPrefixes(
    _ text: String,
    _ kind: Term.Kind,
    _ lengths: [Use],
    _ table: TermTable,
    _ body: (UInt32) -> Void
  ) {
    text.withUTF8Bytes { bytes in
      for length in lengths {
        guard length.key <= bytes.count else { return }
        let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<Int(length.key)])
        let bucket = table.bucket(field: key, kind: kind, bytes: prefix)
        if bucket != TermTable.none { body(bucket) }
      }
    }
  }

  /// Visits the buckets of the words of a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - large: What is known of it, if it is large.
  ///   - memory: Where that is remembered.
  ///   - table: Where the buckets are.
  ///   - body: Takes a bucket.
  func visitWords(
    _ text: String,
    _ large: LargeValue?,
    _ memory: EvaluationMemory?,
    _ table: TermTable,
    _ body: (UInt32) -> Void
  ) {
    guard wordCount > 0 else { return }
    if let large, let memory {
      for word in large.words(memory) ?? [] {
        word.withUTF8Bytes { bytes in
          let bucket = table.bucket(field: key, kind: .word, bytes: bytes)
          if bucket != TermTable.none { body(bucket) }
        }
      }
      return
    }
    Tokenizer.forEachToken(of: text) { word in
      let bucket = table.bucket(field: key, kind: .word, bytes: word)
      if bucket != TermTable.none { body(bucket) }
      return true
    }
  }

  private static func add(_ key: Int32, to uses: inout [Use]) {
    let index = uses.partitionPoint { $0.key < key }
    if index < uses.count, uses[index].key == key {
      uses[index].count += 1
    } else {
      uses.insert(Use(key: key, count: 1), at: index)
    }
  }

  private static func remove(_ key: Int32, from uses: inout [Use]) {
    let index = uses.partitionPoint { $0.key < key }
    uses[index].count -= 1
    if uses[index].count == 0 { uses.remove(at: index) }
  }
}

extension Term.Kind {
  fileprivate var orderedIndex: Int { Int(rawValue - Self.greaterThan.rawValue) }
}

extension TermTable.Bucket {
  fileprivate var prefixLength: Int32 {
    if case .string(let prefix) = value { Int32(prefix.utf8.count) } else { 0 }
  }
}

extension FieldValue {
  /// Visits the members of a list that can stand in a comparison.
  fileprivate func visitMembers(_ body: (FieldValue) -> Void) {
    switch self {
    case .stringList(let list): for member in list { body(.string(member)) }
    case .int64List(let list): for member in list { body(.int64(member)) }
    case .doubleList(let list): for member in list { body(.double(member)) }
    case .bytesList(let list): for member in list { body(.bytes(member)) }
    case .timestampList(let list): for member in list { body(.timestamp(member)) }
    case .locationList(let list): for member in list { body(.location(member)) }
    case .referenceList(let list): for member in list { body(.reference(member)) }
    default: break
    }
  }
}
