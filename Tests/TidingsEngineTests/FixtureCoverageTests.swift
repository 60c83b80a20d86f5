internal import Foundation
internal import Testing
internal import TidingsSQL

@testable internal import TidingsEngine

/// Stores of each data format that a release may have had are kept, and opened by later versions (`StoreFixtureTests`,
/// `EmbeddedStoreFixtureTests`).
@Suite struct FixtureCoverageTests {
  /// The names of the files that are there.
  private let present: Set<String>

  init() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = tests.appendingPathComponent("ScenarioTests/Nodes/Fixtures").path
    present = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
  }

  /// Expects the files of each data format from the first one that has any.
  private func expectFixtures(
    of store: String,
    since first: Int64,
    except missing: Set<Int64> = [],
    names: (Int64) -> [String]
  ) {
    for format in first...max(first, Migration.format) where !missing.contains(format) {
      let absent = names(format).filter { !present.contains($0) }
      #expect(
        absent == [],
        """
        no fixture of \(store) in data format \(format): with the last version that has this format, run \
        TIDINGS_MAKE_FIXTURE=1 tools/test --filter StoreFixtureTests, which writes it to \
        Tests/ScenarioTests/Nodes/Fixtures
        """
      )
    }
  }

  @Test("each data format since the first fixture has fixtures of a PostgreSQL database")
  func postgres() {
    // There is none of 19, which no release has.
    expectFixtures(of: "a PostgreSQL database", since: 18, except: [19]) { format in
      ["sql", "json"].map { "format-\(format).\($0)" }
    }
  }

  @Test("each data format since the first fixture has fixtures of a data folder")
  func embedded() {
    expectFixtures(of: "a data folder", since: 21) { format in
      ["stopped", "killed"].flatMap { end in
        ["tar.gz", "json"].map { "embedded-\(format)-\(end).\($0)" }
      }
    }
  }
}
