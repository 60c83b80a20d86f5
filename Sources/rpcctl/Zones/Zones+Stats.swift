internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

extension Verb {
  private static let bytesOption = OptionKey<Bool>(
    flag: "bytes",
    "Also count bytes, which fetches whole records."
  )

  static let zoneStatistics = Verb(
    command: Command(
      "zones stats",
      "Count the records of zones by type.",
      operands: "[NAME…]",
      completion: .live("zones"),
      options: [Option](of: bytesOption),
      discussion: """
        Without NAME, counts all zones of the database. Counting reads the zones' change feeds page by
        page; assets do not count towards a record's size.

        Examples:
          rpcctl zones stats
          rpcctl zones stats notes --bytes
        """
    ),
    run: { invocation in
      let output = invocation.output
      let wantsBytes = invocation.arguments[bytesOption]
      let session = try await invocation.connect()
      let zones = try await invocation.zones(invocation.arguments.operands, over: session)
      var list: [JSONValue] = []
      var table = Table(ZoneStatistics.columns(wantsBytes))
      for zone in zones {
        let id = zone.zoneID ?? .init()
        var statistics = ZoneStatistics(zone)
        let pages = invocation.pages(of: id, over: session, desiredKeys: wantsBytes ? nil : [])
        for try await page in pages {
          statistics.add(page, countsBytes: wantsBytes)
          if output.showsProgress {
            output.show(progress: "\(id.shownName): \(counted(statistics.total.records, "record"))")
          }
        }
        list.append(statistics.json)
        for row in statistics.rows { table.append(wantsBytes ? row : row.dropLast()) }
      }
      output.endProgress()
      output.write(list) { table }
      return .success
    }
  )
}

/// The statistics of a zone.
struct ZoneStatistics {
  /// The number of records, and their bytes if requested.
  struct Count: Equatable {
    var records = 0
    var bytes: Int?

    mutating func add(bytes more: Int?) {
      records += 1
      if let more { bytes = (bytes ?? 0) + more }
    }
  }

  static func columns(_ hasBytes: Bool) -> [String] {
    ["ZONE", "SEQUENCE", "TYPE", "RECORDS"] + (hasBytes ? ["BYTES"] : [])
  }

  private let zone: TidingsV1.RecordZone
  private(set) var total = Count()
  private(set) var types: [String: Count] = [:]

  init(_ zone: TidingsV1.RecordZone) { self.zone = zone }

  /// Adds a page of the zone's feed; a record that changes meanwhile counts twice.
  mutating func add(_ page: TidingsV1.ZoneChanges, countsBytes: Bool) {
    for record in page.changedRecords {
      let bytes = countsBytes ? record.encoded().count : nil
      total.add(bytes: bytes)
      types[record.recordType, default: Count()].add(bytes: bytes)
    }
  }

  private var id: TidingsV1.ZoneID { zone.zoneID ?? .init() }

  /// The statistics as JSON.
  var json: JSONValue {
    var object = id.json
    object.append("sequenceNumber", .string("\(zone.sequenceNumber)"))
    object.append("records", .integer(total.records))
    if let bytes = total.bytes { object.append("bytes", .integer(bytes)) }
    let types = types.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { object, type in
      object.append(
        type.key,
        .omittingNil([
          "records": .integer(type.value.records), "bytes": type.value.bytes.map { .integer($0) },
        ])
      )
    }
    object.append("types", .object(types))
    return .object(object)
  }

  /// The statistics as rows: one for each type, and the total.
  var rows: [[String]] {
    let counts = types.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [("all", total)]
    return counts.map { name, count in
      [
        id.shownName, "\(zone.sequenceNumber)", name, "\(count.records)",
        count.bytes.map { "\($0)" } ?? "0",
      ]
    }
  }
}
