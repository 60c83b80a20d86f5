public import Foundation
internal import Synchronization

/// A piece of work for a server, run by an `OperationQueue` or a database.
///
/// Its blocks are called one after another on a serial queue of its own, so they may change what they
/// capture and are not `@Sendable`. The one that reports the end is called exactly once, also when the
/// operation is cancelled before it begins, and before `completionBlock`.
open class CKOperation: Operation, @unchecked Sendable {
  // State is behind `state`'s lock; settings are set before the operation is run, as everywhere in
  // Foundation.

  /// How an operation is run.
  open class Configuration: NSObject, NSCopying, @unchecked Sendable {
    // Set before an operation runs.

    /// What was set; the rest is the group's, or the default.
    var chosen = Chosen()

    struct Chosen {
      var container: CKContainer?
      var qualityOfService: QualityOfService?
      var allowsCellularAccess: Bool?
      var isLongLived: Bool?
      var timeoutIntervalForRequest: TimeInterval?
      var timeoutIntervalForResource: TimeInterval?
    }

    /// The container; `nil`: the database's, or the default one.
    open var container: CKContainer? {
      get { chosen.container }
      set { chosen.container = newValue }
    }
    /// How urgent it is.
    open var qualityOfService: QualityOfService {
      get { chosen.qualityOfService ?? .default }
      set { chosen.qualityOfService = newValue }
    }
    /// Kept for compatibility: every network is used.
    open var allowsCellularAccess: Bool {
      get { chosen.allowsCellularAccess ?? true }
      set { chosen.allowsCellularAccess = newValue }
    }
    /// Kept for compatibility: operations end with the process.
    open var isLongLived: Bool {
      get { chosen.isLongLived ?? false }
      set { chosen.isLongLived = newValue }
    }
    /// Seconds that one call may take.
    open var timeoutIntervalForRequest: TimeInterval {
      get { chosen.timeoutIntervalForRequest ?? 60 }
      set { chosen.timeoutIntervalForRequest = newValue }
    }
    /// Seconds that the operation may take, trying again included.
    open var timeoutIntervalForResource: TimeInterval {
      get { chosen.timeoutIntervalForResource ?? 604_800 }
      set { chosen.timeoutIntervalForResource = newValue }
    }

    /// The defaults.
    public override init() { super.init() }

    /// Another configuration with the same values.
    open func copy(with zone: NSZone? = nil) -> Any {
      let copy = Configuration()
      copy.chosen = chosen
      return copy
    }

    /// With what was not set here taken from another one.
    func completed(from other: Configuration?) -> Configuration {
      guard let other = other?.chosen else { return self }
      let whole = Configuration()
      whole.chosen = Chosen(
        container: chosen.container ?? other.container,
        qualityOfService: chosen.qualityOfService ?? other.qualityOfService,
        allowsCellularAccess: chosen.allowsCellularAccess ?? other.allowsCellularAccess,
        isLongLived: chosen.isLongLived ?? other.isLongLived,
        timeoutIntervalForRequest: chosen.timeoutIntervalForRequest
          ?? other.timeoutIntervalForRequest,
        timeoutIntervalForResource: chosen.timeoutIntervalForResource
          ?? other.timeoutIntervalForResource
      )
      return whole
    }
  }

  private struct State {
    var isExecuting = false
    var isFinished = false
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())
  /// The span in which it was made.
  private let traceParent = CKContainer.traceParent
  private let blocks = DispatchQueue(label: "tidings.operation")

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// How it is run; `nil` is the defaults.
  open var configuration: Configuration! = Configuration() {
    didSet { if configuration == nil { configuration = Configuration() } }
  }
  /// Which operations belong together.
  open var group: CKOperationGroup?
  /// Unique.
  public let operationID: String = UUID().uuidString
  /// Kept for compatibility: never called.
  open var longLivedOperationWasPersistedBlock: (() -> Void)?

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

  /// How urgent it is.
  open override var qualityOfService: QualityOfService {
    get { configuration.qualityOfService }
    set { configuration.qualityOfService = newValue }
  }

  /// An operation, to be set up and run.
  public override init() { super.init() }

  /// How it is run: its own settings, and for the rest its group's.
  var resolvedConfiguration: Configuration {
    (configuration ?? Configuration()).completed(from: group?.defaultConfiguration)
  }

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

  /// Begins; called by the queue, and does nothing when it began before.
  open override func start() {
    willChangeValue(forKey: "isExecuting")
    let quality = resolvedConfiguration.qualityOfService
    state.withLock { state in
      guard !state.isExecuting, !state.isFinished else { return }
      state.isExecuting = true
      state.task = Task(priority: .init(quality)) { [self] in
        await CKContainer.$traceParent.withValue(traceParent) { await perform() }
        deliver { [self] in finish() }
      }
    }
    didChangeValue(forKey: "isExecuting")
    // Not under the lock: `Operation` has one of its own, which `cancel` may hold.
    if isCancelled { cancelTask() }
  }

  /// Ends it soon, with `CKError.operationCancelled`.
  open override func cancel() {
    super.cancel()
    cancelTask()
  }

  private func cancelTask() { state.withLock { $0.task }?.cancel() }

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
