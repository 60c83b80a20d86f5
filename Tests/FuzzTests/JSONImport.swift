internal import FuzzTargets
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

@testable internal import rpcctl

/// Lines of an import: the short way to a record and the long one agree.
///
/// A program's code cannot be part of another one, so that this runs in tests only.
enum JSONImport {
  static func run(_ bytes: [UInt8]) throws {
    for zone in ["", "z"] {
      let (short, long) = (short(bytes, zone), long(bytes, zone))
      guard short != long else { continue }
      // What is not equal to itself has a NaN in it.
      if let short, short != short { continue }
      throw Difference(zone: zone, short: short, long: long)
    }
  }

  private struct Difference: Error {
    let zone: String
    let short: TidingsV1.Record?
    let long: TidingsV1.Record?
  }

  private static func short(_ line: [UInt8], _ zone: String) -> TidingsV1.Record? {
    var encoder = RecordLineEncoder(zoneName: zone)
    var request: [UInt8] = []
    guard (try? encoder.encode(line, 0..<line.count, into: &request)) != nil else { return nil }
    return (try? TidingsV1.ModifyRecordsRequest(decoding: request))?.recordsToSave.first
  }

  private static func long(_ line: [UInt8], _ zone: String) -> TidingsV1.Record? {
    guard let json = try? JSONValue(parsing: line),
      var record = try? RecordJSON.record(json, "", zoneName: zone)
    else { return nil }
    record.changeTag = ""
    return record
  }
}
