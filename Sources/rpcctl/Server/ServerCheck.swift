internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let structure = OptionKey<Bool>(
    flag: "structure",
    "Also check the consistency of tables and indexes; reads the database once more, unthrottled."
  )

  static let serverCheck = Verb(
    command: Command(
      "server check",
      "Verify the whole store of the running server, and list damage.",
      options: [Option](of: rateOption, structure),
      discussion: """
        Compares each page of the database with its checksum, and the file of each asset with the
        asset's size and checksum. Other calls continue meanwhile. Exits with 3 if anything is damaged:
        if a page or the structure is, restore a backup (`rpcd restore`); if an asset is, upload it
        again. Requires the admin role. Only an explicit --timeout limits the call.

        Examples:
          rpcctl server check
          rpcctl server check --structure --rate 8388608 -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let request = TidingsV1.CheckStoreRequest(
        bytesPerSecondMax: rate(invocation),
        checksStructure: invocation.arguments[structure]
      )
      Interruption.enableCancellation()
      let line = Progress(invocation.output)
      defer { line.end() }
      var results = Results(columns: ["DAMAGED", "WHICH", "PROBLEM"])
      var last = TidingsV1.CheckStoreResponse()
      let administration = try await invocation.administration()
      // The connection closes with its last reference.
      defer { withExtendedLifetime(administration) {} }
      let responses = administration.checkStore(request, options: optionsOfLongCall(invocation))
      for try await response in responses {
        for damage in response.damage { results.append(try Contract.json(damage), row(damage)) }
        line.update { progress(response) }
        last = response
      }
      line.end()
      guard last.step == .done else {
        throw LocalFailure("the server ended the check early: try again")
      }
      _ = results.finish(invocation.output)
      printSummary(last, invocation.output)
      return last.damageCount == 0 ? .success : .conditionNotMet
    }
  )

  private static func row(_ damage: TidingsV1.StoreDamage) -> [String] {
    switch damage.subject {
    case .page(let number)?: ["page", "\(number)", damage.problem]
    case .asset(let checksum)?: ["asset", checksum.hexadecimal, damage.problem]
    case .structure(let text)?: ["structure", text, damage.problem]
    case nil: ["unknown", "", damage.problem]
    }
  }

  private static func progress(_ response: TidingsV1.CheckStoreResponse) -> String {
    let part = Double(response.bytesDone) / Double(max(response.bytesTotal, 1))
    let damage = response.damageCount == 0 ? "" : ", \(response.damageCount) damaged"
    let step = Contract.shortName(response.step, "CHECK_STEP_")
    return
      "\(min(Int(part * 100), 100))%  \(step), \(response.pagesDone) of \(response.pagesTotal) pages, "
      + "\(response.assetsDone) of \(response.assetsTotal) assets\(damage)"
  }

  private static func printSummary(_ last: TidingsV1.CheckStoreResponse, _ output: Output) {
    let read = "\(last.pagesDone) pages and \(last.assetsDone) assets read"
    guard last.damageCount > 0 else { return output.log("\(read), no damage found") }
    output.warn(
      "\(read), \(last.damageCount) damaged: restore a backup, or upload damaged assets again"
    )
  }
}
