import CommandLineTools
import Glibc
import TidingsFiles
import TidingsPostgres

/// Which database the command line and the environment name.
enum DatabaseArgument {
  static let file = OptionKey<String?>(
    "database-file",
    value: "FILE",
    "Experimental: a file with the address of a PostgreSQL database, postgresql://…, in place of the database in "
      + "the data folder. \(DatabaseSetting.variable) can contain the address itself."
  )

  /// An address is short.
  private static let bytesMax: UInt64 = 64 << 10

  /// - Throws: `UsageError`.
  static func setting(_ parsed: ParsedArguments) throws(UsageError) -> DatabaseSetting {
    var environment: [String: String] = [:]
    if let value = getenv(DatabaseSetting.variable) {
      environment[DatabaseSetting.variable] = String(cString: value)
    }
    do {
      return try DatabaseSetting(environment: environment, file: try parsed[file].map(read))
    } catch {
      throw UsageError("\(error)")
    }
  }

  /// The address, for a command that needs one.
  ///
  /// - Throws: `UsageError`.
  static func address(_ parsed: ParsedArguments) throws(UsageError) -> PostgresAddress {
    guard case .postgres(let address) = try setting(parsed) else {
      throw UsageError(
        "the address of a PostgreSQL database is needed: set \(DatabaseSetting.variable), or use \(file.spelling) FILE"
      )
    }
    return address
  }

  private static func read(_ path: String) throws -> DatabaseSetting.File {
    let mode = try Folder.mode(path)
    let file = try File(path: path, .read)
    guard try file.isRegular, try file.size <= bytesMax else {
      throw UsageError("\(Self.file.spelling) takes a small file with one line, not '\(path)'")
    }
    let content = String(decoding: try file.read(at: 0, count: Int(bytesMax)), as: UTF8.self)
    return DatabaseSetting.File(
      name: path,
      content: content,
      isReadableByOthers: mode & 0o007 != 0
    )
  }
}
