internal import Foundation
internal import RPCTestSupport
internal import TestSupport
internal import TidingsJSON

/// A server in development mode, and a gateway before it.
struct GatewayWorld {
  let server: TestServer
  let gateway: ServerProcess
  /// A gateway that is restarted listens there again.
  private let reserved: ReservedPort

  var port: UInt16 { reserved.number }

  static func start(_ arguments: [String] = []) async throws -> GatewayWorld {
    try await start(before: try await TestServer.startLasting(), arguments)
  }

  static func start(
    before server: TestServer,
    _ arguments: [String] = []
  ) async throws -> GatewayWorld {
    try await start(before: server, at: ReservedPort(), arguments)
  }

  private static func start(
    before server: TestServer,
    at port: ReservedPort,
    _ arguments: [String] = []
  ) async throws -> GatewayWorld {
    let gateway = try ServerProcess(
      "rpcgw",
      arguments: ["--rpc", server.rpcEndpoint, "--listen", "127.0.0.1:\(port.number)"] + arguments
    )
    let line = try await gateway.waitForReadyLine()
    guard line.contains(":\(port.number)") else {
      throw WaitingFailure(description: "'\(line)' is not for port \(port.number)")
    }
    return GatewayWorld(server: server, gateway: gateway, reserved: port)
  }

  /// A gateway with the same port, after this one has ended, before a server, or the same one.
  func restartedGateway(before server: TestServer? = nil) async throws -> GatewayWorld {
    try await Self.start(before: server ?? self.server, at: reserved)
  }

  /// The path of an endpoint with the tokens of a user.
  static func path(
    _ endpoint: String,
    as user: String? = "ada",
    container: String = "app",
    environment: String = "development"
  ) -> String {
    "/database/1/\(container)/\(environment)/\(endpoint)?ckAPIToken=x\(token(user))"
  }

  static func token(_ user: String?) -> String { user.map { "&ckWebAuthToken=dev%3A\($0)" } ?? "" }

  /// Posts a body to an endpoint.
  func post(
    _ endpoint: String,
    _ body: JSONValue = [:],
    as user: String? = "ada"
  ) throws -> HTTPAnswer {
    try HTTPAnswer.to("POST", Self.path(endpoint, as: user), at: port, body: body.text())
  }

  /// Posts a text to an endpoint.
  func post(
    _ endpoint: String,
    text: String,
    as user: String? = "ada"
  ) throws -> HTTPAnswer {
    try HTTPAnswer.to("POST", Self.path(endpoint, as: user), at: port, body: Array(text.utf8))
  }

  /// Sends one operation of `records/modify`; the record is JSON.
  func modify(
    _ type: String,
    _ record: String,
    in database: String = "private",
    as user: String? = "ada"
  ) throws -> HTTPAnswer {
    try post(
      "\(database)/records/modify",
      text: #"{"operations": [{"operationType": "\#(type)", "record": \#(record)}]}"#,
      as: user
    )
  }
}
