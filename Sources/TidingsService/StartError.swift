internal import Glibc
internal import TidingsFiles
internal import TidingsSQL

/// Why a server cannot start, and what to do.
public struct StartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String

  /// An error in words.
  public init(_ description: String) { self.description = description }

  /// Something failed that a store in a folder needs: also what to do, if the disk is the reason.
  ///
  /// - Parameters:
  ///   - attempt: What cannot be done, and where.
  ///   - error: Why; one that says what to do stays as it is.
  init(_ attempt: String, _ error: any Error) {
    if let error = error as? StartError {
      self = error
    } else {
      let advice = Self.advice(error).map { ": \($0)" } ?? ""
      description = "\(attempt): \(error)\(advice)"
    }
  }

  /// What to do about a disk; `nil`: the disk is not the reason.
  private static func advice(_ error: any Error) -> String? {
    let file = error as? FileError
    let store = error as? SQLError
    if file?.isFull ?? store?.isFull ?? false {
      return "make room on the disk, or raise the quota of the user, and repeat it"
    }
    switch file?.code ?? store?.systemCode {
    case EROFS: return "make the file system writable, and repeat it"
    case EACCES, EPERM: return "let the user of this program read and write there"
    case EIO: return "look for errors of the disk in the log of the system, and repeat it"
    default:
      return store?.kind == .uncertain
        ? "look for errors of the disk and for a lack of memory in the log of the system, and repeat it"
        : nil
    }
  }
}
