public import TidingsRPC

/// Notifications that the devices of a group share: each is worked on by one of them at a time, until
/// one has done it.
///
///     let workers = client.notificationWorkers(group: "mailer", concurrency: 4)
///     try await workers.workOnEach { lease in
///       try await sendMail(about: lease.notification)
///     }
///
/// A notification comes leased. The lease is extended while this device holds it, so work may take as
/// long as it needs; when the device crashes the lease ends and another one gets the notification. So
/// each is worked on at least once, and twice only after a crash, or when a device was cut off from the
/// server for longer than the lease.
///
/// Those whose lease ended come first, then new ones in the order of the log. With several devices, or
/// a concurrency above 1, they are worked on side by side: order is not kept.
///
/// The iteration goes on across lost connections and restarts of the server, until the task is
/// cancelled; it asks for more only when fewer than `concurrency` are held. What it asks for waits for
/// pushes, and for the end of other devices' leases; it does not poll.
public struct NotificationWorkers: AsyncSequence, Sendable {
  /// A notification to work on.
  public typealias Element = NotificationLease
  /// Fails with errors that retrying does not fix.
  public typealias Failure = RPCError

  let client: Client
  let group: String
  let timeout: Duration
  let concurrency: Int
  let startsAtEnd: Bool

  /// Begins an iteration; what it holds and what others hold are different leases.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(WorkSession(self)) }

  /// Waits for work.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let session: WorkSession
    private var backoff = Backoff()

    fileprivate init(_ session: WorkSession) { self.session = session }

    /// Waits for a notification to work on; `nil` when the task is cancelled.
    public mutating func next() async throws(RPCError) -> NotificationLease? {
      try await next(isolation: #isolation)
    }

    /// Waits for a notification to work on; `nil` when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RPCError) -> NotificationLease? {
      while !Task.isCancelled {
        do {
          if let lease = try await session.next() { return lease }
          backoff.reset()
        } catch {
          if Task.isCancelled { return nil }
          guard error.isWorthRepeating else { throw error }
          try? await Task.sleep(for: backoff.next())
        }
      }
      return nil
    }
  }

  /// Works on each notification: what returns is done, what throws is given back.
  ///
  /// At most `concurrency` at a time. A notification whose work fails is handed out again at once, and
  /// from the second failure on after a pause that doubles from 2 seconds to 5 minutes, so that one that
  /// always fails does not block others; with `deliveryCount` a body can give up and return.
  /// The task of a body whose lease is lost is cancelled. Returns when the task is cancelled.
  ///
  /// - Parameters:
  ///   - onFailure: Called when work failed, or could not be settled.
  ///   - body: The work.
  /// - Throws: `RPCError` for errors that retrying does not fix, for example an invalid group name.
  public func workOnEach(
    onFailure: (@Sendable (NotificationLease, any Error) -> Void)? = nil,
    _ body: @escaping @Sendable (NotificationLease) async throws -> Void
  ) async throws(RPCError) {
    let failure = await withDiscardingTaskGroup(returning: RPCError?.self) { tasks in
      do throws(RPCError) {
        var iterator = makeAsyncIterator()
        while let lease = try await iterator.next() {
          tasks.addTask { await Self.work(on: lease, onFailure, body) }
        }
        return nil
      } catch {
        tasks.cancelAll()
        return error
      }
    }
    if let failure { throw failure }
  }

  private static func work(
    on lease: NotificationLease,
    _ onFailure: (@Sendable (NotificationLease, any Error) -> Void)?,
    _ body: @escaping @Sendable (NotificationLease) async throws -> Void
  ) async {
    let work = Task { try await body(lease) }
    lease.onLoss { work.cancel() }
    let result = await withTaskCancellationHandler {
      await work.result
    } onCancel: {
      work.cancel()
    }
    let wasCancelled = Task.isCancelled
    // A task of its own: what was done is settled though the worker is cancelled.
    await Task {
      do {
        switch result {
        case .success: try await lease.done()
        case .failure(let error):
          if !wasCancelled { onFailure?(lease, error) }
          try await lease.release(after: wasCancelled ? nil : pause(after: lease.deliveryCount))
        }
      } catch {
        onFailure?(lease, error)
      }
    }.value
  }

  /// How long a notification whose work failed is left alone.
  ///
  /// - Parameter deliveryCount: How often it was handed out.
  /// - Returns: 2 seconds to 5 minutes; `nil`: it is handed out again at once.
  package static func pause(after deliveryCount: Int) -> Duration? {
    guard deliveryCount > 1 else { return nil }
    return .seconds(Swift.min(300, 1 << Swift.min(deliveryCount - 1, 9)))
  }
}

extension Client {
  /// Notifications that the devices of a group share, each worked on by one of them at a time.
  ///
  /// - Parameters:
  ///   - group: The group's name, 1 to 255 bytes of printable ASCII; it begins to exist.
  ///   - visibilityTimeout: How long a device that crashed keeps its notifications from the others, 1
  ///     second to 12 hours.
  ///   - concurrency: Most notifications that are held at a time.
  ///   - startsAtEnd: A group that does not exist yet begins with what comes from now on; otherwise with
  ///     the oldest notification that is kept.
  /// - Returns: The notifications; it begins when it is iterated.
  public func notificationWorkers(
    group: String,
    visibilityTimeout: Duration = .seconds(30),
    concurrency: Int = 1,
    startsAtEnd: Bool = false
  ) -> NotificationWorkers {
    precondition(concurrency > 0, "concurrency is \(concurrency): at least 1")
    return NotificationWorkers(
      client: self,
      group: group,
      timeout: visibilityTimeout,
      concurrency: concurrency,
      startsAtEnd: startsAtEnd
    )
  }
}
