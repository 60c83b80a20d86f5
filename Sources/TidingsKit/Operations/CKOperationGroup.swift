public import Foundation

/// Operations that belong together.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
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
  public let operationGroupID: String
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
  public override init() {
    operationGroupID = UUID().uuidString
    super.init()
  }

  // MARK: Archives

  /// Groups can be archived securely, to continue them after a restart.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the identity, the description and the configuration, but not its container.
  open func encode(with coder: NSCoder) {
    coder.encode(NSString(string: operationGroupID), forKey: "operationGroupID")
    coder.encode(name.map { NSString(string: $0) }, forKey: "name")
    coder.encode(Int64(quantity), forKey: "quantity")
    coder.encode(Int64(expectedSendSize.rawValue), forKey: "expectedSendSize")
    coder.encode(Int64(expectedReceiveSize.rawValue), forKey: "expectedReceiveSize")
    defaultConfiguration.chosen.encode(with: coder)
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let id = coder.object(of: NSString.self, forKey: "operationGroupID") else {
      return nil
    }
    operationGroupID = String(describing: id)
    super.init()
    name = coder.object(of: NSString.self, forKey: "name").map { String(describing: $0) }
    quantity = Int(clamping: coder.decodeInt64(forKey: "quantity"))
    func size(_ key: String) -> TransferSize {
      TransferSize(rawValue: Int(clamping: coder.decodeInt64(forKey: key))) ?? .unknown
    }
    expectedSendSize = size("expectedSendSize")
    expectedReceiveSize = size("expectedReceiveSize")
    defaultConfiguration.chosen = .init(coder: coder)
  }
}
