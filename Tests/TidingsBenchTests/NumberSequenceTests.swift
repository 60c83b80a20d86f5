import BenchCore
import Testing

@Suite struct NumberSequenceTests {
  @Test("fresh numbers never repeat, and two sequences can keep apart")
  func fresh() {
    var first = NumberSequence.fresh
    var second = NumberSequence.fresh.starting(at: 1000)
    let numbers =
      (0..<1000).map { _ in first.take().name } + (0..<10).map { _ in second.take().name }
    #expect(Set(numbers).count == numbers.count)
  }

  @Test("all existing records are visited before one is repeated", arguments: [1, 10, 10_000])
  func existing(count: Int) {
    var sequence = NumberSequence.existing(count).starting(at: 3_000_000_000)
    let taken = (0..<count).map { _ in sequence.take() }
    #expect(Set(taken.map(\.name)) == Set(0..<count))
    #expect(Set(taken.map(\.serial)).count == count)
  }

  @Test("a ready line shows its endpoints")
  func readyLine() throws {
    let line = try #require(ReadyLine("rpcd ready rpc=tcp://127.0.0.1:5 push=ipc:///a=b\n"))
    #expect(line.values == ["rpc": "tcp://127.0.0.1:5", "push": "ipc:///a=b"])
    #expect(ReadyLine("rpcd: another rpcd uses the data folder") == nil)
    #expect(ReadyLine("") == nil)
  }
}
