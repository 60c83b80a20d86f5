import BenchCore
import TestSupport
import Testing

/// The program itself with little to do: what it measures, not how fast.
@Suite(.endsServers) struct ProgramTests {
  private func run(_ arguments: String...) async throws -> Report {
    let folder = try TemporaryFolder()
    let process = try ServerProcess(
      "tidings-bench",
      arguments: arguments + ["--data", folder.path, "--output", "json"]
    )
    let exit = try await process.waitForExit()
    try #require(exit == .code(0), "\(process.seen.value.errors)")
    return try Report(json: process.seen.value.output)
  }

  @Test("a save is compared with the floor service, with the processor time of all three processes")
  func save() async throws {
    let report = try await run(
      "save",
      "--saves",
      "new,field.new,fired,indexed",
      "--fired",
      "2",
      "--indexes",
      "3",
      "--connections",
      "1,4",
      "--in-flight",
      "1,4",
      "--rounds",
      "2",
      "--calls",
      "10",
      "--warmup",
      "8"
    )
    let compared = report.figures.filter { $0.baseline != nil }
    let variants = ["new", "field.new", "fired", "indexed"]
    #expect(
      compared.map(\.name)
        == variants.flatMap { variant in
          [".c1.n1", ".c1.n4", ".c4.n4"].map { "save." + variant + $0 }
        }
    )
    for figure in compared {
      let (measured, baseline) = (figure.measured?.processor, figure.baseline?.processor)
      #expect((measured?.server ?? 0) > 0 && (baseline?.server ?? 0) > 0, "\(figure.name)")
      #expect((measured?.client ?? 0) > 0 && (baseline?.client ?? 0) > 0)
    }
    #expect(
      report.figures.map(\.name).filter { $0.contains("added") } == [
        "save.fired.added.c1.n4", "save.fired.added.c4.n4", "save.indexed.added.c1.n4",
        "save.indexed.added.c4.n4",
      ]
    )
  }

  @Test("an open loop makes its calls in its time, and waits for the pushes of all")
  func openLoop() async throws {
    let report = try await run("save", "push", "--open-loop", "100", "--seconds", "1")
    #expect(
      report.figures.map(\.name)
        == ["save", "push"].flatMap { name in
          ["", ".p999", ".max"].map { "\(name).open\($0)" }
        }
    )
    for figure in report.figures where figure.measured != nil {
      #expect(figure.measured?.calls == 100 && figure.baseline?.calls == 100)
      #expect((figure.measured?.perSecond ?? .infinity) < 102)
    }
  }
}
