import Foundation
import Testing
import TidingsProto

@testable import TidingsKit

/// What is sent of predicates.
@Suite struct PredicateTests {
  private func text(_ format: String, _ arguments: Any?...) throws -> String {
    try NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() }).wire().text
  }

  @Test("numbers of every kind become values; what is in quotes stays")
  func positions() throws {
    #expect(try text("a == %d AND b > %ld", 1, 2) == "a == %@ AND b > %@")
    #expect(try text("a < %lld OR a > %llu", 1, 2) == "a < %@ OR a > %@")
    #expect(try text("a == %i OR a == %u", 1, 2) == "a == %@ OR a == %@")
    #expect(try text("a == %f OR a == %.2lf OR a == %g", 1.5, 2.5, 3.5).hasSuffix("a == %@"))
    #expect(try text("a == %x", 255) == "a == %@")
    #expect(try text("a == '%@' AND b == \"%d\" AND c == %@", 1).hasPrefix("a == '%@' AND b"))
    #expect(try text(#"a == "say \"%@\"" AND %K == %@"#, "b", 1).hasSuffix("AND %K == %@"))
    let predicate = try NSPredicate(format: "%K == %@", "title", "Villa").wire()
    #expect(predicate.arguments.map(\.value) == [.stringValue("title"), .stringValue("Villa")])
  }

  @Test("quotes, marks that combine and line ends are scalars, as the server reads them")
  func combining() throws {
    for mark in ["\u{301}", "\u{200d}", "\u{fe0f}", "\u{1f1e9}", "\u{20dd}"] {
      for quote in ["\"", "'"] {
        // The mark combines with the quote before it, and with what follows it.
        for literal in ["\(mark)%@", "%@\(mark)", "\(mark)", "\\\(quote)\(mark)%d"] {
          let format = "a == \(quote)\(literal)\(quote) AND b == %d"
          let sent = try NSPredicate(format: format, 7).wire()
          #expect(
            Array(sent.text.unicodeScalars)
              == Array("a == \(quote)\(literal)\(quote) AND b == %@".unicodeScalars),
            "\(format.debugDescription)"
          )
          #expect(sent.arguments.map(\.value) == [.int64Value(7)])
        }
      }
    }
    #expect(try text("a == %@\r\nAND b == %@", 1, 2) == "a == %@\r\nAND b == %@")
  }

  @Test("values of every kind are compared with")
  func arguments() throws {
    let date = Date(timeIntervalSince1970: 1_500_000_000)
    let id = CKRecord.ID(recordName: "a")
    let reference = CKRecord.Reference(recordID: id, action: .none).recordContent
    func kind(_ argument: Any) throws -> String {
      let value = try NSPredicate(format: "a == %@", argumentArray: [argument]).wire().arguments
      return String("\(try #require(value.first?.value))".prefix { $0 != "(" })
    }
    #expect(try kind("text") == "stringValue")
    #expect(try kind(NSString(string: "text")) == "stringValue")
    #expect(try kind("text".prefix(2)) == "stringValue")
    #expect(try kind(true) == "int64Value")
    #expect(try kind(NSNumber(value: 7)) == "int64Value")
    #expect(try kind(7.5) == "doubleValue")
    #expect(try kind(date) == "timestampValue")
    #expect(try kind(date as any CVarArg) == "timestampValue")
    #expect(try kind(NSDate()) == "timestampValue")
    #expect(try kind(Data([1])) == "bytesValue")
    #expect(try kind(CLLocation(latitude: 1, longitude: 2)) == "locationValue")
    #expect(try kind(id) == "referenceValue")
    #expect(try kind(id as any CVarArg) == "referenceValue")
    #expect(try kind(CKRecord(recordType: "A", recordID: id)) == "referenceValue")
    #expect(try kind([id, id]) == "referenceListValue")
    #expect(try kind(["a", "b"]) == "stringListValue")
    #expect(try kind(NSArray(array: [1, 2])) == "int64ListValue")
    #expect(try kind(Set(["a"])) == "stringListValue")
    #expect(try kind(Optional("a") as Any) == "stringValue")
    guard case .value(let expected) = reference.kind else { return }
    let sent = try NSPredicate(format: "owner == %@", CKRecord(recordType: "A", recordID: id))
      .wire()
    guard case .referenceValue(var reference) = expected else { return }
    // Without a zone it would be to the zone of the query.
    reference.recordID?.zoneID = .init(zoneName: "_defaultZone")
    #expect(sent.arguments.first?.value == .referenceValue(reference))
  }

  @Test("compound predicates are joined, with all arguments in order")
  func compounds() throws {
    let first = NSPredicate(format: "a == %@ OR b == %d", "x", 1)
    let second = NSPredicate(value: true)
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [first, second])
    let not = NSCompoundPredicate(notPredicateWithSubpredicate: both)
    let any = NSCompoundPredicate(
      type: .or,
      subpredicates: [not, NSPredicate(format: "c > %f", 2.0)]
    )
    let sent = try any.wire()
    #expect(sent.text == "(NOT ((a == %@ OR b == %@) AND (TRUEPREDICATE))) OR (c > %@)")
    #expect(sent.arguments.map(\.value) == [.stringValue("x"), .int64Value(1), .doubleValue(2)])
    #expect(
      try NSCompoundPredicate(andPredicateWithSubpredicates: []).wire().text == "TRUEPREDICATE"
    )
    #expect(
      try NSCompoundPredicate(orPredicateWithSubpredicates: []).wire().text == "FALSEPREDICATE"
    )
    #expect(try NSPredicate(value: false).wire().text == "FALSEPREDICATE")
  }

  @Test("what cannot be sent is refused, and says so")
  func refusals() throws {
    func refusal(_ predicate: NSPredicate) -> String {
      let error = #expect(throws: CKError.self) { try predicate.wire() }
      #expect(error?.code == .invalidArguments)
      return error?.localizedDescription ?? ""
    }
    #expect(refusal(NSPredicate { _, _ in true }).contains("NSPredicate(format:)"))
    #expect(refusal(NSPredicate(format: "a == %@", nil as Any?)).contains("is nil"))
    #expect(refusal(NSPredicate(format: "a == %@", argumentArray: [NSNull()])).contains("is nil"))
    #expect(refusal(NSPredicate(format: "a == %@")).contains("no argument for its place 1"))
    #expect(refusal(NSPredicate(format: "a == %@", 1, 2)).contains("1 places and 2 arguments"))
    #expect(refusal(NSPredicate(format: "a == %@", UUID())).contains("of type UUID"))
    #expect(refusal(NSPredicate(format: "%K == 1", 5)).contains("no name of a field"))
    #expect(refusal(NSPredicate(format: "a == %y", 5)).contains("is not a placeholder"))
    #expect(refusal(NSPredicate(format: "a IN %@", [1, "b"] as [Any])).contains("one type"))
    let file = CKAsset(fileURL: URL(fileURLWithPath: "/dev/null"))
    #expect(refusal(NSPredicate(format: "a == %@", file)).contains("assets cannot be compared"))
  }

  @Test("a predicate has its format with its values, so that names can be made of it")
  func formats() {
    let one = NSPredicate(
      format: "price > %d AND %K == %@ AND note == 'a % b'",
      5,
      "city",
      "\"Kyiv\""
    )
    #expect(
      (one as any FormatReadable).predicateFormat
        == #"price > 5 AND city == "\"Kyiv\"" AND note == 'a % b'"#
    )
    let list = NSPredicate(
      format: "town IN %@ AND seen > %@",
      ["a", "b"],
      Date(timeIntervalSinceReferenceDate: 1)
    )
    #expect(
      (list as any FormatReadable).predicateFormat
        == #"town IN {"a", "b"} AND seen > CAST(1.0, "NSDate")"#
    )
    #expect(one != list && one == one.copy() as? NSPredicate)
    #expect(NSPredicate(format: "a == %d", 1) == NSPredicate(format: "a == %d", 1))
    #expect(NSPredicate(format: "a == %d", 1) != NSPredicate(format: "a == %d", 2))
  }

  @Test("CloudKit's word for a search of words is sent as the server's")
  func search() throws {
    let word = NSPredicate(
      format: "allTokens TOKENMATCHES[cdl] %@ AND note == 'allTokens TOKENMATCHES'",
      "sea"
    )
    #expect(try word.wire().text == "self CONTAINS %@ AND note == 'allTokens TOKENMATCHES'")
    let other = NSPredicate(format: "alltokens tokenmatches \"sea\"")
    #expect(try other.wire().text == "self CONTAINS \"sea\"")
  }

  @Test("queries survive archives with their predicates")
  func archives() throws {
    let query = CKQuery(
      recordType: "Houses",
      predicate: NSPredicate(format: "price > %d AND %K == %@", 5, "city", "Kyiv")
    )
    query.sortDescriptors = [
      NSSortDescriptor(key: "price", ascending: false),
      CKLocationSortDescriptor(
        key: "place",
        relativeLocation: CLLocation(latitude: 1, longitude: 2)
      ),
    ]
    let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data)
    )
    #expect(copy.recordType == "Houses")
    #expect(try copy.predicate.wire() == query.predicate.wire())
    #expect(copy.sortDescriptors?.map(\.key) == ["price", "place"])
    #expect(copy.sortDescriptors?.first?.ascending == false)
    let position = (copy.sortDescriptors?.last as? CKLocationSortDescriptor)?.relativeLocation
    #expect(position?.coordinate.longitude == 2)
  }
}

/// Reads the format without the warning that Foundation has on it here: only the predicates of other programs have none.
private protocol FormatReadable {
  var predicateFormat: String { get }
}

extension NSPredicate: FormatReadable {}
