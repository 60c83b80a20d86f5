internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let traceNotification = Verb(
    command: Command(
      "notifications trace",
      aliases: ["trace-notification"],
      "Show the history of a notification: committed, published, fetched, leased, read.",
      operands: "ID",
      discussion: """
        Times are the server's. A device that got the notification only by push appears when it reads
        the log the next time, which the client library does every minute.

        Example:
          rpcctl notifications trace 1-1
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1 else {
        throw UsageError("expected one ID: the notificationId")
      }
      let request = TidingsV1.TraceNotificationRequest(
        container: invocation.settings.container,
        environment: invocation.settings.environment,
        notificationID: operands[0]
      )
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.NotificationService.Client(transport)
        .traceNotification(request, options: invocation.callOptions)
      let trace = NotificationTrace(response)
      if invocation.output.format == .table {
        invocation.output.write(text: trace.text)
      } else {
        invocation.output.write(try trace.json)
      }
      return .success
    }
  )
}

/// The history of a notification, for printing.
struct NotificationTrace {
  private let response: TidingsV1.TraceNotificationResponse

  init(_ response: TidingsV1.TraceNotificationResponse) { self.response = response }

  /// The events with their times: oldest first, in causal order at the same time.
  private var events: [(time: GoogleProtobuf.Timestamp, text: String)] {
    var events: [(time: GoogleProtobuf.Timestamp, text: String)] = []
    func add(_ time: GoogleProtobuf.Timestamp?, _ text: String) {
      if let time { events.append((time, text)) }
    }
    let push = response.isCoalesced ? " together with later ones, without content" : ""
    let pruned = response.isPruned ? ", pruned" : ""
    add(response.committed, "committed and stored")
    add(response.published, "published" + push + pruned)
    for delivery in response.deliveries {
      add(delivery.fetched, "fetched by \(name(delivery.device))")
    }
    if response.deliveries.isEmpty { add(response.fetched, "fetched") }
    for lease in response.leases {
      let often = lease.deliveryCount > 1 ? ", delivery \(lease.deliveryCount)" : ""
      add(lease.leased, "leased to \(name(lease.device)) of the group \(lease.group)\(often)")
      add(lease.settled, "done by the group \(lease.group)")
    }
    add(response.markedRead, "marked read by \(name(response.readDevice))")
    return events.enumerated().sorted { a, b in
      let (first, second) = (a.element.time, b.element.time)
      return (first.seconds, first.nanos, a.offset) < (second.seconds, second.nanos, b.offset)
    }.map(\.element)
  }

  private func name(_ device: String) -> String {
    device.isEmpty ? "a device without a name" : device
  }

  /// The history as text: the notification, its events, and events that have not happened.
  var text: String {
    let notification = response.notification ?? .init()
    var table = Table(["WHEN", "AFTER", "WHAT"])
    for event in events {
      let after = response.committed.map { event.time.since($0).shortText } ?? ""
      table.append([event.time.text, after, event.text])
    }
    var lines: [String] = []
    let reason = NotificationJSON.reason(notification) ?? NotificationJSON.type(notification)
    lines.append(
      [notification.subscriptionID, reason, NotificationJSON.subject(notification)]
        .filter { !$0.isEmpty }.joined(separator: "  ")
    )
    lines.append(table.description)
    if !response.originDevice.isEmpty {
      lines.append("caused by the device \(response.originDevice), which is not notified")
    }
    if response.published == nil { lines.append("the time of publication is unknown") }
    if response.deliveries.isEmpty, response.fetched == nil {
      lines.append("no device fetched it from the log yet")
    }
    if response.markedRead == nil { lines.append("it is unread") }
    return lines.map { $0.hasSuffix("\n") ? $0 : printable($0) + "\n" }.joined()
  }

  /// The history as JSON.
  var json: JSONValue {
    get throws {
      .omittingNil([
        "notification": try response.notification.map { try NotificationJSON.json($0) },
        "committed": response.committed.map { .timestamp($0) },
        "published": response.published.map { .timestamp($0) },
        "isCoalesced": response.isCoalesced ? .bool(true) : nil,
        "isPruned": response.isPruned ? .bool(true) : nil,
        "fetched": response.fetched.map { .timestamp($0) },
        "deliveries": .array(
          response.deliveries.map { delivery in
            .omittingNil([
              "device": .string(delivery.device),
              "fetched": delivery.fetched.map { .timestamp($0) },
            ])
          }
        ),
        "leases": .array(response.leases.map(json)),
        "markedRead": response.markedRead.map { .timestamp($0) },
        "readDevice": response.readDevice.isEmpty ? nil : .string(response.readDevice),
        "originDevice": response.originDevice.isEmpty ? nil : .string(response.originDevice),
      ])
    }
  }

  private func json(_ lease: TidingsV1.NotificationLease) -> JSONValue {
    .omittingNil([
      "group": .string(lease.group), "device": .string(lease.device),
      "leased": lease.leased.map { .timestamp($0) },
      "deliveryCount": .integer(lease.deliveryCount),
      "settled": lease.settled.map { .timestamp($0) },
    ])
  }
}
