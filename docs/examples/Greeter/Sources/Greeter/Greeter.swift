import GreeterProto
import TidingsRPC

/// Answers the calls of GreeterService.
struct Greeter: GreeterV1.GreeterService.Server {
  func greet(
    _ request: GreeterV1.GreetRequest,
    call: ServerCall
  ) async throws -> GreeterV1.GreetResponse {
    guard !request.name.isEmpty else {
      throw RPCError(.invalidArgument, "name is empty: say who is greeted")
    }
    return GreeterV1.GreetResponse(greeting: "Hello, \(request.name)!")
  }

  func countDown(
    _ request: GreeterV1.CountDownRequest,
    call: ServerCall,
    responses: MessageWriter<GreeterV1.CountDownResponse>
  ) async throws {
    for number in stride(from: request.start, to: 0, by: -1) {
      try await responses.write(GreeterV1.CountDownResponse(number: number))
    }
  }
}
