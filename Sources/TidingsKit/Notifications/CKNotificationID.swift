public import Foundation

/// Names a notification; to be compared, kept and handed back only.
public final class CKNotificationID: NSObject, NSSecureCoding, NSCopying, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  /// Identities are equal when they name the same notification.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKNotificationID)?.text == text
  }

  /// Of the name.
  public override var hash: Int { text.hashValue }

  /// The name.
  public override var description: String { "<CKNotificationID: \(text)>" }

  /// Itself: identities do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the name.
  public func encode(with coder: NSCoder) { coder.encode(NSString(string: text), forKey: "id") }

  /// Reads what `encode(with:)` wrote.
  public init?(coder: NSCoder) {
    guard let name = coder.object(of: NSString.self, forKey: "id") else { return nil }
    text = String(describing: name)
  }
}
