internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// A digest of a zone's records, independent of their order.
///
/// Change tags, users and times are excluded, since they differ between servers. The digests of many
/// small parts show where two zones differ.
struct ZoneDigest: Equatable {
  /// The number of parts.
  static let partsCount = 4096

  /// 256 bits as four numbers, to which records are added one by one.
  private struct Sum: Equatable {
    var words: SIMD4<UInt64> = .zero

    mutating func add(_ hash: [UInt8]) {
      for word in 0..<4 {
        let bytes = hash[(word * 8)..<(word * 8 + 8)]
        words[word] &+= bytes.reduce(0) { $0 << 8 | UInt64($1) }
      }
    }
  }

  private(set) var recordCount = 0
  private var sums = [Sum](repeating: Sum(), count: partsCount)

  /// Adds a record.
  mutating func add(_ record: TidingsV1.Record) {
    recordCount += 1
    sums[Self.part(of: record.recordID?.recordName ?? "")].add(Self.hash(of: record))
  }

  /// Returns the hash of a record: its name, its type, its parent and its fields.
  static func hash(of record: TidingsV1.Record) -> [UInt8] {
    var content = record
    (content.changeTag, content.created, content.modified) = ("", nil, nil)
    let zone = record.recordID?.zoneID?.zoneName ?? ""
    // References are relative to their own zone, since those of a copy refer to the copy.
    content.recordID = .init(record.recordID?.recordName ?? "", zoneName: "")
    let values = FieldValueJSON(zoneName: zone)
    let json = EncryptedFields.$sealer.withValue(nil) {
      JSONValue.omittingNil([
        "name": .string(content.recordID?.recordName ?? ""), "type": .string(content.recordType),
        "parent": content.parent.map(values.json), "fields": values.json(content.fields, of: nil),
      ])
    }
    return SHA256.checksum(of: json.text())
  }

  /// Returns the part that a name belongs to.
  static func part(of name: String) -> Int {
    let hash = SHA256.checksum(of: Array(name.utf8))
    return (Int(hash[0]) << 8 | Int(hash[1])) % partsCount
  }

  /// Returns the parts in which two zones differ.
  func differences(from other: Self) -> Set<Int> {
    Set(sums.indices.filter { sums[$0] != other.sums[$0] })
  }

  /// The digest as text: 32 hexadecimal digits.
  var text: String {
    var hash = SHA256()
    for sum in sums {
      for word in 0..<4 {
        hash.update(
          (0..<8).map { UInt8(truncatingIfNeeded: sum.words[word] >> (56 - 8 * $0)) }[...]
        )
      }
    }
    return Array(hash.checksum().prefix(16)).hexadecimal
  }
}
