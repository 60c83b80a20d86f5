import Foundation
import Testing
import TidingsEngine

@Suite("limits that an operator may set")
struct AdjustableLimitTests {
  @Test(
    "each is documented with its default and its range",
    arguments: AdjustableLimit.all.map(\.name)
  )
  func isDocumented(name: String) throws {
    let limit = try #require(AdjustableLimit.all.first { $0.name == name })
    let page = URL(filePath: #filePath).appending(path: "../../../docs/limits.md").standardized
    let row =
      "| `\(name)` | \(grouped(limit.value(Limits()))) | \(grouped(limit.range.lowerBound)) to "
      + "\(grouped(limit.range.upperBound)) | \(limit.unit.rawValue) \(limit.summary) |"
    #expect(
      try String(contentsOf: page, encoding: .utf8).contains(row),
      "docs/limits.md lacks: \(row)"
    )
  }

  @Test("names are unique, defaults lie in the ranges")
  func isSound() {
    #expect(Set(AdjustableLimit.all.map(\.name)).count == AdjustableLimit.all.count)
    for limit in AdjustableLimit.all { #expect(limit.range.contains(limit.value(Limits()))) }
  }

  @Test("setting one changes that one only")
  func setsOne() {
    for limit in AdjustableLimit.all {
      var limits = Limits()
      limit.set(&limits, to: limit.range.lowerBound)
      #expect(limit.value(limits) == limit.range.lowerBound)
      for other in AdjustableLimit.all where other.name != limit.name {
        #expect(other.value(limits) == other.value(Limits()))
      }
    }
  }

  private func grouped(_ number: Int) -> String {
    var text = String(number)
    var index = text.count - 3
    while index > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: index))
      index -= 3
    }
    return text
  }
}
