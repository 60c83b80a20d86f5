import BenchCore
import Testing

@Suite struct ThresholdsTests {
  private let figures = [
    Figure(
      name: "echo.c1.n1",
      score: Score(rounds: [1.5], unit: "× baseline p50", .atMost, target: 1.25)
    ),
    Figure(
      name: "echo.c1.n64",
      score: Score(rounds: [0.5], unit: "× baseline rate", .atLeast)
    ),
    Figure(name: "push.save"),
  ]

  @Test("what is worse than its bound is named; the target does not matter")
  func bounds() throws {
    let thresholds = try Thresholds(json: #"{"echo.c1.n1": 1.4, "echo.c1.n64": 0.4}"#)
    #expect(
      thresholds.complaints(about: figures, cases: ["echo"])
        == ["echo.c1.n1 is 1.50 × baseline p50 and should be at most 1.40"]
    )
    #expect(Thresholds(["echo.c1.n1": 1.5]).complaints(about: figures, cases: ["echo"]) == [])
    #expect(
      Thresholds(["echo.c1.n64": 0.6]).complaints(about: figures, cases: ["echo"])
        == ["echo.c1.n64 is 0.50 × baseline rate and should be at least 0.60"]
    )
  }

  @Test("a bound whose figure is missing is a complaint only when its case was run")
  func missing() {
    let thresholds = Thresholds(["echo.c2.n1": 1, "fetch.c1.n1": 1, "push.save": 1])
    #expect(
      thresholds.complaints(about: figures, cases: ["echo", "push"])
        == [
          "echo.c2.n1 has a bound and was not measured",
          "push.save has a bound and was not measured",
        ]
    )
  }

  @Test(
    "only an object of numbers is accepted",
    arguments: ["", "[]", "{\"a\": \"1\"}", "{\"a\": {\"atMost\": 1}}"]
  )
  func malformed(text: String) {
    #expect(throws: (any Error).self) { try Thresholds(json: text) }
  }
}
