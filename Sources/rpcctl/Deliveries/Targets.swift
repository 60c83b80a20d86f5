internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  /// The verbs of delivery targets.
  static let targetVerbs = [
    listTargets, addTarget, removeTargets, testTarget, deadLetters, resendDeadLetters,
  ]

  private static let webhook = OptionKey<String?>(
    "webhook",
    value: "URL",
    "A webhook, https://…"
  )
  private static let secret = OptionKey<String?>(
    "secret",
    value: "SECRET",
    "The secret of the webhook, whsec_… (default: a new one)."
  )
  private static let webPush = OptionKey<String?>(
    "web-push",
    value: "FILE",
    completion: .files,
    "A browser's subscription: the JSON of its PushSubscription, - for standard input."
  )
  private static let apns = OptionKey<String?>(
    "apns",
    value: "TOKEN",
    "A device token of Apple's, in hexadecimal; needs --topic."
  )
  private static let topic = OptionKey<String?>(
    "topic",
    value: "BUNDLE-ID",
    "The app of the device token."
  )
  private static let sandbox = OptionKey<Bool>(
    flag: "sandbox",
    "The app is a build for development."
  )
  private static let fcm = OptionKey<String?>(
    "fcm",
    value: "TOKEN",
    "A registration token of Firebase."
  )
  private static let target = OptionKey<String?>(
    "target",
    value: "ID",
    completion: .live("targets"),
    "Only dead letters of this target."
  )

  private static let listTargets = Verb(
    command: Command(
      "targets list",
      "List the user's delivery targets in a container.",
      discussion: """
        Shows since when a target fails, and why; no secrets.

        Example:
          rpcctl targets list -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let response = try await invocation.deliveries().fetchDeliveryTargets(
        .init(
          container: invocation.settings.container,
          environment: invocation.settings.environment
        ),
        options: invocation.callOptions
      )
      return try printTargets(response.targets, invocation.output)
    }
  )

  private static let addTarget = Verb(
    command: Command(
      "targets add",
      "Add a delivery target to the device of the call.",
      options: [Option](of: webhook, secret, webPush, apns, topic, sandbox, fcm),
      discussion: """
        From now on rpcdeliver sends the user's notifications in the container to the target, except for those of the
        device's own changes. Adding the same address again replaces its credentials; the secret that a webhook had
        remains valid for 24 hours. The secret of a webhook is shown only once.

        Examples:
          rpcctl --device server targets add --webhook https://example.org/tidings
          rpcctl --device phone targets add --apns 4f2a61c09b7de835 --topic org.example.houses
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let response = try await invocation.deliveries().addDeliveryTarget(
        .init(
          container: invocation.settings.container,
          environment: invocation.settings.environment,
          address: try address(invocation)
        ),
        options: invocation.callOptions
      )
      let target = response.target ?? .init()
      var object = try Contract.json(target).object ?? [:]
      if !response.webhookSecret.isEmpty {
        object.append("webhookSecret", .string(response.webhookSecret))
      }
      var results = Results(columns: ["ID", "DEVICE", "ADDRESS", "SECRET"])
      results.append(
        .object(object),
        [target.targetID, target.device, target.location, response.webhookSecret]
      )
      return results.finish(invocation.output)
    }
  )

  private static func address(_ invocation: Invocation) throws -> TidingsV1.DeliveryAddress {
    let arguments = invocation.arguments
    var kinds: [TidingsV1.DeliveryAddress.Kind] = []
    if let url = arguments[webhook] {
      kinds.append(.webhook(.init(url: url, secret: arguments[secret] ?? "")))
    }
    if let name = arguments[webPush] {
      kinds.append(.webPush(try subscription(try invocation.input.readNamed(name))))
    }
    if let token = arguments[apns] {
      guard let bytes = bytes(hexadecimal: token), let topic = arguments[topic] else {
        throw UsageError("--apns takes hexadecimal digits and needs --topic BUNDLE-ID")
      }
      kinds.append(
        .apns(.init(deviceToken: bytes, topic: topic, isSandbox: arguments[sandbox]))
      )
    }
    if let token = arguments[fcm] { kinds.append(.fcm(.init(registrationToken: token))) }
    guard kinds.count == 1, let kind = kinds.first else {
      throw UsageError("use one of --webhook, --web-push, --apns and --fcm")
    }
    return .init(kind: kind)
  }

  private static func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2), !digits.isEmpty else {
      return nil
    }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }

  /// Reads what `JSON.stringify(subscription)` makes.
  private static func subscription(_ bytes: [UInt8]) throws -> TidingsV1.WebPushAddress {
    let object = (try? JSONValue(parsing: bytes))?.object
    let keys = object?["keys"]?.object
    guard let endpoint = object?["endpoint"]?.string,
      let publicKey = keys?["p256dh"]?.string.flatMap(base64URL),
      let authSecret = keys?["auth"]?.string.flatMap(base64URL)
    else {
      throw UsageError("the subscription has no endpoint, keys.p256dh and keys.auth")
    }
    return .init(endpoint: endpoint, publicKey: publicKey, authSecret: authSecret)
  }

  private static func base64URL(_ text: String) -> [UInt8]? {
    var text = String(
      text.map { character in
        switch character {
        case "-": "+"
        case "_": "/"
        default: character
        }
      }
    )
    while !text.utf8.count.isMultiple(of: 4) { text += "=" }
    return Base64.decode(text)
  }

  private static let removeTargets = Verb(
    command: Command(
      "targets remove",
      "Remove delivery targets with what waits for them.",
      operands: "ID…",
      completion: .live("targets"),
      discussion: """
        Example:
          rpcctl targets remove 0f3a5c719e2b4d6
        """
    ),
    run: { invocation in
      let ids = try invocation.requireOperands("ID")
      try invocation.confirm("remove \(counted(ids.count, "delivery target"))")
      let service = try await invocation.deliveries()
      for id in ids {
        _ = try await service.removeDeliveryTarget(
          .init(targetID: id),
          options: invocation.callOptions
        )
      }
      return .success
    }
  )

  private static let testTarget = Verb(
    command: Command(
      "targets test",
      "Send a test to a delivery target.",
      operands: "ID",
      completion: .live("targets"),
      discussion: """
        It returns when the test waits for a sender. `rpcctl targets list` shows if it failed.

        Example:
          rpcctl targets test 0f3a5c719e2b4d6
        """
    ),
    run: { invocation in
      let ids = try invocation.requireOperands("ID")
      guard ids.count == 1 else { throw UsageError("unexpected operand '\(ids[1])'") }
      let response = try await invocation.deliveries().testDeliveryTarget(
        .init(targetID: ids[0]),
        options: invocation.callOptions
      )
      if invocation.output.format == .table {
        invocation.output.write(text: "\(response.deliveryID)\n")
      } else {
        invocation.output.write(.object(["deliveryID": .string(response.deliveryID)]))
      }
      return .success
    }
  )

  private static let deadLetters = Verb(
    command: Command(
      "targets dead-letters",
      "List deliveries that failed for good.",
      options: [Option](of: target),
      discussion: """
        They are kept for 30 days. `rpcctl targets resend` sends them again.

        Example:
          rpcctl targets dead-letters -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let service = try await invocation.deliveries()
      var request = TidingsV1.FetchDeadLettersRequest(
        targetID: invocation.arguments[target] ?? "",
        container: invocation.settings.container,
        environment: invocation.settings.environment
      )
      var results = Results(columns: ["ID", "TARGET", "GIVEN UP", "ATTEMPTS", "REASON"])
      while true {
        let page = try await service.fetchDeadLetters(request, options: invocation.callOptions)
        for letter in page.deadLetters {
          results.append(
            try Contract.json(letter),
            [
              letter.deadLetterID, letter.targetID, letter.givenUp?.text ?? "",
              "\(letter.attemptCount)", letter.reason,
            ]
          )
        }
        guard !page.cursor.isEmpty, page.cursor != request.cursor else { break }
        request.cursor = page.cursor
      }
      return results.finish(invocation.output)
    }
  )

  private static let resendDeadLetters = Verb(
    command: Command(
      "targets resend",
      "Send dead letters again.",
      operands: "DEAD-LETTER…",
      discussion: """
        Example:
          rpcctl targets resend 0f3a5c719e2b4d6-12
        """
    ),
    run: { invocation in
      let ids = try invocation.requireOperands("dead letter")
      let response = try await invocation.deliveries().resendDeadLetters(
        .init(deadLetterIDs: ids),
        options: invocation.callOptions
      )
      var results = Results(columns: ["ID", "RESULT"])
      for result in response.results {
        if case .error(let error)? = result.outcome {
          results.appendFailure(
            try Contract.json(result),
            [result.deadLetterID, error.message]
          )
        } else {
          results.append(try Contract.json(result), [result.deadLetterID, "resent"])
        }
      }
      return results.finish(invocation.output)
    }
  )

  private static func printTargets(
    _ targets: [TidingsV1.DeliveryTarget],
    _ output: Output
  ) throws -> ExitCode {
    var results = Results(columns: ["ID", "DEVICE", "ADDRESS", "WAITING", "DEAD", "STATE"])
    for target in targets {
      results.append(
        try Contract.json(target),
        [
          target.targetID, target.device, target.location, "\(target.waitingCount)",
          "\(target.deadLetterCount)",
          target.failingSince.map { "failing since \($0.text): \(target.lastError)" } ?? "",
        ]
      )
    }
    return results.finish(output)
  }
}

extension Invocation {
  fileprivate func deliveries() async throws -> TidingsV1.DeliveryService.Client {
    .init(try await connect().transport)
  }
}

extension TidingsV1.DeliveryTarget {
  /// Where it is, as text.
  fileprivate var location: String {
    switch address?.kind {
    case .webhook(let webhook): webhook.url
    case .webPush(let push): push.endpoint
    case .apns(let apns): "APNs \(apns.topic)" + (apns.isSandbox ? " (sandbox)" : "")
    case .fcm: "FCM"
    case nil: "(sealed with another key)"
    }
  }
}
