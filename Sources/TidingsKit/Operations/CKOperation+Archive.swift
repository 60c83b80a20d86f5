internal import Foundation

/// How operations are run, as the archive of a group has it: what was not set is missing.
extension CKOperation.Configuration.Chosen {
  private enum Key {
    static let quality = "qualityOfService"
    static let cellular = "allowsCellularAccess"
    static let isLongLived = "isLongLived"
    static let request = "timeoutIntervalForRequest"
    static let resource = "timeoutIntervalForResource"
  }

  func encode(with coder: NSCoder) {
    func encode(_ value: NSNumber?, _ key: String) { coder.encode(value, forKey: key) }
    encode(qualityOfService.map { NSNumber(value: $0.rawValue) }, Key.quality)
    encode(allowsCellularAccess.map { NSNumber(value: $0) }, Key.cellular)
    encode(isLongLived.map { NSNumber(value: $0) }, Key.isLongLived)
    encode(timeoutIntervalForRequest.map { NSNumber(value: $0) }, Key.request)
    encode(timeoutIntervalForResource.map { NSNumber(value: $0) }, Key.resource)
  }

  init(coder: NSCoder) {
    func number(_ key: String) -> NSNumber? { coder.object(of: NSNumber.self, forKey: key) }
    qualityOfService = number(Key.quality).flatMap { QualityOfService(rawValue: $0.intValue) }
    allowsCellularAccess = number(Key.cellular)?.boolValue
    isLongLived = number(Key.isLongLived)?.boolValue
    timeoutIntervalForRequest = number(Key.request)?.doubleValue
    timeoutIntervalForResource = number(Key.resource)?.doubleValue
  }
}
