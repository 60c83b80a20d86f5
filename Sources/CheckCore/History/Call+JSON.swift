internal import TidingsJSON

extension Call {
  /// The call as a line of a file; empty members are omitted.
  func json(_ workload: WorkloadName) -> JSONValue {
    .omittingNil([
      "workload": .string(workload.rawValue),
      "process": .integer(process),
      "begin": .integer(begin),
      "end": .integer(end),
      "kind": .string(kind.rawValue),
      "subject": subject.json,
      "outcome": .string(outcome.rawValue),
      "reason": reason.json,
      "sent": sent.isEmpty ? nil : .array(sent.map(\.json)),
      "got": got.isEmpty ? nil : .array(got.map(\.json)),
      "token": token.json,
      "nextToken": nextToken.json,
      "isLast": isLast ? .bool(true) : nil,
      "notices": notices.isEmpty ? nil : .array(notices.map(\.json)),
      "rule": rule?.json,
      "manner": manner.json,
      "milliseconds": milliseconds.json,
    ])
  }

  /// Reads what `json` writes; `nil`: it is no call.
  init?(_ object: JSONObject) {
    guard let kind = object["kind"]?.string.flatMap(Kind.init),
      let outcome = object["outcome"]?.string.flatMap(Outcome.init)
    else { return nil }
    self.init(kind, object.text("subject"))
    self.outcome = outcome
    process = Int(object.number("process"))
    begin = object.number("begin")
    end = object.number("end")
    reason = object.text("reason")
    sent = object.objects("sent").map(Version.init(json:))
    got = object.objects("got").map(Version.init(json:))
    token = object.text("token")
    nextToken = object.text("nextToken")
    isLast = object["isLast"] == .bool(true)
    notices = object.objects("notices").map(Notice.init(json:))
    rule = object["rule"]?.object.map(Rule.init(json:))
    manner = object.text("manner")
    milliseconds = object.number("milliseconds")
  }
}

extension Version {
  fileprivate var json: JSONValue {
    .omittingNil(["name": .string(name), "value": value.map { .integer($0) }, "tag": tag.json])
  }

  fileprivate init(json: JSONObject) {
    self.init(json.text("name"), json["value"]?.number?.exactly(), tag: json.text("tag"))
  }
}

extension Notice {
  fileprivate var json: JSONValue {
    .omittingNil([
      "id": id.json,
      "subscription": .string(subscription),
      "record": record.json,
      "value": value.map { .integer($0) },
      "reason": reason.json,
      "channel": channel.json,
      "number": number.json,
      "lease": lease.json,
      "deliveryCount": deliveryCount.json,
    ])
  }

  fileprivate init(json: JSONObject) {
    self.init(
      id: json.text("id"),
      subscription: json.text("subscription"),
      record: json.text("record"),
      value: json["value"]?.number?.exactly(),
      reason: json.text("reason"),
      channel: json.text("channel"),
      number: json.number("number"),
      lease: json.text("lease"),
      deliveryCount: json.number("deliveryCount")
    )
  }
}

extension Rule {
  fileprivate var json: JSONValue {
    .object([
      "from": .integer(from), "below": .integer(below),
      "reasons": .array(reasons.map { .string($0) }),
    ])
  }

  fileprivate init(json: JSONObject) {
    self.init(
      json.number("from")..<max(json.number("from"), json.number("below")),
      (json["reasons"]?.array ?? []).compactMap(\.string)
    )
  }
}

extension String {
  /// `nil`: it is empty.
  fileprivate var json: JSONValue? { isEmpty ? nil : .string(self) }
}

extension Int64 {
  /// `nil`: it is 0.
  fileprivate var json: JSONValue? { self == 0 ? nil : .integer(self) }
}

extension JSONObject {
  fileprivate func text(_ name: String) -> String { self[name]?.string ?? "" }

  fileprivate func number(_ name: String) -> Int64 { self[name]?.number?.exactly() ?? 0 }

  fileprivate func objects(_ name: String) -> [JSONObject] {
    (self[name]?.array ?? []).compactMap(\.object)
  }
}
