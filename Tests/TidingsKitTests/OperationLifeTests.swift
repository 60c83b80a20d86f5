import Foundation
import Synchronization
import Testing
import TidingsProto

@testable import TidingsKit

/// Operations as `Operation`s: their ends, their order, and what cancels them.
@Suite struct OperationLifeTests {
  /// An operation that waits until it is cancelled.
  private final class Waiting: CKOperation, @unchecked Sendable {
    // Set before it runs.
    var began: (@Sendable () -> Void)?
    var ended: (@Sendable (CKError?) -> Void)?

    override func perform() async {
      await finishItems {
        began?()
        // It never ends by itself: the test cancels it.
        while true { try await Task.sleep(for: .seconds(3600)) }
      } _: { [self] error in
        ended?(error)
      }
    }
  }

  /// An operation that ends at once.
  private final class Quick: CKOperation, @unchecked Sendable {
    // Set before it runs.
    var ended: (@Sendable (CKError?) -> Void)?

    override func perform() async {
      await finishItems { () -> CKError? in
        nil
      } _: { [self] error in
        ended?(error)
      }
    }
  }

  @Test("an operation that is cancelled before, while or after it begins ends once")
  func cancelling() async {
    for moment in 0..<3 {
      let events = Collector<String>()
      await withCheckedContinuation { continuation in
        let operation = Waiting()
        operation.ended = { events.append("\($0?.code ?? .internalError)") }
        operation.completionBlock = {
          events.append("completion")
          continuation.resume()
        }
        if moment == 0 { operation.cancel() }
        if moment == 1 { operation.began = { [unowned operation] in operation.cancel() } }
        let queue = OperationQueue()
        queue.addOperation(operation)
        if moment == 2 { queue.cancelAllOperations() }
      }
      #expect(events.values == ["operationCancelled", "completion"], "\(moment)")
    }
  }

  @Test("a thousand operations that are started and cancelled at once all end once")
  func races() async {
    let ends = Collector<Int>()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          await withCheckedContinuation { continuation in
            let operation = Quick()
            operation.ended = { _ in ends.append(number) }
            operation.completionBlock = { continuation.resume() }
            DispatchQueue.global().async { operation.cancel() }
            operation.start()
            operation.start()
          }
        }
      }
    }
    #expect(ends.values.sorted() == Array(0..<1000))
  }

  @Test("dependencies are waited for, until the last block of those before was called")
  func dependencies() async {
    let events = Collector<String>()
    await withCheckedContinuation { continuation in
      let (first, second, last) = (Quick(), Quick(), BlockOperation { continuation.resume() })
      first.ended = { _ in
        // A pause, in which the others would come before this one if they did not wait for it.
        Thread.sleep(forTimeInterval: 0.01)
        events.append("first")
      }
      second.ended = { _ in events.append("second") }
      second.addDependency(first)
      last.addDependency(second)
      let queue = OperationQueue()
      queue.addOperations([last, second, first], waitUntilFinished: false)
    }
    #expect(events.values == ["first", "second"])
  }

  @Test("code that has a thread can wait for an operation")
  func waiting() async {
    let isDone = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let ends = Collector<Bool>()
        let operation = Quick()
        operation.ended = { _ in ends.append(true) }
        OperationQueue().addOperations([operation], waitUntilFinished: true)
        operation.waitUntilFinished()
        continuation.resume(
          returning: operation.isFinished && !operation.isExecuting && ends.values == [true]
        )
      }
    }
    #expect(isDone)
  }

  @Test("an operation has its own settings, and for the rest its group's")
  func groups() {
    let group = CKOperationGroup()
    group.name = "sync"
    group.defaultConfiguration.timeoutIntervalForRequest = 5
    group.defaultConfiguration.qualityOfService = .background
    let operation = CKModifyRecordsOperation()
    operation.group = group
    operation.qualityOfService = .userInitiated
    #expect(operation.resolvedConfiguration.timeoutIntervalForRequest == 5)
    #expect(operation.resolvedConfiguration.qualityOfService == .userInitiated)
    #expect(operation.configuration.qualityOfService == .userInitiated)
    let configuration = CKOperation.Configuration()
    configuration.isLongLived = true
    configuration.timeoutIntervalForResource = 60
    operation.configuration = configuration
    #expect(operation.isLongLived && operation.timeoutIntervalForResource == 60)
    #expect((configuration.copy() as? CKOperation.Configuration)?.isLongLived == true)
  }

  @Test("what is changed while it is saved is still to be saved")
  func changedMeanwhile() {
    let record = CKRecord(recordType: "Notes")
    record["text"] = "one"
    record["title"] = "t"
    record["gone"] = 1
    record.setParent(CKRecord.ID(recordName: "p"))
    let sent = record.contents.withLock { $0 }
    record["text"] = "two"
    record["gone"] = nil
    record["late"] = 5
    record["title"] = "t"
    let answer = TidingsV1.Record(
      recordID: record.recordID.wire,
      recordType: "Notes",
      changeTag: "1"
    )
    record.contents.withLock { $0.acknowledge(answer, sent: sent, as: "") }
    #expect(record.changedKeys() == ["gone", "late", "text"])
    #expect(record.recordChangeTag == "1")
    #expect(record.contents.withLock { !$0.isParentChanged })
  }
}
