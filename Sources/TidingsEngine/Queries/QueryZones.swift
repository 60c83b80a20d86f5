/// A zone of a query, as it was when the query began.
struct QueryZone: Hashable {
  /// The zone's number.
  let number: Int64
  /// The number of its last change then.
  let head: Int64
}

/// The zones of a query that still exist, as long as nothing changes in their database.
struct QueryZones {
  /// The number of the database.
  let database: Int64
  /// The number of its last change.
  let head: Int64
  /// In the order of their numbers.
  let zones: [QueryZone]
}

extension [QueryZone] {
  /// The zone with a number, of zones in the order of their numbers.
  func zone(numbered number: Int64) -> QueryZone? {
    let index = self[...].firstIndex(from: number)
    return index < endIndex && self[index].number == number ? self[index] : nil
  }

  /// The zones, those with consecutive numbers together.
  var consecutiveRuns: [ArraySlice<QueryZone>] {
    var runs: [ArraySlice<QueryZone>] = []
    var begin = startIndex
    for index in indices
    where index + 1 == endIndex || self[index + 1].number > self[index].number + 1 {
      runs.append(self[begin...index])
      begin = index + 1
    }
    return runs
  }
}

extension ArraySlice<QueryZone> {
  /// The index of the first zone with a number or a higher one.
  func firstIndex(from number: Int64) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// No number is missing between the first and the last.
  var isConsecutive: Bool {
    guard let first, let last else { return true }
    return last.number - first.number == Int64(count - 1)
  }
}

/// The zones of a query in parts: the first ones, which may be all that a page needs, as many as one statement looks
/// at, and then as many as are looked at together.
struct ZoneChunks: Sequence, IteratorProtocol {
  /// Some of the zones.
  struct Chunk {
    let zones: ArraySlice<QueryZone>
    /// So few that none of them is looked at before it is visited.
    let isFirst: Bool
    /// More than one statement looks at.
    let isLarge: Bool

    /// Where the first of them begins.
    var begin: QueryPosition? {
      zones.first.map { QueryPosition(keys: [], zone: $0.number, name: "") }
    }
  }

  /// Zones that are visited without a look at which of them have anything.
  static let unprobedMax = 16

  /// Parts of the largest size that a slice looks at in any case: with many zones its beginning takes long.
  static func perSlice(of zones: [QueryZone]) -> Int {
    1 + zones.count / (8 * ZoneProbe.zonesTogetherMax)
  }

  private var rest: ArraySlice<QueryZone>
  private var countMax: Int

  init(_ zones: [QueryZone], from start: QueryPosition?) {
    (rest, countMax) = (zones[...], Self.unprobedMax)
    guard let start else { return }
    rest = rest[rest.firstIndex(from: start.zone)...]
    // No row is there: an earlier slice ended between two parts.
    if start.name.isEmpty { countMax = ZoneProbe.zonesTogetherMax }
  }

  /// All of them in parts that are looked at together.
  init(_ zones: ArraySlice<QueryZone>) { (rest, countMax) = (zones, ZoneProbe.zonesTogetherMax) }

  mutating func next() -> Chunk? {
    guard !rest.isEmpty else { return nil }
    let chunk = Chunk(
      zones: rest.prefix(countMax),
      isFirst: countMax == Self.unprobedMax,
      isLarge: countMax > ZoneProbe.zonesMax
    )
    rest = rest.dropFirst(chunk.zones.count)
    countMax = chunk.isFirst ? ZoneProbe.zonesMax : ZoneProbe.zonesTogetherMax
    return chunk
  }
}
