import Foundation
import TestSupport
import Testing
import TidingsKit

/// Errors, matched in the ways in which people do it.
@Suite(.endsServers) struct ErrorTests {
  private func name(of error: any Error) -> String {
    do {
      throw error
    } catch CKError.unknownItem {
      return "unknown item"
    } catch CKError.networkFailure, CKError.networkUnavailable {
      return "network"
    } catch let error as CKError where error.code == .serverRecordChanged {
      return "conflict"
    } catch let error as CKError {
      switch error.code {
      case .quotaExceeded: return "quota"
      case .partialFailure: return "partial"
      default: return "another"
      }
    } catch {
      return "no error of CloudKit"
    }
  }

  @Test("errors are matched by code, as values and as NSErrors")
  func matching() {
    for (code, expected) in [
      (CKError.Code.unknownItem, "unknown item"), (.networkFailure, "network"),
      (.networkUnavailable, "network"), (.serverRecordChanged, "conflict"),
      (.quotaExceeded, "quota"), (.partialFailure, "partial"), (.zoneBusy, "another"),
    ] {
      #expect(name(of: CKError(code)) == expected)
      #expect(name(of: NSError(domain: CKErrorDomain, code: code.rawValue)) == expected)
      #expect(name(of: CKError(code) as NSError) == expected)
    }
    #expect(name(of: NSError(domain: NSCocoaErrorDomain, code: 11)) == "no error of CloudKit")
    #expect(name(of: NSError(domain: CKErrorDomain, code: 999)) == "no error of CloudKit")
    let error: any Error = CKError(.zoneNotFound)
    #expect((error as NSError).code == CKError.zoneNotFound.rawValue)
    #expect((error as NSError).code == CKErrorCode.zoneNotFound.rawValue)
    #expect((error as NSError).domain == CKErrorDomain)
    #expect(error._code == CKError.Code.zoneNotFound.rawValue)
    if let error = error as? CKError, error.code == CKError.zoneNotFound {
    } else {
      Issue.record("not matched")
    }
    #expect(CKError(_nsError: NSError(domain: CKErrorDomain, code: 26)).code == .zoneNotFound)
  }

  @Test("what an error shows survives the way to an NSError and back")
  func userInfo() throws {
    let record = CKRecord(recordType: "Notes")
    let inner = CKError(
      .serverRecordChanged,
      userInfo: [CKRecordChangedErrorServerRecordKey: record, "mine": 1]
    )
    let error = CKError(
      .partialFailure,
      userInfo: [
        CKErrorRetryAfterKey: 2.5,
        CKPartialErrorsByItemIDKey: [record.recordID: inner] as [CKRecord.ID: any Error],
        NSLocalizedDescriptionKey: "some failed",
      ]
    )
    for error in [error, try #require(error as NSError as Error as? CKError)] {
      #expect(error.retryAfterSeconds == 2.5)
      #expect(error.localizedDescription == "some failed")
      let one = error.partialErrorsByItemID?[record.recordID] as? CKError
      #expect(one?.serverRecord === record)
      #expect(one?.userInfo["mine"] as? Int == 1)
    }
    let nsError = error as NSError
    #expect(nsError.localizedDescription == "some failed")
    #expect(nsError.userInfo[CKErrorRetryAfterKey] as? NSNumber == 2.5)
    #expect(nsError.userInfo[CKErrorRetryAfterKey] as? Double == 2.5)
    #expect(nsError.userInfo[CKErrorRetryAfterKey] as? TimeInterval == 2.5)
    let byID = nsError.userInfo[CKPartialErrorsByItemIDKey] as? [CKRecord.ID: any Error]
    #expect((byID?[record.recordID] as? CKError)?.code == .serverRecordChanged)
    let dictionary = nsError.userInfo[CKPartialErrorsByItemIDKey] as? NSDictionary
    #expect(dictionary?.count == 1)
    #expect((dictionary?[record.recordID] as? NSError)?.code == 14)
  }

  @Test("an item that appears twice in a call that fails is reported once in the summary")
  func twice() async throws {
    let kit = try await KitServer()
    let id = CKRecord.ID(recordName: "nothing")
    let error: (any Error)? = await withCheckedContinuation { continuation in
      let operation = CKFetchRecordsOperation(recordIDs: [id, id])
      operation.fetchRecordsCompletionBlock = { continuation.resume(returning: $1) }
      kit.container().privateCloudDatabase.add(operation)
    }
    #expect((error as? CKError)?.partialErrorsByItemID?.count == 1)
  }
}
