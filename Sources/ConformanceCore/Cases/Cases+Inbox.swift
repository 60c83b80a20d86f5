internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf

extension ConformanceCase {
  /// Notifications, each once and in order, whatever becomes of the pushes.
  static func inbox() -> [Self] {
    [
      inboxCase("log_then_push") { follower in
        try await follower.other.save(TidingsV1.Record("b"))
        try await follower.expect(["b created"])
      },
      inboxCase("subscribe_create_update_delete") { follower in
        try await follower.other.save(TidingsV1.Record("x", value: 1))
        try await follower.other.save(TidingsV1.Record("x", value: 2))
        try await follower.other.delete("x")
        try await follower.expect(["x created", "x updated", "x deleted"])
      },
      inboxCase("many_notifications_in_order") { follower in
        for number in 0..<60 { try await follower.other.save(TidingsV1.Record("m\(number)")) }
        try await follower.expect((0..<60).map { "m\($0) created" })
      },
      inboxCase("predicate_enter_leave") { follower in
        var subscription = follower.subscription("high")
        subscription.predicate = .init(text: "value > 10", arguments: [])
        subscription.firesOnRecordCreation = false
        subscription.firesOnRecordUpdate = false
        subscription.firesOnRecordDeletion = false
        subscription.firesOnRecordEnter = true
        subscription.firesOnRecordLeave = true
        subscription.recordType = "Item"
        // The one that receives all would receive these too.
        try await follower.other.subscribe(subscription)
        for value in [5, 15, 16, 3] {
          try await follower.other.save(TidingsV1.Record("x", value: Int64(value)))
        }
        let all = try await follower.take(6)
        let high = all.filter { $0.subscriptionID == "high" }.map(Follower.text)
        try expectEqual("the notifications of 'high'", ["x entered", "x left"], high)
        let rest = all.filter { $0.subscriptionID != "high" }.map(Follower.text)
        try expectEqual(
          "the others",
          ["x created", "x updated", "x updated", "x updated"],
          rest
        )
        try await follower.expectNoMore()
      },
      inboxCase("fires_once") { follower in
        var subscription = follower.subscription("once")
        subscription.firesOnce = true
        try await follower.other.subscribe(subscription)
        for number in 0..<3 { try await follower.other.save(TidingsV1.Record("f\(number)")) }
        let all = try await follower.take(4)
        let once = all.filter { $0.subscriptionID == "once" }.map(Follower.text)
        try expectEqual("the notifications of 'once'", ["f0 created"], once)
        try await follower.expectNoMore()
      },
      inboxCase("originator_excluded") { follower in
        _ = try await follower.stage.save(TidingsV1.Record("mine"))[0].saved()
        try await follower.other.save(TidingsV1.Record("theirs"))
        try await follower.expect(["theirs created"])
      },
      inboxCase("push_lost_then_feed") { follower in
        follower.pushes.use(.loses)
        let before = follower.pushes.counts.lost
        try await follower.other.save(TidingsV1.Record("lost"))
        try await follower.stage.waitFor("a push to be lost") {
          follower.pushes.counts.lost > before
        }
        follower.pushes.use(.none)
        try await follower.other.save(TidingsV1.Record("next"))
        try await follower.expect(["lost created", "next created"])
      },
      inboxCase("push_lost_tail") { follower in
        follower.pushes.use(.loses)
        let before = follower.pushes.counts.lost
        try await follower.other.save(TidingsV1.Record("lost"))
        try await follower.stage.waitFor("a push to be lost") {
          follower.pushes.counts.lost > before
        }
        // Only the beacon, 1 and 5 seconds later, announces it.
        follower.pushes.use(.none)
        try await follower.expect(["lost created"])
      },
      inboxCase("push_duplicate_ignored") { follower in
        follower.pushes.use(.doubles)
        try await follower.other.save(TidingsV1.Record("a"))
        try await follower.other.save(TidingsV1.Record("b"))
        try await follower.expect(["a created", "b created"])
      },
      inboxCase("push_reordered") { follower in
        follower.pushes.use(.holdsBack)
        let before = follower.pushes.counts.published
        for name in ["a", "b", "c"] { try await follower.other.save(TidingsV1.Record(name)) }
        try await follower.stage.waitFor("three pushes") {
          follower.pushes.counts.published >= before + 3
        }
        follower.pushes.use(.none)
        try await follower.expect(["a created", "b created", "c created"])
      },
      inboxCase("reconnect_resume") { follower in
        follower.pushes.use(.loses)
        try await follower.other.save(TidingsV1.Record("away1"))
        follower.pushes.disconnectSubscribers()
        try await follower.other.save(TidingsV1.Record("away2"))
        follower.pushes.use(.none)
        try await follower.expect(["away1 created", "away2 created"])
        try await follower.other.save(TidingsV1.Record("back"))
        try await follower.expect(["back created"])
      },
      inboxCase("unread_pushes_when_lost") { follower in
        let (other, pushes) = (follower.other, follower.pushes)
        for round in 0..<10 {
          let names = ["read\(round)", "lost\(round)"]
          let before = pushes.counts.subscriptions
          // Meanwhile, so that the client reads what it is flooded with.
          async let saved: Void = other.save(names, aroundFloodOf: pushes)
          let taken = try await follower.take(2).map(Follower.text)
          try expectEqual("the notifications", names.map { "\($0) created" }, taken)
          try await saved
          // The next flood is for a client that listens again.
          try await follower.stage.waitFor("the client to subscribe again") {
            pushes.counts.subscriptions >= before + 2
          }
        }
        try await follower.expectNoMore()
      },
      inboxCase("server_restart_resume") { follower in
        let server = try await follower.stage.records().server
        try await follower.other.save(TidingsV1.Record("before"))
        try await server.crashAndRestart()
        let other = Other(client: try await server.client(as: follower.user, device: "other"))
        try await other.save(TidingsV1.Record("after"))
        try await follower.expect(["before created", "after created"])
      },
      inboxCase("inbox_position") { follower in
        for name in ["a", "b", "c"] { try await follower.other.save(TidingsV1.Record(name)) }
        let taken = try await follower.take(2).map(Follower.text)
        try expectEqual("the first two", ["a created", "b created"], taken)
        let position = try await follower.stop()
        try await follower.other.save(TidingsV1.Record("d"))
        try await follower.start(at: position)
        try await follower.expect(["c created", "d created"])
      },
      inboxCase("mark_read") { follower in
        try await follower.other.save(TidingsV1.Record("a"))
        let taken = try await follower.take(1)
        try expectEqual("the notification", ["a created"], taken.map(Follower.text))
        let id = taken[0].notificationID
        try expect(!id.isEmpty, "expected a notification id, came none")
        _ = try await follower.other.client.notifications.markNotificationsRead(
          .init(environment: .development, notificationIDs: [id])
        )
        let marks = try await follower.take(1)
        try expectEqual("the types", [.readNotification], marks.map(\.type))
        try expectEqual("the notification that was read", [id], marks.map(\.notificationID))
      },
    ]
  }

  private static func inboxCase(
    _ name: String,
    _ body: @escaping (Follower) async throws -> Void
  ) -> Self {
    Self(name, needs: .inbox) { stage in
      let (user, other, pushes) = try await stage.twoDevices()
      let follower = Follower(stage: stage, user: user, other: other, pushes: pushes)
      try await other.subscribe(follower.subscription("all"))
      try await other.save(TidingsV1.Record("first"))
      let before = pushes.counts.subscriptions
      try await follower.start(at: [])
      try await follower.expect(["first created"])
      // The control topic and the channel's.
      try await stage.waitFor("the client to subscribe to its topics") {
        pushes.counts.subscriptions >= before + 2
      }
      do {
        try await body(follower)
      } catch {
        pushes.use(.none)
        if await (try? follower.stop()) == nil { await stage.dropClient() }
        throw error
      }
      pushes.use(.none)
      _ = try await follower.stop()
    }
  }
}

extension Other {
  /// Saves two records: the push of the first floods its subscribers and takes their connections from them.
  fileprivate func save(_ names: [String], aroundFloodOf pushes: PushRelay) async throws {
    let before = pushes.counts.floods
    pushes.use(.floods)
    try await save(TidingsV1.Record(names[0]))
    while pushes.counts.floods == before { try await Task.sleep(for: .milliseconds(5)) }
    try await save(TidingsV1.Record(names[1]))
  }
}

/// The client under test, following a user's notifications.
struct Follower {
  let stage: Stage
  let user: String
  let other: Other
  let pushes: PushRelay

  /// How long notifications may take, in milliseconds: at least as long as beacons, and pauses between
  /// attempts, take.
  private var waitMilliseconds: UInt32 {
    UInt32(max(stage.settings.taskMillisecondsMax / 3, 8_000))
  }
  /// How long it is watched that nothing more comes, in milliseconds.
  private static let quietMilliseconds: UInt32 = 200

  /// A subscription to all records.
  func subscription(_ id: String) -> TidingsV1.Subscription {
    .init(
      subscriptionID: id,
      type: .query,
      recordType: "Item",
      predicate: .init(text: "TRUEPREDICATE"),
      firesOnRecordCreation: true,
      firesOnRecordUpdate: true,
      firesOnRecordDeletion: true
    )
  }

  func start(at position: [UInt8]) async throws {
    let task = TidingsConformanceV1.StartInbox(
      environment: TidingsV1.Environment.development.rawValue,
      position: position
    )
    guard case .started(true) = try await stage.perform(.startInbox(task)) else {
      throw CaseFailure("StartInbox: expected started, came something else")
    }
  }

  func stop() async throws -> [UInt8] {
    let outcome = try await stage.perform(.stopInbox(.init()))
    guard case .position(let position) = outcome else {
      throw CaseFailure("StopInbox: expected a position, came \(brief(outcome))")
    }
    return position
  }

  /// Waits for so many notifications, in as many tasks as it takes.
  func take(_ count: Int) async throws -> [TidingsV1.Notification] {
    var taken: [TidingsV1.Notification] = []
    while taken.count < count {
      let more = try await take(count - taken.count, milliseconds: waitMilliseconds)
      try ConformanceCore.expect(
        !more.isEmpty,
        "expected \(count) notifications, came \(taken.count) within "
          + "\(waitMilliseconds) ms: \(taken.map(Self.text))"
      )
      taken += more
    }
    return taken
  }

  /// Waits for these, and looks that no more come.
  func expect(_ expected: [String]) async throws {
    try expectEqual("the notifications", expected, try await take(expected.count).map(Self.text))
    try await expectNoMore()
  }

  func expectNoMore() async throws {
    let more = try await take(1, milliseconds: Self.quietMilliseconds)
    try ConformanceCore.expect(more.isEmpty, "expected no more, came \(more.map(Self.text))")
  }

  private func take(
    _ count: Int,
    milliseconds: UInt32
  ) async throws -> [TidingsV1.Notification] {
    let task = TidingsConformanceV1.TakeNotifications(
      count: UInt32(count),
      timeoutMs: milliseconds
    )
    let outcome = try await stage.perform(.takeNotifications(task), extra: Int(milliseconds))
    guard case .notifications(let list) = outcome else {
      throw CaseFailure("TakeNotifications: expected notifications, came \(brief(outcome))")
    }
    return try list.notifications.map { try TidingsV1.Notification(decoding: $0) }
  }

  /// `NAME created`, and so on.
  static func text(_ notification: TidingsV1.Notification) -> String {
    let reasons: [TidingsV1.QueryNotificationReason: String] = [
      .recordCreated: "created", .recordUpdated: "updated", .recordDeleted: "deleted",
      .recordEntered: "entered", .recordLeft: "left",
    ]
    let reason = reasons[notification.reason] ?? "\(notification.reason)"
    return "\(notification.recordID?.recordName ?? "") \(reason)"
  }
}
