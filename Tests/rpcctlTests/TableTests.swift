import Glibc
import Testing
import TidingsJSON

@testable import rpcctl

@Suite struct TableTests {
  @Test("columns fit their content, also with wide characters")
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

  @Test("output that cannot be written is an error, for example on a full disk")
  func fullDisk() {
    let full = open("/dev/full", O_WRONLY)
    let null = open("/dev/null", O_WRONLY)
    defer { for descriptor in [full, null] { close(descriptor) } }
    #expect(Output.writeAll([1, 2], to: full) == ENOSPC)
    #expect(Output.writeAll([1, 2], to: null) == 0)
  }

  @Test("a table without rows is empty")
  func empty() {
    #expect(Table(["NAME"]).description == "")
  }

  @Test("the lines of an error are printed below its row")
  func notes() {
    var results = Results(columns: ["A", "RESULT"])
    results.appendFailure(.null, ["x", "wrong:\n  a = = 1\n      ^"])
    results.append(.null, ["long", "ok"])
    let out = Recorder()
    let output = Output(format: .table, writeData: { out.append($0) }, writeMessage: { _ in })
    #expect(results.finish(output) == .itemsFailed)
    #expect(
      out.text == """
        A     RESULT
        x     wrong:
          a = = 1
              ^
        long  ok

        """
    )
  }

  @Test("terminals get no control characters from data")
  func controls() {
    var table = Table(["A"])
    table.append(["\u{1B}[31mred\nline\u{9B}"])
    #expect(table.description == "A\n\\u{1B}[31mred\\nline\\u{009B}\n")
  }
}
