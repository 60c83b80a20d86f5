internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// A bad item of a call fails by itself, whatever is wrong with it and wherever it stands.
@Suite(.endsServers) struct BadItemTests {
  private typealias Value = TidingsV1.FieldValue

  /// Each kind of value that is refused, by what is found when: on decoding, on validation, or by what is stored.
  private static let badValues: [Value] = {
    let times: [GoogleProtobuf.Timestamp] = [
      .init(seconds: -62_135_769_600), .init(seconds: .max), .init(seconds: .min),
      .init(seconds: 0, nanos: -1), .init(seconds: 0, nanos: 1_000_000_000),
    ]
    let action = TidingsV1.Reference(recordID: .init("t"), action: .init(rawValue: 77))
    return times.flatMap { time -> [Value] in
      [
        .init(.timestampValue(time)), .init(.timestampListValue(.init(values: [.init(), time]))),
        .init(.locationValue(.init(timestamp: time))),
        .init(.locationListValue(.init(values: [.init(timestamp: time)]))),
      ]
    } + [
      .init(.referenceValue(action)), .init(.referenceListValue(.init(values: [action]))),
      .init(.referenceValue(.init(recordID: .init("")))),
      .init(.encryptedValue(.init(type: .init(rawValue: 99)))),
      .init(.doubleValue(.nan)), .init(.doubleListValue(.init(values: [.infinity]))),
      .init(.locationValue(.init(latitude: 91))), .init(.assetValue(.init(checksum: [1]))),
    ]
  }()

  private static func badRecord(_ kind: Int, zone: String) -> TidingsV1.Record {
    if kind < badValues.count {
      return .init("Houses", "bad", zone: zone, ["value": badValues[kind]])
    }
    switch kind - badValues.count {
    case 0: return .init("9", "bad", zone: zone)
    case 1: return .init("Houses", "bad", zone: zone, ["9": 1])
    case 2: return .init("Houses", "bad", zone: zone, tag: "zz", ["price": 1])
    case 3:
      var record = TidingsV1.Record("Houses", "bad", zone: zone)
      record.parent = .init(recordID: .init("p", zone: zone), action: .init(rawValue: 9))
      return record
    case 4: return .init("Houses", "bad", zone: zone, ["price": "a text"])
    default: return .init("Houses", "_bad", zone: zone)
    }
  }
  private static var kindCount: Int { badValues.count + 6 }

  @Test("all others are saved, in an atomic zone none, and the message names the record")
  func oneAmongOthers() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "attic"))])
    )
    try await client.save(.init("Houses", "first", ["price": 1]))
    let seed = Seed.make("BadItemTests")
    var random = SplitMix64(seed: seed)
    for kind in 0..<Self.kindCount {
      let zone = kind.isMultiple(of: 2) ? "" : "attic"
      let position = random.below(4)
      var records = (0..<3).map {
        TidingsV1.Record("Houses", "\(kind)-\($0)", zone: zone, ["price": 2])
      }
      records.insert(Self.badRecord(kind, zone: zone), at: position)
      let results = try await client.modify(records, policy: .ifServerRecordUnchanged)
      try #require(results.count == 4, "kind \(kind), seed \(seed)")
      for (index, result) in results.enumerated() {
        let expected: TidingsV1.ErrorCode? = zone.isEmpty ? nil : .batchRequestFailed
        if index == position {
          let code = result.error?.code
          #expect(code == .invalidArguments || code == .unknownItem, "\(kind): \(result), \(seed)")
          #expect(result.error?.message.contains("bad") == true, "\(kind): \(result), \(seed)")
        } else {
          #expect(result.error?.code == expected, "kind \(kind): \(result), seed \(seed)")
        }
      }
    }
  }

  @Test("an item of a shared database that cannot be read fails by itself")
  func shared() async throws {
    let world = try await SharingWorld()
    try await world.shareTrip()
    let late = TidingsV1.FieldValue(.timestampValue(.init(seconds: .max)))
    let results = try await world.ben.modifyShared(
      [
        SharingWorld.theirs("a", in: "trip"), SharingWorld.theirs("bad", in: "trip", ["t": late]),
        SharingWorld.theirs("b", in: "trip"),
      ],
      atomic: false
    )
    #expect(results.map { $0.error?.code } == [nil, .invalidArguments, nil])
    #expect(results[1].error?.message.contains("bad") == true)
  }
}
