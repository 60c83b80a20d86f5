internal import TidingsJSON
internal import TidingsProto

/// The lines of an export that are not records: objects whose first member is `tidings`.
enum TransferMarker: Equatable {
  /// The latest version of the format that is supported.
  static let version = 1
  /// The prefix of every marker.
  static let start = Array("{\"tidings\":".utf8)

  /// The first line.
  case header(JSONObject)
  /// The start of a zone's records; present even if it has none.
  case zone(String)
  /// The end of a page of the zone, with the token to continue from.
  case page(zoneName: String, token: [UInt8], moreComing: Bool)
  /// A record was deleted while the export ran.
  case deleted(TidingsV1.RecordID)
  /// The last line, with the number of records.
  case end(recordCount: Int)
  /// A marker of a later version.
  case unknown

  /// Returns whether a line is a marker.
  static func isMarker(_ text: [UInt8], _ range: Range<Int>) -> Bool {
    text[range].starts(with: start)
  }

  /// Parses a marker.
  ///
  /// - Throws: `JSONSyntaxError`.
  init(_ text: ArraySlice<UInt8>) throws {
    let object = try JSONValue(parsing: Array(text)).object ?? [:]
    let zoneName = object["zoneName"]?.string ?? ""
    switch object["tidings"]?.string {
    case "export": self = .header(object)
    case "zone": self = .zone(zoneName)
    case "page":
      let token = object["changeToken"]?.string.flatMap(Base64.decode) ?? []
      self = .page(
        zoneName: zoneName,
        token: token,
        moreComing: object["moreComing"] == .bool(true)
      )
    case "deleted":
      self = .deleted(.init(object["recordName"]?.string ?? "", zoneName: zoneName))
    case "end": self = .end(recordCount: object["records"]?.number?.exactly(Int.self) ?? 0)
    default: self = .unknown
    }
  }

  /// The line, including its end.
  var line: [UInt8] {
    let object: JSONObject =
      switch self {
      case .header(let object): object
      case .zone(let name): ["tidings": .string("zone"), "zoneName": .string(name)]
      case .page(let name, let token, let moreComing):
        [
          "tidings": .string("page"), "zoneName": .string(name),
          "changeToken": .string(Base64.encode(token)), "moreComing": .bool(moreComing),
        ]
      case .deleted(let id):
        [
          "tidings": .string("deleted"), "recordName": .string(id.recordName),
          "zoneName": .string(id.zoneID?.name ?? ZoneName.defaultZone),
        ]
      case .end(let count): ["tidings": .string("end"), "records": .integer(count)]
      case .unknown: ["tidings": .string("unknown")]
      }
    return JSONValue.object(object).text() + [UInt8(ascii: "\n")]
  }
}
