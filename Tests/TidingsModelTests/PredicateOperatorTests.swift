import RandomSupport
import Testing
import TidingsModel

@Suite("Predicate operators")
struct PredicateOperatorTests {
  private func matches(_ text: String, _ value: FieldValue) throws -> Bool {
    try Predicate(text: text).matches(RecordFields([.init(name: "a", value: value)]))
  }

  @Test(
    "LIKE",
    arguments: [
      ("a LIKE 'x?z'", "xyz", true),
      ("a LIKE 'x?z'", "x😀z", true),
      ("a LIKE 'x?z'", "xz", false),
      ("a LIKE 'x??z'", "xe\u{301}z", true),
      ("a LIKE '*y*'", "xyz", true),
      ("a LIKE '*x?y*'", "axéyb", true),
      ("a LIKE '*x?y*'", "axééyb", false),
      ("a LIKE '*x?😀?y*'", "x日😀éyb", true),
      ("a LIKE '*y?*z*'", "yyyz", true),
      ("a LIKE '*y?*z'", "yz", false),
      ("a LIKE '*?'", "", false),
      ("a LIKE '*ab*ab'", "xabab", true),
      ("a LIKE '*ab*ab'", "xab", false),
      ("a LIKE '*é?*?'", "éé", false),
      ("a LIKE '*é?*?'", "ééé", true),
      (#"a LIKE '\\*?'"#, "*x", true),
      (#"a LIKE '\\*?'"#, "xx", false),
      ("a LIKE[c] '*É?'", "xéY", true),
      ("a LIKE '*É?'", "xéY", false),
    ]
  )
  func like(text: String, value: String, expected: Bool) throws {
    #expect(try matches(text, .string(value)) == expected)
  }

  @Test("LIKE never takes more than a look at each byte")
  func hostilePatterns() throws {
    let text = FieldValue.string(String(repeating: "a", count: 1_000_000))
    let piece = String(repeating: "a?", count: 32)
    for pattern in [
      "*" + String(repeating: "a*", count: 500) + "b", "*\(piece)*\(piece)*b",
      "*" + String(repeating: "?", count: 63) + "b*",
    ] {
      #expect(try !matches("a LIKE '\(pattern)'", text))
    }
  }

  @Test(
    "case",
    arguments: [
      ("a =[c] 'STRASSE'", "strasse", true),
      ("a =[c] 'É'", "é", true),
      ("a =[c] 'É'", "e\u{301}", false),
      ("a !=[c] 'X'", "x", false),
      ("a IN[c] {'X', 'Y'}", "y", true),
      ("a BEGINSWITH[c] 'XY'", "xyz", true),
      ("a ENDSWITH[c] 'YZ'", "xyz", true),
      ("a ENDSWITH 'YZ'", "xyz", false),
      ("a CONTAINS 'BOB'", "Hello Bob!", true),
      ("a CONTAINS 'ell'", "Hello Bob!", false),
    ]
  )
  func caseAndWords(text: String, value: String, expected: Bool) throws {
    #expect(try matches(text, .string(value)) == expected)
  }

  @Test(
    "lists",
    arguments: [
      ("ANY a > 5", FieldValue.int64List([1, 6]), true),
      ("ALL a > 5", .int64List([1, 6]), false),
      ("ALL a > 5", .int64List([6, 7]), true),
      ("ALL a > 5", .unknownList, true),
      ("ALL a > 5", .int64(6), false),
      ("NONE a > 5", .int64List([1, 5]), true),
      ("NONE a > 5", .int64(6), true),
      ("ANY a != 5", .int64List([5, 5]), false),
      ("ANY a != 5", .int64List([]), false),
      ("ANY a BEGINSWITH 'x'", .stringList(["a", "xy"]), true),
      ("ANY a LIKE '*y*'", .stringList(["a", "xyz"]), true),
      ("a CONTAINS[c] 'XY'", .stringList(["xy"]), true),
      ("a CONTAINS 'XY'", .stringList(["xy"]), false),
      ("a CONTAINS ANY 'xy'", .stringList(["xy"]), false),
      ("ALL a CONTAINS 'bob'", .stringList(["Bob Smith", "a bob"]), true),
      (
        "ANY distanceToLocation:fromLocation:(a, @location(0, 0)) < 1000",
        .locationList([Location(latitude: 0, longitude: 0.001)]), true
      ),
    ]
  )
  func lists(text: String, value: FieldValue, expected: Bool) throws {
    #expect(try matches(text, value) == expected)
  }

  @Test("words may be in several texts of the record")
  func fullText() throws {
    let fields: RecordFields = [
      "a": .string("Bob"), "b": .string("Smith"), "c": .stringList(["Kyiv"]), "d": .int64(5),
    ]
    for (text, expected) in [
      ("self CONTAINS 'smith jones'", true), ("self CONTAINS ALL 'smith bob'", true),
      ("self CONTAINS ALL 'smith jones'", false), ("self CONTAINS 'kyiv'", false),
      ("self CONTAINS 'smi'", false), ("NOT self CONTAINS 'jones'", true),
    ] {
      #expect(try Predicate(text: text).matches(fields) == expected, "\(text)")
    }
  }

  @Test("distances are those of great circles")
  func distances() throws {
    let positions = [(0.0, 0.0, 0.0, 1.0, 111_195.08), (90, 0, 0, 77, 10_007_557.2)]
    for (north, east, otherNorth, otherEast, metres) in positions {
      let a = Location(latitude: north, longitude: east)
      let b = Location(latitude: otherNorth, longitude: otherEast)
      #expect(abs(a.distance(to: b) - metres) < 0.1)
      #expect(abs(PlainDistance.metres(a, b) - metres) < 0.1)
    }
    let antipodes = Location(latitude: 0, longitude: 180)
    #expect(antipodes.distance(to: Location(latitude: 0, longitude: 0)) > 20_015_000)
    let near = "distanceToLocation:fromLocation:(a, @location(48.5, -180)) <"
    let position = FieldValue.location(Location(latitude: 48.5, longitude: 180))
    #expect(try matches("\(near) 1", position))
    #expect(try !matches("\(near) 0", position))
  }

  @Test("system fields by both names")
  func systemFields() throws {
    var record = Record(recordID: RecordID(recordName: "r1"), recordType: "T")
    let texts = [
      "recordID = 'r1'", "___recordID = @reference('r1')", "recordName BEGINSWITH 'r'",
      "creatorUserRecordID = 'u'", "___modifiedBy = @reference('v')", "recordChangeTag = '7'",
      "parent = @reference('p')", "___etag IN {'7'}",
    ]
    record.changeTag = "7"
    record.parent = Reference(recordID: RecordID(recordName: "p"), action: .validate)
    func modification(_ user: String) -> Record.ModificationInfo {
      Record.ModificationInfo(
        timestamp: Timestamp(millisecondsSince1970: 5),
        caller: Caller(user: user, device: "d")
      )
    }
    (record.created, record.modified) = (modification("u"), modification("v"))
    for text in texts {
      #expect(try Predicate(text: text).matches(record), "\(text)")
      let stranger = Record(recordID: RecordID(recordName: "x"), recordType: "T")
      #expect(try !Predicate(text: text).matches(stranger), "\(text)")
    }
  }

  @Test("`now` is the clock's time when the text is read, the same everywhere in it")
  func now() throws {
    let before = Timestamp.now
    let predicate = try Predicate(text: "a = now AND a = now()")
    let value = try #require(comparison(predicate)).values[0]
    guard case .timestamp(let time) = value else {
      Issue.record("\(predicate)")
      return
    }
    #expect(before <= time && time <= Timestamp.now)
  }

  private func comparison(_ predicate: Predicate) -> Predicate.Comparison? {
    if case .comparison(let comparison) = predicate.root { comparison } else { nil }
  }

  @Test("no record has a field with a name of the server's")
  func reservedNames() throws {
    let names = SystemField.allCases.map(\.name) + ["recordType", "share", "self"]
    for name in names {
      var record = Record(recordID: RecordID(recordName: "r"), recordType: "T")
      record.fields[name] = .int64(1)
      let error = try #require(throws: ItemError.self) { try record.validate() }
      #expect(error.message.contains("'\(name)' is kept for the server's own field"), "\(error)")
    }
  }
}
