internal import Foundation
internal import TestSupport
internal import Testing

/// Runs of `tidings-faults`: a server, its clients and its disk in one process.
///
/// `TIDINGS_FAULTS_ROUNDS` makes them longer, `TIDINGS_FAULTS_SEED` repeats one.
@Suite(.endsServers, .embeddedOnly) struct SimulationTests {
  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["TIDINGS_FAULTS_\(name)"]
  }

  private static let seed =
    Self.variable("SEED").flatMap(UInt64.init) ?? .random(in: 1...UInt64(UInt32.max))

  /// - Returns: What it says at its end.
  private func run(_ arguments: [String], seed: UInt64 = Self.seed) async throws -> String {
    let process = try ServerProcess("tidings-faults", arguments: arguments + ["--seed", "\(seed)"])
    let exit = try await process.waitForExit()
    let seen = process.seen.value
    #expect(exit == .code(0), "\(seen.output) \(seen.errors)")
    print("SimulationTests: \(seen.output)")
    return seen.output
  }

  /// The number before some words.
  private func count(of words: String, in output: String) throws -> Int {
    let end = try #require(output.range(of: " " + words), "no \(words) in: \(output)").lowerBound
    let digits = output[..<end].reversed().prefix { $0.isNumber }
    return try #require(Int(String(digits.reversed())), "no number of \(words) in: \(output)")
  }

  /// What happened on the disks, as one number.
  private func journal(in output: String) throws -> UInt64 {
    let words = output.split { $0.isWhitespace }
    let index = try #require(words.lastIndex(of: "journal"), "no journal in: \(output)")
    return try #require(UInt64(words[words.index(after: index)], radix: 16))
  }

  @Test("what was acknowledged is kept by a disk that fails and loses its power")
  func lives() async throws {
    let rounds = Self.variable("ROUNDS").flatMap(Int.init) ?? 12
    let output = try await run(["run", "--rounds", "\(rounds)", "--lives", "8"])
    #expect(try count(of: "runs", in: output) == rounds)
    #expect(try count(of: "lives", in: output) == rounds * 8)
    let losses = try count(of: "power losses", in: output)
    let crashes = try count(of: "ended processes", in: output)
    #expect(losses + crashes == rounds * 8)
    #expect(try count(of: "calls", in: output) > 0)
    // Fewer runs may have none.
    guard rounds >= 12 else { return }
    #expect(losses > 0 && crashes > 0)
    #expect(try count(of: "faults", in: output) > 0)
  }

  @Test("a seed repeats a run, to the last byte")
  func repetition() async throws {
    var journals: [UInt64] = []
    for seed in [Self.seed, Self.seed, Self.seed + 1] {
      let output = try await run(["run", "--rounds", "1", "--lives", "6"], seed: seed)
      journals.append(try journal(in: output))
    }
    #expect(journals[0] == journals[1], "seed \(Self.seed)")
    #expect(journals[0] != journals[2])
  }

  @Test("the power may fail before and after each sync", arguments: [0, 3])
  func points(after lives: Int) async throws {
    let steps = Self.variable("STEPS") ?? (lives == 0 ? "10" : "5")
    let output = try await run(["points", "--steps", steps, "--after", "\(lives)"])
    let syncs = try count(of: "syncs", in: output)
    // A start alone syncs folders, the log, the database and the state, and two losses are before each.
    #expect(syncs >= 5)
    #expect(try count(of: "power losses", in: output) > 2 * syncs)
  }
}
