import Testing

@testable import rpcctl

@Suite struct TableTests {
  @Test("columns fit their content, also of wide characters")
  func columns() {
    var table = Table(["NAME", "TEXT", "END"])
    table.append(["h1", "日本", "x"])
    table.append(["longer", "é", ""])
    #expect(
      table.description == """
        NAME    TEXT  END
        h1      日本  x
        longer  é

        """
    )
  }

  @Test("no rows print nothing")
  func empty() {
    #expect(Table(["NAME"]).description == "")
  }

  @Test("terminals get no control characters from data")
  func controls() {
    var table = Table(["A"])
    table.append(["\u{1B}[31mred\nline\u{9B}"])
    #expect(table.description == "A\n\\u{1B}[31mred\\nline\\u{009B}\n")
  }
}
