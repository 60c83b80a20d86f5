public import TidingsWire

/// The keys of a map of messages that came twice in succession: records of one type have the same fields.
///
/// A map with the same keys begins as a copy of a dictionary that has them, so that none is validated, allocated or
/// hashed again.
@usableFromInline
final class MapShape<Value: GeneratedMessage> {
  /// A dictionary with the keys and empty values.
  @usableFromInline let empty: [String: Value]
  /// In the order of the entries, how each begins, and where its value is in the dictionary.
  @usableFromInline let positions: [(head: LentBytes, index: Dictionary<String, Value>.Index)]

  /// The shape of these keys; `nil` if they are no texts, or the same text.
  @usableFromInline
  init?(_ keys: [MapEntries.Key]) {
    var (dictionary, texts): ([String: Value], [String]) = ([:], [])
    dictionary.reserveCapacity(keys.count)
    for key in keys {
      guard let text = Unpacked.validated(key.text.raw),
        dictionary.updateValue(Value(), forKey: text) == nil
      else { return nil }
      texts.append(text)
    }
    empty = dictionary
    positions = zip(keys, texts).compactMap { key, text in
      dictionary.index(forKey: text).map { (key.head, $0) }
    }
  }
}
