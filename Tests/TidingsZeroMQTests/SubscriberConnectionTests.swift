import RPCTestSupport
import TestSupport
import Testing
import TidingsInterop
import TidingsRPC
import TidingsZeroMQ

@Suite("SubscriberConnection") struct SubscriberConnectionTests {
  private let wanted = [UInt8](repeating: 1, count: 16)
  private let other = [UInt8](repeating: 2, count: 16)

  @Test("receives its topics only, across a restart of the server")
  func topics() async throws {
    let push = TestServer.lastingEndpoint()
    let first = try await TestServer.start { $0.pushEndpoint = push }
    let subscriber = try await SubscriberConnection(endpoint: push)
    subscriber.subscribe(wanted)
    var events = subscriber.events.makeAsyncIterator()
    #expect(await events.next() == .connected)
    let message = SubscriberConnection.Event.message(topic: wanted, body: [7])
    #expect(await publishing(on: first) { await events.next() } == message)
    await first.stop()
    var event = await events.next()
    while event == message { event = await events.next() }
    #expect(event == .disconnected)

    let second = try await TestServer.start { $0.pushEndpoint = push }
    // A try that met the closing socket is lost once more.
    try await waitUntil("an attempt to connect that succeeds", pausing: .zero) {
      event = await events.next()
      return event != .disconnected
    }
    #expect(event == .connected)
    #expect(await publishing(on: second) { await events.next() } == message)
    await subscriber.close()
    event = await events.next()
    while event == message { event = await events.next() }
    #expect(event == nil)
    await second.stop()
  }

  /// Publishes on both topics until a closure has what it waits for: when a subscription has
  /// reached the publisher cannot be seen from here.
  private func publishing<R>(on server: TestServer, until body: () async -> R) async -> R {
    let (wanted, other) = (wanted, other)
    let publisher = Task {
      while !Task.isCancelled {
        _ = server.server.submit { loop in
          loop.publish(topic: other, body: [8])
          loop.publish(topic: wanted, body: [7])
        }
        // Between two messages others have the processor.
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
    defer { publisher.cancel() }
    return await body()
  }
}
