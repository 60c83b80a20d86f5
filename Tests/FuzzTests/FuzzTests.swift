internal import Foundation
internal import FuzzTargets
internal import RandomSupport
internal import TestSupport
internal import Testing

/// The corpus, and some inputs made from it: what `tools/fuzz` does for longer.
@Suite struct FuzzTests {
  /// Inputs that are made for each target, unless TIDINGS_FUZZ_SECONDS says how long.
  private static let mutationCount = 400
  private static let serverTargets: Set<String> = ["calls", "frames", "tokens"]

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("FuzzCorpus")

  private static func corpus(_ target: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appendingPathComponent(target)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, [UInt8](try Data(contentsOf: folder.appendingPathComponent($0))))
    }
  }

  private func run(_ target: String, _ check: ([UInt8]) throws -> Void) throws {
    let corpus = try Self.corpus(target)
    #expect(!corpus.isEmpty)
    for (name, bytes) in corpus {
      #expect(throws: Never.self, "\(target)/\(name)") { try check(bytes) }
    }
    let seed =
      UInt64(ProcessInfo.processInfo.environment["TIDINGS_FUZZ_SEED"] ?? "")
      ?? .random(in: 0...(.max))
    var mutator = Mutator(seed: seed, corpus: corpus.map(\.bytes))
    let seconds = Double(ProcessInfo.processInfo.environment["TIDINGS_FUZZ_SECONDS"] ?? "")
    let end = ContinuousClock.now.advanced(by: .seconds(seconds ?? 0))
    let count = Self.serverTargets.contains(target) ? Self.mutationCount / 4 : Self.mutationCount
    var number = 0
    while number < count || (seconds != nil && .now < end) {
      number += 1
      let bytes = mutator.next()
      do {
        try check(bytes)
      } catch {
        Issue.record("\(target): \(error), input \(number) of TIDINGS_FUZZ_SEED=\(seed): \(bytes)")
        return
      }
    }
  }

  @Test(
    "what must hold, holds for the corpus and for inputs made from it",
    arguments: FuzzTarget.names
  )
  func target(name: String) async throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    // A server's answers are waited for.
    try await blocking {
      try run(name) { bytes in try bytes.withUnsafeBytes { try target.run($0) } }
    }
  }

  @Test("the short way of an import and the long one agree")
  func jsonImport() throws { try run("json-import", JSONImport.run) }

  @Test("the corpus is small, has all targets, and no seed breaks anything")
  func corpus() async throws {
    var byteCount = 0
    for name in FuzzTarget.names + ["json-import"] {
      let files = try Self.corpus(name)
      #expect(!files.isEmpty, "\(name)")
      byteCount += files.reduce(0) { $0 + $1.bytes.count }
    }
    #expect(byteCount <= 500_000)
    #expect(Set(Seeds.all.keys) == Set(FuzzTarget.names + ["json-import"]))
    guard let path = ProcessInfo.processInfo.environment["TIDINGS_FUZZ_SEEDS"] else { return }
    for (name, seeds) in Seeds.all {
      let folder = URL(fileURLWithPath: path).appendingPathComponent(name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (index, seed) in seeds.enumerated() {
        try Data(seed).write(to: folder.appendingPathComponent("seed-\(index)"))
      }
    }
  }
}
