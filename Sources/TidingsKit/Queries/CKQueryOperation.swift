public import Foundation

/// Where a query is to be continued; the server's, for minutes only.
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Cursors are equal when they continue the same query at the same place.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKQueryCursor)?.bytes == bytes
  }

  /// Of all bytes.
  public override var hash: Int { bytes.hashValue }

  /// Itself: cursors do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Cursors can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the cursor.
  public func encode(with coder: NSCoder) {
    coder.encode(Data(bytes) as NSData, forKey: "cursor")
  }

  /// Reads what `encode(with:)` wrote.
  public init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "cursor") else { return nil }
    bytes = Array(Data(referencing: data))
  }
}

/// Finds the records that match a query.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs; `queryCursor` is set by the operation before it ends.

  /// Where a query is to be continued.
  public typealias Cursor = CKQueryCursor

  /// As many records as the server puts into a page.
  public static let maximumResults = 0

  /// What is asked.
  open var query: CKQuery?
  /// Where an earlier operation ended, instead of a query.
  open var cursor: Cursor?
  /// Where the query ended; `nil`: all was found.
  open private(set) var queryCursor: Cursor?
  /// The zone; `nil`: all zones of the database.
  open var zoneID: CKRecordZone.ID?
  /// Most records; `maximumResults`: as many as the server puts into a page.
  open var resultsLimit = CKQueryOperation.maximumResults
  /// Which fields; `nil`: all.
  open var desiredKeys: [CKRecord.FieldKey]?

  /// Called for each record.
  open var recordFetchedBlock: ((CKRecord) -> Void)?
  /// Called for each record.
  open var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called at the end, with where to continue, or the error.
  open var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)?
  /// Called at the end, with where to continue; `nil`: all was found.
  open var queryResultBlock: ((Result<Cursor?, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that asks a query.
  public convenience init(query: CKQuery) {
    self.init()
    self.query = query
  }

  /// An operation that continues a query.
  public convenience init(cursor: Cursor) {
    self.init()
    self.cursor = cursor
  }

  override func perform() async {
    await finish {
      let run = QueryRun(start: try start(), desiredKeys: desiredKeys, resultsLimit: resultsLimit)
      return try await run.run(in: target, Patience(resolvedConfiguration)) { (id, answer) in
        deliver { [self] in
          if case .success(let record) = answer { recordFetchedBlock?(record) }
          recordMatchedBlock?(id, answer.mapError { $0 })
        }
      }
    } _: { [self] result in
      queryCursor = result.success.flatMap { $0 }
      queryCompletionBlock?(queryCursor, result.failure)
      queryResultBlock?(result)
    }
  }

  private func start() throws -> QueryRun.Start {
    if let cursor { return .cursor(cursor) }
    guard let query else {
      throw CKError(.invalidArguments, "the operation has neither a query nor a cursor: set one")
    }
    return .query(query, zoneID: zoneID)
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// As many records as the server puts into a page, as older code names it.
public let CKQueryOperationMaximumResults = CKQueryOperation.maximumResults
