public import TidingsProto

/// A client that follows one zone: knows what it was reported, and judges each page of the feed.
///
/// Where a page ends is the server's choice; what all pages together must hold is not.
public struct OracleZoneReader: Sendable {
  public let database: Oracle.Database
  public let zone: String
  /// Only these types; none: all.
  ///
  /// Fixed while pages are coming.
  public private(set) var recordTypes: Set<String> = []

  private var life: Int?
  /// All changes up to this number were reported.
  private var base: UInt64 = 0
  /// What was reported beyond that: the number of each record's change.
  private var reported: [String: UInt64] = [:]
  /// While the first fetch is not at its end: the zone's number at its beginning.
  private var firstHead: UInt64?
  public private(set) var isMidway = false

  public init(_ zone: String, in database: Oracle.Database) {
    (self.zone, self.database) = (zone, database)
  }

  /// The next call asks for these types.
  public mutating func filter(_ types: Set<String>) {
    if !isMidway { recordTypes = types }
  }

  /// Takes a page in.
  ///
  /// - Returns: What is wrong with it; `nil`: nothing.
  public mutating func read(
    _ page: TidingsV1.ZoneChanges,
    keys: [String]?,
    by caller: Oracle.Caller,
    _ oracle: Oracle
  ) -> String? {
    guard let zone = oracle.zone(zone, in: database) else {
      return difference(page, [oracle.absence(of: zone, in: database)])
    }
    if let life, life != zone.life { return difference(page, [.changeTokenExpired]) }
    if let error = page.error { return "error \(error.code) \(error.message)" }
    if life == nil {
      life = zone.life
      firstHead = zone.head
    }
    let markBefore = newestReported
    var due = due(in: zone)
    if let problem = take(page, keys, &due) { return problem }
    isMidway = page.moreComing
    if !page.moreComing, let missed = due.first(where: { isOwed($0.key, $0.value) }) {
      return "misses \(missed.key): \(missed.value.record?.brief ?? "deleted") at "
        + "\(missed.value.sequence), of \(due.count)"
    }
    let mark = zone.marks[caller]
    if !page.moreComing {
      (base, reported, firstHead) = (zone.head, [:], nil)
      let data = mark?.data ?? []
      if page.clientChangeTokenData != data {
        return "mark \(text(page.clientChangeTokenData)), expected \(text(data))"
      }
    } else if let mark, page.clientChangeTokenData == mark.data, markBefore < mark.sequence,
      due.values.contains(where: { $0.sequence < mark.sequence && $0.record != nil })
    {
      return "mark \(text(mark.data)) before all that it covers was reported"
    }
    return nil
  }

  private var newestReported: UInt64 { max(base, reported.values.max() ?? 0) }

  private func due(in zone: Oracle.Zone) -> [String: Oracle.Row] {
    zone.rows.filter { name, row in
      row.sequence > base && reported[name] != row.sequence
        && (recordTypes.isEmpty || recordTypes.contains(row.type))
    }
  }

  /// Whether it must be reported: not the end of what the client never saw.
  private func isOwed(_ name: String, _ row: Oracle.Row) -> Bool {
    row.record != nil || firstHead == nil || reported[name] != nil
  }

  private mutating func take(
    _ page: TidingsV1.ZoneChanges,
    _ keys: [String]?,
    _ due: inout [String: Oracle.Row]
  ) -> String? {
    var last: UInt64 = 0
    for record in page.changedRecords {
      let name = record.recordID?.recordName ?? ""
      guard let row = due[name], let expected = row.record?.keeping(keys) else {
        return
          "unexpected \(record.brief); last reported at \(reported[name] ?? 0), all up to \(base)"
      }
      guard record.normalized() == expected else {
        return "got      \(record.normalized().brief)\nexpected \(expected.brief)"
      }
      guard row.sequence >= last else { return "\(name) comes after a newer change" }
      last = row.sequence
      reported[name] = row.sequence
      due[name] = nil
    }
    for deleted in page.deletedRecords {
      let name = deleted.recordID?.recordName ?? ""
      guard let row = due[name], row.record == nil else {
        return "unexpected deletion of \(name); last reported at \(reported[name] ?? 0), all up "
          + "to \(base)"
      }
      guard deleted.recordType == row.type else {
        return "deleted \(name) of type \(deleted.recordType), expected \(row.type)"
      }
      if let firstHead, row.sequence <= firstHead, reported[name] == nil {
        return "the first fetch reports the deletion of \(name), which it never reported"
      }
      reported[name] = row.sequence
      due[name] = nil
    }
    return nil
  }

  private func difference(
    _ page: TidingsV1.ZoneChanges,
    _ codes: [TidingsV1.ErrorCode]
  )
    -> String?
  {
    if let code = page.error?.code, codes.contains(code) { return nil }
    return "\(page.error.map { "error \($0.code) \($0.message)" } ?? "no error"), expected \(codes)"
  }

  private func text(_ data: [UInt8]) -> String { "'\(String(decoding: data, as: UTF8.self))'" }
}
