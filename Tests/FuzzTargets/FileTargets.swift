#if DEBUG
internal import CommandLineTools
internal import Foundation
internal import TidingsAudit
internal import TidingsClient
internal import TidingsCodec
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSQLite

@testable internal import TidingsBackup
@testable internal import TidingsKit
@testable internal import TidingsService

extension FuzzTarget {
  /// What is read of files, and of texts that people pass on.
  static let files = [
    FuzzTarget("key-file") { bytes in
      guard let text = text(bytes) else { return }
      guard let file = try refusable({ try KeyFile.parse(text, "key") }) else { return }
      let line = "public-key \(file.publicKey)"
      try require(
        try KeyFile.parse(line, "key").publicKey == file.publicKey,
        "another key: \(line)"
      )
    },
    FuzzTarget("share-url") { bytes in
      guard let text = text(bytes), let url = ShareURL(text) else { return }
      try require(ShareURL(url.description) == url, "\(text) prints as \(url)")
      try require(url.description == text, "two texts of one URL: \(text), \(url)")
      try require(url.token.count == ShareURL.tokenBytes, "a token of another length")
    },
    FuzzTarget("configuration") { bytes in
      guard let text = text(bytes) else { return }
      let names = ["data", "rpc", "log-level"]
      let found = try refusable {
        try ConfigurationFile.parse(text, of: "rpcd.conf", allowing: names)
      }
      guard let found else { return }
      try require(found.keys.allSatisfy(names.contains), "unknown names: \(found.keys)")
      for (name, setting) in found {
        let again = try ConfigurationFile.parse(
          "\(name) = \(setting.value)",
          of: "rpcd.conf",
          allowing: names
        )
        try require(again[name]?.value == setting.value, "'\(setting.value)' is read as another")
      }
    },
    FuzzTarget("backup") { bytes in
      var (whole, pieces) = (BackupDecoder(), BackupDecoder())
      let all = Array(bytes)
      whole.append(all)
      let found = sections(of: &whole)
      var step = 1
      var inPieces: [String] = []
      var rest = all[...]
      while !rest.isEmpty {
        pieces.append(Array(rest.prefix(step)))
        rest = rest.dropFirst(step)
        inPieces += sections(of: &pieces)
        if inPieces.last == "refused" { break }
        step = step * 3 % 1_009
      }
      try require(found == inPieces, "in pieces it is another backup")
    },
    FuzzTarget("backup-manifest") { bytes in
      guard let manifest = BackupManifest(Array(bytes)) else { return }
      let printed = Array(manifest.json.description.utf8)
      try require(BackupManifest(printed) == manifest, "printed it is another manifest")
      _ = manifest.contentBytes
    },
    FuzzTarget("predicate-json") { bytes in
      let type = "tidings.v1.Predicate"
      guard let transcoder, let value = try? JSONValue(parsing: Array(bytes)) else { return }
      guard let encoded = try refusable({ try transcoder.encode(value, as: type) }) else { return }
      let message = try TidingsV1.Predicate(decoding: encoded)
      let json = try transcoder.decode(encoded, as: type)
      let again = try TidingsV1.Predicate(decoding: try transcoder.encode(json, as: type))
      // A NaN is not equal to itself, and an array with one is to itself only: bytes tell.
      try require(
        again == message || again.encoded() == message.encoded(),
        "its JSON is another predicate"
      )
    },
    FuzzTarget("predicate-format") { bytes in
      guard let text = text(bytes) else { return }
      let values: [Any] = [
        5, "n", 2.5, [1, 2] as [Int], Date(timeIntervalSince1970: 0), NSNull(), Data([0]), true,
      ]
      let count = text.count { $0 == "%" }
      for shift in 0..<2 {
        let arguments = (0..<min(count, 300)).map { values[($0 + shift) % values.count] }
        guard let wire = try? NSPredicate(format: text, argumentArray: arguments).wire() else {
          continue
        }
        _ = try? wire.model("predicate", isStored: false)
      }
    },
    FuzzTarget("audit-line") { bytes in
      let line = Array(bytes)
      _ = ChainLink(of: line[...])
      var check = ChainCheck()
      check.add(line[...], file: "audit.log", row: 1)
      for kind in AuditKind.allCases {
        guard let entry = AuditEntry(line: line, kind: kind) else { continue }
        let printed = entry.line()
        try require(printed.count { $0 == UInt8(ascii: "\n") } == 1, "more than a line")
        guard let again = AuditEntry(line: printed, kind: kind) else {
          throw FuzzFinding(description: "printed it is no entry: \(entry)")
        }
        try require(again.line() == printed, "printed it is another entry: \(entry)")
      }
    },
    FuzzTarget("store-log") { bytes in
      let file = Array(bytes)
      let found = LogInspection(fileBytes: UInt64(file.count)) { offset, count in
        Array(file.dropFirst(Int(offset)).prefix(count))
      }
      try require(found.committedFrames <= found.validFrames, "more commits than frames")
      _ = StoreState.decoded(file[...])
    },
    FuzzTarget("inbox-position") { bytes in
      guard let position = try? InboxPosition(bytes: Array(bytes)) else { return }
      try require(position.bytes == Array(bytes), "its bytes are another position")
    },
    kitArchive,
  ]

  private static let transcoder: JSONTranscoder? = {
    let files = FileDescriptor.tidingsV1RecordServiceProto.serializedWithDependencies
    return (try? Schema(fileDescriptors: files)).map { JSONTranscoder(schema: $0) }
  }()

  /// What comes out of a decoder until it needs more.
  private static func sections(of decoder: inout BackupDecoder) -> [String] {
    var found: [String] = []
    do throws(BackupError) {
      while let section = try decoder.nextSection() { found.append("\(section)") }
    } catch {
      found.append("refused")
    }
    return found
  }

  /// What a reader gives, or `nil` when it refuses with a reason that can be shown.
  private static func refusable<Value>(_ read: () throws -> Value) throws -> Value? {
    do {
      return try read()
    } catch let error as any CustomStringConvertible {
      let reason = "\(error)"
      try require(!reason.isEmpty && reason.utf8.count < 65_536, "no reason to show")
      return nil
    }
  }
}
#endif
