internal import CommandLineTools
internal import TidingsAudit
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// `rpcctl audit --verify`: verifies that the lines of the audit log are as rpcd wrote them.
enum AuditVerify {
  static func run(_ invocation: Invocation) async throws -> ExitCode {
    let chains: [TidingsV1.AuditChain]
    if let folder = invocation.arguments[Verb.auditFolder] {
      chains = try check(folder, try heads(invocation.arguments[Verb.auditHeads]))
    } else {
      guard invocation.arguments[Verb.auditHeads].isEmpty else {
        throw UsageError(
          "--head requires --folder: compare the heads that the server returns with the saved ones"
        )
      }
      chains = try await invocation.administration().fetchAuditLog(
        .init(limit: 1, verifies: true),
        options: Verb.optionsOfLongCall(invocation)
      ).chains
    }
    return show(chains, invocation.output)
  }

  /// Checks the files in a local folder.
  private static func check(
    _ folder: String,
    _ heads: [AuditKind: [ChainHead]]
  ) throws -> [TidingsV1.AuditChain] {
    let names = try Folder.names(folder)
    // An empty folder must not look like an intact log.
    guard AuditKind.allCases.contains(where: { names.contains($0.fileName(0)) }) else {
      throw LocalFailure("no audit log in '\(folder)': name a data folder of rpcd")
    }
    return try AuditKind.allCases.map { kind in
      let check = try AuditVerification(kind, folder: folder).check(kept: heads[kind] ?? [])
      return .init(
        name: kind.name,
        headNumber: check.head.number,
        headHash: check.lineCount == 0 ? [] : check.head.hash,
        lineCount: check.lineCount,
        firstNumber: check.firstNumber,
        problems: check.problems,
        remarks: check.remarks
      )
    }
  }

  private static func heads(_ texts: [String]) throws(UsageError) -> [AuditKind: [ChainHead]] {
    var heads: [AuditKind: [ChainHead]] = [:]
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let kind = AuditKind(rawValue: String(parts[0])),
        let head = ChainHead(text: String(parts[1]))
      else {
        let names = AuditKind.allCases.map(\.name).joined(separator: ", ")
        throw UsageError(
          "invalid --head '\(text)': use CHAIN=NUMBER:HASH as printed by --verify, with CHAIN one of \(names)"
        )
      }
      heads[kind, default: []].append(head)
    }
    return heads
  }

  private static func show(_ chains: [TidingsV1.AuditChain], _ output: Output) -> ExitCode {
    var results = Results(columns: ["CHAIN", "LINES", "FIRST", "PROBLEMS", "HEAD"])
    for chain in chains {
      let head =
        chain.headHash.isEmpty
        ? "" : "\(chain.name)=\(ChainHead(number: chain.headNumber, hash: chain.headHash))"
      results.append(
        .object([
          "chain": .string(chain.name), "lines": .integer(chain.lineCount),
          "first": .integer(chain.firstNumber), "head": .string(head),
          "problems": .array(chain.problems.map { .string($0) }),
          "remarks": .array(chain.remarks.map { .string($0) }),
        ]),
        [
          chain.name, "\(chain.lineCount)", "\(chain.firstNumber)", "\(chain.problems.count)", head,
        ]
      )
    }
    _ = results.finish(output)
    for chain in chains {
      for remark in chain.remarks { output.log("rpcctl: note: \(remark)") }
      for problem in chain.problems { output.warn("rpcctl: \(problem)") }
    }
    return chains.allSatisfy(\.problems.isEmpty) ? .success : .conditionNotMet
  }
}
