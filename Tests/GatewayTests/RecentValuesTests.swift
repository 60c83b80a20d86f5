internal import Testing

@testable internal import TidingsGateway

@Suite struct RecentValuesTests {
  @Test("what is used stays, however many others come; the bound holds")
  func keepsUsed() {
    var values = RecentValues<Int, String>(countMax: 10)
    values.remember("kept", of: 0)
    for number in 1...1_000 {
      values.remember("\(number)", of: number)
      #expect(values.value(of: 0) == "kept")
      #expect(values.count <= 10)
    }
  }

  @Test("when there is no room, the last half is kept")
  func keepsNewest() {
    var values = RecentValues<Int, Int>(countMax: 10)
    for number in 1...100 {
      values.remember(number, of: number)
      for recent in max(1, number - 4)...number {
        var copy = values
        #expect(copy.value(of: recent) == recent)
      }
    }
    #expect(values.value(of: 90) == nil)
  }

  @Test("a key has the last value that was remembered, also after its generation")
  func replaces() {
    var values = RecentValues<String, Int>(countMax: 4)
    values.remember(1, of: "a")
    values.remember(2, of: "b")
    values.remember(3, of: "c")
    values.remember(4, of: "a")
    #expect(values.value(of: "a") == 4)
    values.remember(5, of: "d")
    #expect(values.value(of: "a") == 4)
  }
}
