/// What a server reports about itself and the database, as far as rpcd depends on it.
public struct PostgresFacts: Hashable, Sendable {
  /// As 150004 for 15.4.
  public var version: Int64 = 0
  /// How text is stored.
  public var encoding = ""
  /// Commits are on disk when they are acknowledged.
  public var isDurable = true
  /// Pages that were half written at a crash are repaired.
  public var isCrashSafe = true
  /// Commits are acknowledged after they were written.
  public var commitsWait = true
  /// A standby, which cannot be written.
  public var isStandby = false
  /// The schema in which tables are made; empty: there is none.
  public var schema = ""
  /// The login may make tables there.
  public var canCreate = true
  /// A table that the login may not read and write; empty: there is none.
  public var deniedTable = ""
  /// A column of text that is not in the order of its bytes; empty: there is none.
  public var unorderedColumn = ""

  /// The oldest version with everything that is used.
  public static let oldestVersion: Int64 = 130_000

  /// Facts of a server that is fit.
  public init() {}

  /// Why rpcd cannot use the database, and what to do, one sentence each; empty: it can.
  public var problems: [String] {
    var problems: [String] = []
    if version < Self.oldestVersion {
      problems.append(
        "the server is PostgreSQL \(version / 10_000): rpcd requires \(Self.oldestVersion / 10_000) or newer"
      )
    }
    if encoding != "UTF8" {
      problems.append(
        "the encoding of the database is \(encoding): create it with ENCODING 'UTF8' TEMPLATE template0"
      )
    }
    if !isDurable {
      problems.append("fsync is off: a crash loses acknowledged saves; set fsync = on")
    }
    if !isCrashSafe {
      problems.append(
        "full_page_writes is off: a crash may damage tables; set full_page_writes = on"
      )
    }
    if !commitsWait {
      problems.append(
        "synchronous_commit is off: a crash loses acknowledged saves; set it to on, for the database or the login"
      )
    }
    if isStandby {
      problems.append("the server is a standby, which is read-only: name the primary")
    }
    if schema.isEmpty {
      problems.append("no schema of the login's search_path exists: create one, or set search_path")
    } else if !canCreate {
      problems.append("the login may not make tables: GRANT CREATE ON SCHEMA \(schema) TO it")
    }
    if !deniedTable.isEmpty {
      problems.append(
        "the login may not read and write the table '\(deniedTable)': make it the tables' owner"
      )
    }
    if !unorderedColumn.isEmpty {
      problems.append(
        "the text in '\(unorderedColumn)' is not in the order of its bytes: restore the column's COLLATE \"C\""
      )
    }
    return problems
  }
}
