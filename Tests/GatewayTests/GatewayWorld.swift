internal import Foundation
internal import TestSupport
internal import TidingsJSON

/// A server in development mode, and a gateway before it.
struct GatewayWorld {
  let server: TestServer
  let gateway: ServerProcess
  let port: UInt16

  static func start(_ arguments: [String] = []) async throws -> GatewayWorld {
    try await start(before: try await TestServer.startLasting(), arguments)
  }

  static func start(
    before server: TestServer,
    port: UInt16 = 0,
    _ arguments: [String] = []
  ) async throws -> GatewayWorld {
    let gateway = try ServerProcess(
      "rpcgw",
      arguments: ["--rpc", server.rpcEndpoint, "--listen", "127.0.0.1:\(port)"] + arguments
    )
    let line = try await gateway.waitForReadyLine()
    guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw WaitingFailure(description: "no port in '\(line)'")
    }
    return GatewayWorld(server: server, gateway: gateway, port: port)
  }

  /// A gateway with the same port, after this one has ended.
  func restartedGateway() async throws -> GatewayWorld {
    try await Self.start(before: server, port: port)
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
}
