package import TidingsJSON

/// What a backup says of itself in its first section, as JSON.
package struct BackupManifest: Hashable, Sendable {
  /// The newest migration of the store's schema.
  package var schema: Int64
  /// Which store it was: 16 hexadecimal digits, which a restore replaces.
  package var incarnation: String
  /// When it was made, in UTC.
  package var created: String
  /// The version of the server.
  package var serverVersion: String
  /// Bytes of a page, a power of two from 512 to 65,536.
  package var pageBytes: Int
  /// Pages of the database file.
  package var pageCount: UInt64
  /// Assets that are to follow, about: more may come while the backup is made.
  package var assetCount: UInt64
  /// Bytes of these.
  package var assetBytes: UInt64
  /// Containers, about.
  package var containerCount: UInt64
  /// Records, about.
  package var recordCount: UInt64

  /// A manifest.
  package init(
    schema: Int64,
    incarnation: String,
    created: String,
    serverVersion: String,
    pageBytes: Int,
    pageCount: UInt64,
    assetCount: UInt64,
    assetBytes: UInt64,
    containerCount: UInt64,
    recordCount: UInt64
  ) {
    self.schema = schema
    self.incarnation = incarnation
    self.created = created
    self.serverVersion = serverVersion
    self.pageBytes = pageBytes
    self.pageCount = pageCount
    self.assetCount = assetCount
    self.assetBytes = assetBytes
    self.containerCount = containerCount
    self.recordCount = recordCount
  }

  /// Bytes of pages and assets, about; for progress.
  package var contentBytes: UInt64 {
    let (pages, overflows) = pageCount.multipliedReportingOverflow(by: UInt64(pageBytes))
    let (all, overflowsToo) = pages.addingReportingOverflow(assetBytes)
    return overflows || overflowsToo ? .max : all
  }

  /// The manifest as an object, for those who print it.
  package var json: JSONValue {
    .object([
      "format": .integer(BackupFormat.version),
      "schema": .integer(schema),
      "incarnation": .string(incarnation),
      "created": .string(created),
      "serverVersion": .string(serverVersion),
      "pageBytes": .integer(pageBytes),
      "pages": .integer(pageCount),
      "assets": .integer(assetCount),
      "assetBytes": .integer(assetBytes),
      "containers": .integer(containerCount),
      "records": .integer(recordCount),
    ])
  }

  /// The content of a manifest section; `nil` when it is none.
  init?(_ content: [UInt8]) {
    guard let object = (try? JSONValue(parsing: content))?.object else { return nil }
    func count(_ name: String) -> UInt64? { object[name]?.number?.exactly() }
    guard let schema: Int64 = object["schema"]?.number?.exactly(), schema > 0,
      let pageBytes: Int = object["pageBytes"]?.number?.exactly(),
      (512...65_536).contains(pageBytes), pageBytes & (pageBytes - 1) == 0,
      let incarnation = object["incarnation"]?.string,
      let created = object["created"]?.string,
      let serverVersion = object["serverVersion"]?.string,
      let pageCount = count("pages"), pageCount > 0,
      let assetCount = count("assets"), let assetBytes = count("assetBytes"),
      let containerCount = count("containers"), let recordCount = count("records")
    else { return nil }
    self.init(
      schema: schema,
      incarnation: incarnation,
      created: created,
      serverVersion: serverVersion,
      pageBytes: pageBytes,
      pageCount: pageCount,
      assetCount: assetCount,
      assetBytes: assetBytes,
      containerCount: containerCount,
      recordCount: recordCount
    )
  }
}
