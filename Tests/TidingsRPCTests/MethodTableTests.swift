import Testing
import TidingsRPC

@Suite("MethodTable") struct MethodTableTests {
  private func method(_ service: String, _ name: String) -> MethodDescriptor {
    MethodDescriptor(
      service: service,
      name: name,
      kind: .unary,
      idempotency: .unknown,
      inputType: "",
      outputType: ""
    )
  }

  private func lookup(_ table: MethodTable<Int>, _ name: String) -> Int? {
    Array(name.utf8).withUnsafeBytes { table.lookup($0) }
  }

  @Test("finds what was inserted and nothing else, at any size")
  func finds() {
    var table = MethodTable<Int>()
    for number in 0..<500 {
      table.insert(method("test.Service\(number % 7)", "M\(number)"), number)
    }
    #expect(table.count == 500)
    for number in 0..<500 {
      #expect(lookup(table, "test.Service\(number % 7)/M\(number)") == number)
      #expect(lookup(table, "test.Service\(number % 7)/M\(number)x") == nil)
      #expect(lookup(table, "test.Service\((number + 1) % 7)/M\(number)") == nil)
    }
    #expect(lookup(table, "") == nil)
    table.insert(method("test.Service0", "M0"), -1)
    #expect(table.count == 500)
    #expect(lookup(table, "test.Service0/M0") == -1)
  }

  @Test("distinguishes a missing service from a missing method and from nonsense")
  func refusals() {
    var table = MethodTable<Int>()
    table.insert(method("a.B", "C"), 1)
    func refusal(_ name: [UInt8]) -> RPCError { name.withUnsafeBytes { table.refusal(of: $0) } }
    #expect(refusal(Array("a.B/D".utf8)).details == [.errorInfo(reason: "METHOD_NOT_FOUND")])
    #expect(refusal(Array("a.X/C".utf8)).details == [.errorInfo(reason: "SERVICE_NOT_FOUND")])
    #expect(refusal(Array("a.B".utf8)).code == .invalidArgument)
    #expect(refusal([]).code == .invalidArgument)
    #expect(refusal([0xc0, 0x80]).code == .invalidArgument)
  }
}
