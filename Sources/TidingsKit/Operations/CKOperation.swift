public import Foundation
internal import Synchronization

/// A piece of work for a server, run by an `OperationQueue` or a database.
///
/// Its blocks are called one after another on a queue of its own; the one that tells the end is called
/// exactly once, also when the operation is cancelled before it begins, and before `completionBlock`.
open class CKOperation: Operation, @unchecked Sendable {
  // State is behind `state`'s lock; settings are set before the operation is run, as everywhere in
  // Foundation.

  /// How an operation is run.
  open class Configuration: NSObject, NSCopying, @unchecked Sendable {
    // Set before an operation runs.

    /// The container; `nil`: the database's, or the default one.
    open var container: CKContainer?
    /// How urgent it is.
    open var qualityOfService: QualityOfService = .default
    /// Kept for compatibility: every network is used.
    open var allowsCellularAccess = true
    /// Kept for compatibility: operations end with the process.
    open var isLongLived = false
    /// Seconds that one call may take.
    open var timeoutIntervalForRequest: TimeInterval = 60
    /// Seconds that the operation may take, trying again included.
    open var timeoutIntervalForResource: TimeInterval = 604_800

    /// The defaults.
    public override init() { super.init() }

    /// Another configuration with the same values.
    open func copy(with zone: NSZone? = nil) -> Any {
      let copy = Configuration()
      copy.container = container
      copy.qualityOfService = qualityOfService
      copy.allowsCellularAccess = allowsCellularAccess
      copy.isLongLived = isLongLived
      copy.timeoutIntervalForRequest = timeoutIntervalForRequest
      copy.timeoutIntervalForResource = timeoutIntervalForResource
      return copy
    }
  }

  private struct State {
    var isExecuting = false
    var isFinished = false
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let blocks = DispatchQueue(label: "tidings.operation")

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// How it is run.
  open var configuration: Configuration! = Configuration()
  /// Which operations belong together.
  open var group: CKOperationGroup?
  /// Unique.
  public let operationID: String = UUID().uuidString
  /// Kept for compatibility: never called.
  open var longLivedOperationWasPersistedBlock: (@Sendable () -> Void)?

  /// Whose container is used.
  open var container: CKContainer? {
    get { configuration.container }
    set { configuration.container = newValue }
  }
  /// Seconds that one call may take.
  open var timeoutIntervalForRequest: TimeInterval {
    get { configuration.timeoutIntervalForRequest }
    set { configuration.timeoutIntervalForRequest = newValue }
  }
  /// Seconds that the operation may take, trying again included.
  open var timeoutIntervalForResource: TimeInterval {
    get { configuration.timeoutIntervalForResource }
    set { configuration.timeoutIntervalForResource = newValue }
  }
  /// Kept for compatibility.
  open var allowsCellularAccess: Bool {
    get { configuration.allowsCellularAccess }
    set { configuration.allowsCellularAccess = newValue }
  }
  /// Kept for compatibility.
  open var isLongLived: Bool {
    get { configuration.isLongLived }
    set { configuration.isLongLived = newValue }
  }

  /// An operation, to be set up and run.
  public override init() { super.init() }

  // MARK: Run by subclasses

  /// Does the work, and delivers its results.
  ///
  /// Must deliver its end exactly once, and soon after its task was cancelled.
  func perform() async {}

  /// Calls blocks of the user, after those delivered before.
  func deliver(_ block: @escaping @Sendable () -> Void) { blocks.async(execute: block) }

  // MARK: Operation

  /// True: it does not keep a thread.
  open override var isAsynchronous: Bool { true }
  /// Whether it is running.
  open override var isExecuting: Bool { state.withLock { $0.isExecuting } }
  /// Whether all its blocks were called.
  open override var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Begins; called by the queue.
  open override func start() {
    willChangeValue(forKey: "isExecuting")
    let quality = configuration.qualityOfService
    state.withLock { state in
      state.isExecuting = true
      state.task = Task(priority: .init(quality)) { [self] in
        await perform()
        deliver { [self] in finish() }
      }
      if isCancelled { state.task?.cancel() }
    }
    didChangeValue(forKey: "isExecuting")
  }

  /// Ends it soon, with `CKError.operationCancelled`.
  open override func cancel() {
    super.cancel()
    state.withLock { $0.task?.cancel() }
  }

  private func finish() {
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    state.withLock {
      $0.isExecuting = false
      $0.isFinished = true
      $0.task = nil
    }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

/// Operations that belong together.
open class CKOperationGroup: NSObject, @unchecked Sendable {
  // Set before the operations run.

  /// How much will be transferred.
  public enum TransferSize: Int, Sendable {
    case unknown = 0
    case kilobytes = 1
    case megabytes = 2
    case tensOfMegabytes = 3
    case hundredsOfMegabytes = 4
    case gigabytes = 5
    case tensOfGigabytes = 6
    case hundredsOfGigabytes = 7
  }

  /// Unique.
  public let operationGroupID: String = UUID().uuidString
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// What the operations start from.
  open var defaultConfiguration: CKOperation.Configuration! = CKOperation.Configuration()
  /// For people.
  open var name: String?
  /// How many operations are expected.
  open var quantity = 0
  /// How much is going to be sent.
  open var expectedSendSize = TransferSize.unknown
  /// How much is going to be received.
  open var expectedReceiveSize = TransferSize.unknown

  /// A group.
  public override init() { super.init() }
}

/// How an operation is run, as older code names it.
public typealias CKOperationConfiguration = CKOperation.Configuration

extension TaskPriority {
  init(_ quality: QualityOfService) {
    switch quality {
    case .userInteractive, .userInitiated: self = .high
    case .utility: self = .utility
    case .background: self = .background
    default: self = .medium
    }
  }
}
