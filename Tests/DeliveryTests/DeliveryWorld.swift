internal import Foundation
internal import TestSupport
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// A server, what receives deliveries, and a sender between them.
struct DeliveryWorld {
  var server: TestServer
  let receiver: Receiver
  var sender: ServerProcess
  private let arguments: [String]

  /// Starts all three; ada is subscribed to all houses.
  static func start(
    _ arguments: [String] = ["--allow-http", "--allow-addresses", "127.0.0.0/8"],
    pauses: String = "1,1,1",
    timeout: Int = 60
  ) async throws -> DeliveryWorld {
    let receiver = try await Receiver()
    let server = try await TestServer.startLasting()
    let arguments =
      arguments
      + ["--timeout", "\(timeout)s", "--lease", "\(timeout * 3)s", "--retry-pauses", pauses]
      + services(receiver)
    let world = DeliveryWorld(
      server: server,
      receiver: receiver,
      sender: try await sender(of: server, arguments),
      arguments: arguments
    )
    let client = try await server.client(as: "ada")
    _ = try await client.subscriptions.modifySubscriptions(.init(subscriptionsToSave: [.houses]))
    return world
  }

  private static func services(_ receiver: Receiver) -> [String] {
    let folder = receiver.folder
    return [
      "--vapid-key", folder.file("vapid.pem"), "--vapid-subject", "mailto:ada@example.org",
      "--apns-key", folder.file("apns.p8"), "--apns-key-id", "KEYID12345", "--apns-team-id",
      "TEAM123456", "--apns-url", "https://127.0.0.1:\(receiver.http2Port)", "--ca-file",
      folder.file("tls.pem"), "--fcm-account", folder.file("fcm.json"), "--fcm-url",
      receiver.url(""),
    ]
  }

  private static func sender(
    of server: TestServer,
    _ arguments: [String]
  ) async throws -> ServerProcess {
    let sender = try ServerProcess(
      "rpcdeliver",
      arguments: ["--rpc", server.rpcEndpoint] + arguments
    )
    _ = try await sender.waitForReadyLine()
    return sender
  }

  /// Another sender beside the one that runs, or after it.
  func startSender() async throws -> ServerProcess {
    try await Self.sender(of: server, arguments)
  }

  /// DeliveryService for a device of ada.
  func service(_ device: String = "phone") async throws -> TidingsV1.DeliveryService.Client {
    .init(try await server.client(as: "ada", device: device).transport)
  }

  /// Adds a target to a device of ada.
  @discardableResult
  func add(
    _ kind: TidingsV1.DeliveryAddress.Kind,
    _ device: String = "phone"
  ) async throws -> TidingsV1.AddDeliveryTargetResponse {
    try await service(device).addDeliveryTarget(.init(address: .init(kind: kind)))
  }

  /// Adds a webhook.
  @discardableResult
  func addWebhook(
    _ path: String,
    secret: UInt8 = 0,
    _ device: String = "phone"
  ) async throws -> String {
    let webhook = TidingsV1.WebhookAddress(
      url: receiver.url(path),
      secret: Receiver.secret(secret)
    )
    return try await add(.webhook(webhook), device).target?.targetID ?? ""
  }

  /// Saves a house from a device of ada, once.
  func save(_ name: String, city: String = "Bern", _ device: String = "laptop") async throws {
    let client = try await server.client(as: "ada", device: device)
    var record = TidingsV1.Record("Houses", name)
    record.fields["city"] = .init(value: .stringValue(city))
    let options = CallOptions(idempotencyKey: "save-\(name)")
    _ = try await client.records.modifyRecords(.init(recordsToSave: [record]), options: options)
  }

  /// The targets of ada.
  func targets() async throws -> [TidingsV1.DeliveryTarget] {
    try await service().fetchDeliveryTargets(.init()).targets
  }

  /// Waits until the server shows something.
  func wait(
    _ what: String,
    until isSo: (TidingsV1.DeliveryService.Client) async throws -> Bool
  ) async throws {
    let service = try await service()
    try await waitUntil(what, pausing: .milliseconds(20)) { try await isSo(service) }
  }
}

extension TidingsV1.Subscription {
  /// All changes of houses, with a text and a field.
  static var houses: Self {
    var subscription = Self("houses", "Houses")
    subscription.notificationInfo = .init(alertBody: "A house", desiredKeys: ["city"])
    return subscription
  }
}

extension JSONObject {
  /// A header of a request.
  func header(_ name: String) -> String { self["headers"]?.object?[name]?.string ?? "" }

  /// The record that a notification names, wherever the dictionary is.
  var recordName: String? {
    let text = self["message"]?.string ?? self["body"]?.string ?? ""
    let object = (try? JSONValue(parsing: Array(text.utf8)))?.object
    let info = object?["data"]?.object ?? object
    return info?["ck"]?.object?["qry"]?.object?["rid"]?.string
  }
}
