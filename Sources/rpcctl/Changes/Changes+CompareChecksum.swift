internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let compareChecksum = Verb(
    command: Command(
      "changes compare-checksum",
      "Tells whether two zones, of one server or two, hold the same records.",
      operands: "ZONE [OTHER]",
      completion: .live("zones"),
      options: OtherLocation.options("with"),
      discussion: """
        OTHER is a zone of the other place, which the options that begin with --with- name; without it
        one of the same name. Names, types, parents and fields are compared; change tags, times and users
        are not. Both zones are read page by page, and once more where they differ. Ends with 3 when
        they do, and names the records. Nothing should be saved meanwhile.

        Examples:
          rpcctl changes compare-checksum notes archive
          rpcctl changes compare-checksum notes --with-endpoint tcp://127.0.0.1:5580
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard (1...2).contains(operands.count) else { throw UsageError("which? ZONE [OTHER]") }
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

  /// Most records that are named.
  private static let namesMax = 1_000
  /// Parts that are looked at again: as many as memory has room for, whatever the zones hold.
  private static let partsMax = 64

  /// The names of records that only one zone has, or that differ.
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
    if parts.count > partsMax || names.count == namesMax { output.tell("… and more") }
    output.tell(isSame ? "the same" : "not the same")
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

  /// All of the zone.
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

  /// The hashes of the records in parts, by name.
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
