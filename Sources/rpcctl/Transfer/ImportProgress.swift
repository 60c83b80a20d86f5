internal import CommandLineTools
internal import TidingsJSON

/// How far an import came: what `FILE.progress` holds while it runs.
///
/// Everything before `offset` is done for good. What follows may have been applied too; its calls
/// have the same idempotency keys when they are made again, so that nothing is applied twice.
struct ImportProgress: Hashable, Sendable {
  /// Begins the idempotency keys of this import.
  let runID: String
  /// What must be the same when an import is taken up again.
  let settings: Settings

  /// The next batch, and where it begins.
  var batchNumber = 0
  var offset = 0
  /// Lines before the offset.
  var lineCount = 0
  var savedCount = 0
  var failedCount = 0

  /// What decides which records are in which batch, and what a call does.
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

  /// Reads the content of a progress file.
  ///
  /// - Throws: When the text is none, or of an import with other settings.
  init(_ text: [UInt8], path: String, settings: Settings) throws(UsageError) {
    let json = try? JSONValue(parsing: text)
    func number(_ name: String) throws(UsageError) -> Int {
      guard let number = json?.object?[name]?.number?.exactly(Int.self), number >= 0 else {
        throw UsageError("\(path) does not tell how far an import came ('\(name)'); remove it")
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
        "\(path) is of a file of \(found.fileBytes) bytes, and this one has "
          + "\(settings.fileBytes): remove it to begin anew"
      )
    }
    guard found == settings else {
      throw UsageError(
        "\(path) is of an import into \(found.database) with --policy \(found.policy) "
          + "--batch \(found.batchCountMax) --zone '\(found.zoneName)': give the same, "
          + "or remove it to begin anew"
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
