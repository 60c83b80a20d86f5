public import Foundation

/// Operations that belong together.
open class CKOperationGroup: NSObject, @unchecked Sendable {
  // Set before the operations run.

  /// How much will be transferred.
  public enum TransferSize: Int, Sendable {
    /// It is not known.
    case unknown = 0
    /// Kilobytes.
    case kilobytes = 1
    /// Megabytes.
    case megabytes = 2
    /// Tens of megabytes.
    case tensOfMegabytes = 3
    /// Hundreds of megabytes.
    case hundredsOfMegabytes = 4
    /// Gigabytes.
    case gigabytes = 5
    /// Tens of gigabytes.
    case tensOfGigabytes = 6
    /// Hundreds of gigabytes.
    case hundredsOfGigabytes = 7
  }

  /// Unique.
  public let operationGroupID: String = UUID().uuidString
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// What the operations start from; `nil` is the defaults.
  open var defaultConfiguration: CKOperation.Configuration! = CKOperation.Configuration() {
    didSet { if defaultConfiguration == nil { defaultConfiguration = CKOperation.Configuration() } }
  }
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
