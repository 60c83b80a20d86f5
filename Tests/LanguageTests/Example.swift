internal import Foundation
internal import TestSupport

/// A program of `docs/examples`, built as its page says, once for all tests.
struct Example: Sendable {
  let folder: String
  /// The program `houses`.
  let houses: String

  static let c = Task { try await Self(building: "c") }
  static let java = Task { try await Self(building: "java") }
  static let go = Task { try await Self(building: "go") }
  /// Go's compiler and the generator of its messages are installed.
  static let canBuildGo = ["go", "protoc-gen-go"].allSatisfy { name in
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
  /// The C client under test of the conformance runner, which reports what it does wrong with memory.
  static let conformance = Task { try await make("c", "tidings-conformance-c", memoryChecks) }
  /// The C client in one file, which reports that too, and what it does not free.
  static let smallest = Task { try await make("c", "watch", memoryChecks) }
  private static let memoryChecks =
    "CFLAGS=-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

  private init(building name: String) async throws {
    houses = try await Self.make(name, "houses")
    folder = String(houses.dropLast("/houses".count))
  }

  /// Runs make in an example's folder.
  ///
  /// - Returns: The path of the program.
  private static func make(
    _ name: String,
    _ program: String,
    _ settings: String...
  ) async throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.file("build/\(program)")
    let run = try await ForeignProgram.run(
      "/bin/sh",
      ["-c", "exec make \"$@\"", "make", "--silent"]
        + ["-C", Repository.root + "/docs/examples/" + name, "OUT=\(folder.file("build"))"]
        + settings + [path]
    )
    guard run.exit == 0 else {
      throw WaitingFailure(
        description: "make in docs/examples/\(name), which needs what tools/install-dependencies "
          + "--tests installs: \(run.errors)"
      )
    }
    return path
  }
}

/// This repository, and what was built of it.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: root + "/" + path, encoding: .utf8)
  }

  /// A program that was built beside these tests.
  static func program(_ name: String) throws -> String {
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [
      beside.appendingPathComponent(name).path, root + "/.build/release/" + name,
    ]
    guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw WaitingFailure(description: "\(name) is not built: looked at \(candidates)")
    }
    return path
  }
}
