internal import TidingsJSON
internal import TidingsProto

extension ConformanceCase {
  /// A case, or two, for each vector that a client can be asked about.
  static func vectors() throws -> [Self] {
    let transcoder = try ContractSchema.transcoder()
    return try VectorArea.all().flatMap { area in
      area.vectors.flatMap { cases(of: $0, "vector/\(area.name)/\($0.name)", transcoder) }
    }
  }

  private static func cases(
    of vector: Vector,
    _ name: String,
    _ transcoder: JSONTranscoder
  ) -> [Self] {
    switch vector.content {
    case .message(let type, let binary, let json):
      [
        Self(name) { try await decodes($0, type, binary, as: binary, transcoder) },
        Self(name + "/to_json", needs: .json) {
          try await becomesJSON($0, type, binary, json)
        },
        Self(name + "/from_json", needs: .json) { stage in
          let came = try await stage.roundTrip(type, json.text(), from: .json)
          try expectSame(type, binary, try accepted(came), transcoder)
        },
      ]
    case .unknownFields(let type, let binary, let json):
      [
        Self(name + "/known") { stage in
          let came = try accepted(try await stage.roundTrip(type, binary))
          let known = try transcoder.decode(came, as: type)
          try expectEqual("what is known of it", Comparable(json), Comparable(known))
        },
        Self(name, needs: .unknownFields) {
          try await decodes($0, type, binary, as: binary, transcoder)
        },
      ]
    case .acceptedJSON(let type, let text, let binary):
      [
        Self(name, needs: .json) { stage in
          let came = try await stage.roundTrip(type, Array(text.utf8), from: .json)
          try expectSame(type, binary, try accepted(came), transcoder)
        }
      ]
    case .acceptedBinary(let type, let binary, let usual):
      [Self(name) { try await decodes($0, type, binary, as: usual, transcoder) }]
    case .refusedBinary(let type, let binary):
      [Self(name) { try refused(try await $0.roundTrip(type, binary)) }]
    case .refusedJSON(let type, let text):
      [
        Self(name, needs: .json) {
          try refused(try await $0.roundTrip(type, Array(text.utf8), from: .json))
        }
      ]
    case .push(let push, let key, let channelID, let opened):
      [
        Self(name, needs: .sealedPushes) { stage in
          let type = channelID.isEmpty ? "tidings.v1.ReadMarks" : "tidings.v1.Notification"
          let action = Stage.Action.openPush(.init(push: push, key: key, channelID: channelID))
          try await opens(stage, action, opened, type, transcoder)
        }
      ]
    case .value(let location, let value, let opened):
      [
        Self(name, needs: .encryptedValues) { stage in
          let action = Stage.Action.openValue(
            .init(
              keyRing: Array(location.keyRing.utf8),
              value: value,
              databaseID: location.databaseID,
              recordID: location.recordID,
              field: location.field,
              user: location.user
            )
          )
          try await opens(stage, action, opened, "tidings.v1.FieldValue", transcoder)
        }
      ]
    // Clients have their own tests of these: no task asks for them.
    case .z85, .keyFile, .token: []
    }
  }

  private static func decodes(
    _ stage: Stage,
    _ type: String,
    _ binary: [UInt8],
    as usual: [UInt8],
    _ transcoder: JSONTranscoder
  ) async throws {
    let came = try accepted(try await stage.roundTrip(type, binary))
    try expectSame(type, usual, came, transcoder)
  }

  private static func becomesJSON(
    _ stage: Stage,
    _ type: String,
    _ binary: [UInt8],
    _ json: JSONValue
  ) async throws {
    let came = try accepted(try await stage.roundTrip(type, binary, to: .json))
    let value: JSONValue
    do {
      value = try JSONValue(parsing: came)
    } catch {
      throw CaseFailure("the JSON that came is none: \(error)")
    }
    let (expected, actual) = (Comparable(json), Comparable(value))
    try expect(
      expected == actual,
      "the JSON: expected \(brief("\(json)")), came \(brief("\(value)"))"
    )
  }

  private static func opens(
    _ stage: Stage,
    _ action: Stage.Action,
    _ opened: [UInt8]?,
    _ type: String,
    _ transcoder: JSONTranscoder
  ) async throws {
    let outcome = try await stage.perform(action)
    switch (outcome, opened) {
    case (.opened(let came), let opened?): try expectSame(type, opened, came, transcoder)
    case (.refused, nil): break
    case (_, nil): throw CaseFailure("expected that it does not open, came \(brief(outcome))")
    case (_, let opened?):
      throw CaseFailure("expected \(brief(opened)), came \(brief(outcome))")
    }
  }

  private static func accepted(_ result: Result<[UInt8], Refusal>) throws(CaseFailure) -> [UInt8] {
    switch result {
    case .success(let bytes): return bytes
    case .failure(let refusal):
      throw CaseFailure("expected the message, came a refusal: \(refusal.why)")
    }
  }

  private static func refused(_ result: Result<[UInt8], Refusal>) throws(CaseFailure) {
    guard case .success(let bytes) = result else { return }
    throw CaseFailure("expected a refusal, came \(brief(bytes))")
  }

  private static func expectSame(
    _ type: String,
    _ expected: [UInt8],
    _ came: [UInt8],
    _ transcoder: JSONTranscoder
  ) throws {
    let form = try WireForm(came, type: type, schema: transcoder.schema)
    let wanted = try WireForm(expected, type: type, schema: transcoder.schema)
    try expect(form == wanted, "the message: expected \(brief(expected)), came \(brief(came))")
  }
}

/// JSON without the order of members and the spelling of numbers.
private indirect enum Comparable: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([Comparable])
  case object([String: Comparable])

  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .number(let number): self = .number(number.double ?? .nan)
    case .string(let string): self = .string(string)
    case .array(let values): self = .array(values.map(Comparable.init))
    case .object(let object):
      self = .object(
        Dictionary(object.members.map { ($0.name, Comparable($0.value)) }) { _, last in last }
      )
    }
  }
}
