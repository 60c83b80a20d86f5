internal import TestSupport
internal import Testing

/// Connections that wait make room for new ones.
@Suite(.endsServers) struct ConnectionRoomTests {
  @Test("connections that do not call, begin a request, or have called keep nobody out")
  func waiting() async throws {
    let world = try await GatewayWorld.start(["--connections-max", "64"])
    let path = GatewayWorld.path("private/zones/list")
    let starts = [
      "", "GET \(path) HTTP/1.1\r\nHost: localh",
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
      "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]
    for start in starts {
      var connections: [HTTPConnection] = []
      for _ in 0..<80 {
        let connection = try HTTPConnection(world.port)
        connection.send(start)
        connections.append(connection)
      }
      #expect(try world.post("private/zones/list").status == 200, "\(start)")
      withExtendedLifetime(connections) {}
    }
  }
}
