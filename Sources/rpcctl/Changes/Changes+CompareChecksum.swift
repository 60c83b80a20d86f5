internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let compareChecksum = Verb(
    command: Command(
      "changes compare-checksum",
      "Compare the records of two zones, of the same server or of two.",
      operands: "ZONE [OTHER]",
      completion: .live("zones"),
      options: OtherLocation.options("with"),
      discussion: """
        OTHER is a zone at the location given by the options that start with --with- (default: the zone
        of the same name). Names, types, parents and fields are compared, but not change tags, times and
        users. Both zones are read page by page, and differing parts once more. Exits with 3 if they
        differ, and prints the names of the records. Do not save to the zones meanwhile.

        Examples:
          rpcctl changes compare-checksum notes archive
          rpcctl changes compare-checksum notes --with-endpoint tcp://127.0.0.1:5580
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard (1...2).contains(operands.count) else { throw UsageError("expected ZONE [OTHER]") }
      let here = ZoneReader(invocation, try await invocation.connect(), zone: operands[0])
      var other = invocation
      other.settings = try OtherLocation.settings("with", invocation)
      let there = ZoneReader(other, try await other.connect(), zone: operands.last ?? "")
      async let theirs = there.digest()
      let mine = try await here.digest()
      let digests = [mine, try await theirs]
      invocation.output.endProgress()
      let parts = digests[0].differences(from: digests[1])
      let names = parts.isEmpty ? [] : try await differing(parts, here, there)
      return print(digests, [here, there], names, parts, invocation.output)
    }
  )

  /// Most record names that are printed.
  private static let namesMax = 1_000
  /// Most parts that are read again, to bound memory use.
  private static let partsMax = 64

  /// Returns the names of records that only one zone has, or that differ.
  private static func differing(
    _ parts: Set<Int>,
    _ here: ZoneReader,
    _ there: ZoneReader
  ) async throws -> [String] {
    let some = Set(parts.sorted().prefix(partsMax))
    let mine = try await here.hashes(of: some)
    let theirs = try await there.hashes(of: some)
    let names = Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }
    return Array(names.sorted().prefix(namesMax))
  }

  private static func print(
    _ digests: [ZoneDigest],
    _ readers: [ZoneReader],
    _ names: [String],
    _ parts: Set<Int>,
    _ output: Output
  ) -> ExitCode {
    let isSame = parts.isEmpty
    guard output.format == .table else {
      let sides = zip(digests, readers).map { digest, reader in
        JSONValue.object([
          "zoneName": .string(reader.name), "records": .integer(digest.recordCount),
          "checksum": .string(digest.text),
        ])
      }
      output.write(
        .omittingNil([
          "isSame": .bool(isSame), "zones": .array(sides),
          "differing": isSame ? nil : .array(names.map { .string($0) }),
          "isWhole": isSame ? nil : .bool(parts.count <= partsMax && names.count < namesMax),
        ])
      )
      return isSame ? .success : .conditionNotMet
    }
    var table = Table(["ZONE", "RECORDS", "CHECKSUM"])
    for (digest, reader) in zip(digests, readers) {
      table.append([reader.name, "\(digest.recordCount)", digest.text])
    }
    output.write(table)
    for name in names { output.write(text: "differs: \(printable(name))\n") }
    if parts.count > partsMax || names.count == namesMax { output.log("… and more") }
    output.log(isSame ? "the zones are equal" : "the zones differ")
    return isSame ? .success : .conditionNotMet
  }
}

/// Reads a zone for comparison.
private struct ZoneReader: Sendable {
  private let invocation: Invocation
  private let session: Session
  let name: String

  init(_ invocation: Invocation, _ session: Session, zone: String) {
    self.invocation = invocation
    self.session = session
    name = zone
  }

  /// Returns the digest of the whole zone.
  func digest() async throws -> ZoneDigest {
    var digest = ZoneDigest()
    for try await page in invocation.pages(of: try invocation.zoneID(name), over: session) {
      for record in page.changedRecords { digest.add(record) }
      if invocation.output.showsProgress {
        invocation.output.show(progress: "\(name): \(counted(digest.recordCount, "record"))")
      }
    }
    return digest
  }

  /// Returns the hashes of the records in parts, by name.
  func hashes(of parts: Set<Int>) async throws -> [String: [UInt8]] {
    var hashes: [String: [UInt8]] = [:]
    for try await page in invocation.pages(of: try invocation.zoneID(name), over: session) {
      for record in page.changedRecords {
        let name = record.recordID?.recordName ?? ""
        guard parts.contains(ZoneDigest.part(of: name)) else { continue }
        hashes[name] = ZoneDigest.hash(of: record)
      }
    }
    return hashes
  }
}
