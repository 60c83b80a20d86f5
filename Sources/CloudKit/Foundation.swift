public import Foundation

// What Foundation has on Apple's systems, lacks on Linux, and code for CloudKit uses. Nothing of it is CloudKit's, and a
// program that imports TidingsKit does not have it.

extension NSKeyedUnarchiver {
  /// Reads an array of objects of one class; `nil` when the archive has no array.
  ///
  /// An object of another class ends the process, as with all of Foundation's secure decoding on Linux.
  ///
  /// - Throws: When the data is no archive.
  public static func unarchivedArrayOfObjects<Element>(
    ofClass type: Element.Type,
    from data: Data
  ) throws -> [Element]? where Element: NSObject & NSSecureCoding {
    try unarchivedArrayOfObjects(ofClasses: [type], from: data) as? [Element]
  }

  /// Reads an array of objects of several classes; `nil` when the archive has no array.
  ///
  /// - Throws: When the data is no archive.
  public static func unarchivedArrayOfObjects(
    ofClasses types: [AnyClass],
    from data: Data
  ) throws -> [Any]? {
    try unarchivedObject(ofClasses: [NSArray.self] + types, from: data) as? [Any]
  }

  /// Reads a dictionary whose keys and objects are of one class each; `nil` when the archive has no dictionary.
  ///
  /// - Throws: When the data is no archive.
  public static func unarchivedDictionary<Key, Value>(
    ofKeyClass keyType: Key.Type,
    objectClass valueType: Value.Type,
    from data: Data
  ) throws -> [Key: Value]?
  where Key: NSObject & NSCopying & NSSecureCoding, Value: NSObject & NSSecureCoding {
    let types: [AnyClass] = [NSDictionary.self, keyType, valueType]
    return try unarchivedObject(ofClasses: types, from: data) as? [Key: Value]
  }
}

extension NSCoder {
  /// Reads an array of objects of one class; `nil` when the archive has none with this key.
  public func decodeArrayOfObjects<Element>(
    ofClass type: Element.Type,
    forKey key: String
  ) -> [Element]? where Element: NSObject & NSSecureCoding {
    guard containsValue(forKey: key) else { return nil }
    return decodeObject(of: [NSArray.self, type], forKey: key) as? [Element]
  }
}

extension UserDefaults {
  /// The value of a key; Foundation has no key-value coding here, of which this is on Apple's systems.
  public func value(forKey key: String) -> Any? { object(forKey: key) }

  /// Sets the value of a key.
  public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}

extension FileManager {
  /// Stands for the user whom the environment names; `nil`: it names none.
  ///
  /// There is no iCloud Drive here, but code asks this before it uses CloudKit.
  public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
    let connection = CKContainer.Connection.fromEnvironment
    let name = connection.keyFile.isEmpty ? connection.user : connection.keyFile
    return name.isEmpty ? nil : NSString(string: name)
  }
}

/// Runs a closure: there are no pools of objects to be released later.
public func autoreleasepool<Result, Failure>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
