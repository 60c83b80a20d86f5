internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

/// Shares as printed.
extension Verb {
  static let metadataColumns = ["ZONE", "RECORD", "ROLE", "PERMISSION", "STATUS", "URL"]

  /// A share as the user sees it.
  static func row(_ metadata: TidingsV1.ShareMetadata) -> [String] {
    let participant = metadata.participant ?? .init()
    let isNobody = participant.role == .unspecified
    return [
      metadata.zoneID?.shownName ?? "", metadata.rootRecordName,
      isNobody ? "" : ShareJSON.role(participant),
      isNobody ? "" : ShareJSON.name(participant.permission),
      isNobody ? "" : ShareJSON.status(participant), metadata.share?.share?.url ?? "",
    ]
  }

  /// Prints the results of fetching or accepting URLs.
  static func printResults(
    _ shareResults: [TidingsV1.ShareResult],
    _ output: Output
  ) -> ExitCode {
    var results = Results(columns: metadataColumns)
    for result in shareResults {
      switch result.outcome {
      case .metadata(let metadata): results.append(ShareJSON.json(metadata), row(metadata))
      case .error(let error):
        results.appendFailure(
          .object(["url": .string(result.url), "error": error.json]),
          [result.url, "", "", "", "", error.text]
        )
      case nil:
        results.appendFailure(
          .object(["url": .string(result.url)]),
          [result.url, "", "", "", "", "no result"]
        )
      }
    }
    return results.finish(output)
  }

  /// Prints a share of the user with its participants.
  static func printShare(_ record: TidingsV1.Record, _ output: Output) -> ExitCode {
    let share = record.share ?? .init()
    guard output.format == .table else {
      output.write(RecordJSON.json(record))
      return .success
    }
    var table = Table(["USER", "ROLE", "PERMISSION", "STATUS"])
    for participant in share.participants {
      // An open invitation is withdrawn by its ID.
      let isOpen = participant.userRecordName.isEmpty
      table.append([
        isOpen ? participant.participantID : participant.userRecordName,
        ShareJSON.role(participant),
        ShareJSON.name(participant.permission), ShareJSON.status(participant),
      ])
    }
    output.write(table)
    var facts = Table(["", ""])
    facts.append(["url", share.url])
    facts.append(["shared", share.rootRecordName.isEmpty ? "the zone" : share.rootRecordName])
    facts.append(["anyone", ShareJSON.name(share.publicPermission)])
    if case .stringValue(let title)? = record.fields["title"]?.value {
      facts.append(["title", title])
    }
    for participant in share.participants where !participant.oneTimeURL.isEmpty {
      let end = participant.expires.map { ", until \($0.text)" } ?? ""
      facts.append(["one-time URL of \(participant.participantID)", participant.oneTimeURL + end])
    }
    output.write(text: "\n" + facts.textWithoutHeader)
    if !share.requesters.isEmpty {
      let users = share.requesters.map { printable($0.userRecordName) }.joined(separator: ", ")
      output.log("waiting for access: \(users) (shares grant, deny or block)")
    }
    return .success
  }

  /// Prints that a share was left or ended.
  static func printEnd(_ id: TidingsV1.RecordID, _ word: String, _ output: Output) -> ExitCode {
    var results = Results(columns: ["SHARE", "RESULT"])
    var object: JSONObject = ["recordName": .string(id.recordName)]
    for member in (id.zoneID ?? .init()).json.members { object.append(member.name, member.value) }
    object.append(word, .bool(true))
    results.append(.object(object), [RecordResults.name(id), word])
    return results.finish(output)
  }
}
