import Glibc
import GreeterProto
import TidingsRPC
import TidingsZeroMQ

// greeter serve ENDPOINT: answers until the process is ended.
// greeter call ENDPOINT NAME: calls both methods.
let arguments = CommandLine.arguments.dropFirst()
do {
  switch Array(arguments.prefix(3)) {
  case let words where words.count == 2 && words[0] == "serve":
    let server = try await RPCServer.start(ServerConfiguration(endpoint: words[1])) { loop in
      loop.register(Greeter())
      // Health and reflection, so that generic tools work.
      loop.registerBuiltIn(HealthState())
    }
    print("greeter ready rpc=\(server.endpoint)")
    fflush(nil)
    while true { try await Task.sleep(for: .seconds(3600)) }
  case let words where words.count == 3 && words[0] == "call":
    let connection = try await ClientConnection(ConnectionConfiguration(endpoint: words[1]))
    let client = GreeterV1.GreeterService.Client(connection)
    print(try await client.greet(GreeterV1.GreetRequest(name: words[2])).greeting)
    for try await step in client.countDown(GreeterV1.CountDownRequest(start: 3)) {
      print(step.number)
    }
    do {
      _ = try await client.greet(GreeterV1.GreetRequest())
    } catch {
      print("\(error.code): \(error.message)")
    }
    await connection.close()
  default:
    print("Usage: greeter serve ENDPOINT | greeter call ENDPOINT NAME")
    exit(2)
  }
} catch {
  print("greeter: \(error)")
  exit(1)
}
