internal import CommandLineTools
internal import TidingsJSON

/// The state of an import: the content of `FILE.progress` while it runs.
///
/// Everything before `offset` is complete. What follows may have been applied, too; its calls are
/// repeated with the same idempotency keys, so that nothing is applied twice.
struct ImportProgress: Hashable, Sendable {
  /// The prefix of the idempotency keys of this import.
  let runID: String
  /// The settings that must be the same when an import is resumed.
  let settings: Settings

  /// The next batch, and its position.
  var batchNumber = 0
  var offset = 0
  /// Lines before the offset.
  var lineCount = 0
  var savedCount = 0
  var failedCount = 0

  /// What determines the records of each batch, and the effect of a call.
  struct Settings: Hashable, Sendable {
    let fileBytes: Int
    let database: String
    let zoneName: String
    let policy: String
    let batchCountMax: Int
  }

  /// A new import.
  init(settings: Settings) {
    runID = String(UInt64.random(in: .min ... .max), radix: 36)
    self.settings = settings
  }

  /// The file's content.
  var text: [UInt8] {
    JSONValue.object([
      "tidings": .string("import"), "runId": .string(runID),
      "fileBytes": .integer(settings.fileBytes),
      "database": .string(settings.database), "zoneName": .string(settings.zoneName),
      "policy": .string(settings.policy), "batch": .integer(settings.batchCountMax),
      "batchNumber": .integer(batchNumber), "offset": .integer(offset),
      "lines": .integer(lineCount), "saved": .integer(savedCount),
      "failed": .integer(failedCount),
    ]).text() + [UInt8(ascii: "\n")]
  }

  /// Parses the content of a progress file.
  ///
  /// - Throws: If the text is invalid, or belongs to an import with other settings.
  init(_ text: [UInt8], path: String, settings: Settings) throws(UsageError) {
    let json = try? JSONValue(parsing: text)
    func number(_ name: String) throws(UsageError) -> Int {
      guard let number = json?.object?[name]?.number?.exactly(Int.self), number >= 0 else {
        throw UsageError("'\(path)' is not a valid progress file (at '\(name)'): remove it")
      }
      return number
    }
    func string(_ name: String) -> String { json?.object?[name]?.string ?? "" }
    let found = Settings(
      fileBytes: try number("fileBytes"),
      database: string("database"),
      zoneName: string("zoneName"),
      policy: string("policy"),
      batchCountMax: try number("batch")
    )
    guard found.fileBytes == settings.fileBytes else {
      throw UsageError(
        "'\(path)' belongs to a file of \(found.fileBytes) bytes, but this file has "
          + "\(settings.fileBytes): remove it to start again"
      )
    }
    guard found == settings else {
      throw UsageError(
        "'\(path)' belongs to an import into \(found.database) with --policy \(found.policy) "
          + "--batch \(found.batchCountMax) --zone '\(found.zoneName)': use the same options, "
          + "or remove it to start again"
      )
    }
    runID = string("runId")
    self.settings = settings
    batchNumber = try number("batchNumber")
    offset = try number("offset")
    lineCount = try number("lines")
    savedCount = try number("saved")
    failedCount = try number("failed")
  }
}
