import Testing
import TidingsModel

@Suite("Predicate text")
struct PredicateTextTests {
  @Test(
    "reads the language",
    arguments: [
      ("price > 100", "price > 100"),
      ("100 < price", "price > 100"),
      ("100 =< price", "price >= 100"),
      ("a==1 && b<>2 || !(c=3)", "c != 3 OR a = 1 AND b != 2"),
      ("a = 1 or b = 2 and not c = 3", "a = 1 OR b = 2 AND c != 3"),
      ("(a = 1 OR b = 2) AND c = 3", "c = 3 AND (a = 1 OR b = 2)"),
      ("a BETWEEN {1, 5}", "a BETWEEN {1, 5}"),
      ("a >= 1 AND a <= 5.0", "a BETWEEN {1, 5}"),
      ("a BETWEEN {5, 1}", "FALSEPREDICATE"),
      ("a BETWEEN {5, 5}", "a = 5"),
      ("a in {3, 1, 2, 1}", "a IN {1, 2, 3}"),
      ("a IN {1}", "a = 1"),
      ("a = 1 OR a = 'x' OR a IN {2, 1}", #"a IN {1, 2, "x"}"#),
      ("NOT a IN {1, 2}", "NOT a IN {1, 2}"),
      ("a != 1 AND a != 2", "NOT a IN {1, 2}"),
      ("NOT a < 5", "NOT a < 5"),
      ("tags CONTAINS 'x'", #"tags CONTAINS "x""#),
      ("'x' IN tags", #"tags CONTAINS "x""#),
      ("ANY tags = 'x'", #"tags CONTAINS "x""#),
      ("SOME tags IN {'y', 'x'}", #"tags CONTAINS "x" OR tags CONTAINS "y""#),
      ("name beginswith 'ab'", #"name BEGINSWITH "ab""#),
      ("TRUEPREDICATE", "TRUEPREDICATE"),
      ("a = TRUE AND b = no", "a = 1 AND b = 0"),
      ("a = -0.0", "a = 0"),
      ("a = +.5", "a = 0.5"),
      ("a = 1e3", "a = 1000"),
      ("a = 1e300", "a = 1e+300"),
      ("#in = 1", "#in = 1"),
      ("a = <00FF>", "a = <00ff>"),
      ("a<<00>", "a < <00>"),
      ("a <> <>", "a != <>"),
      ("a > @2026-01-02T03:04:05Z", "a > @2026-01-02T03:04:05.000Z"),
      ("a = @0001-01-01T00:00:00.000Z", "a = @0001-01-01T00:00:00.000Z"),
      ("a = @2024-02-29T23:59:59.999Z", "a = @2024-02-29T23:59:59.999Z"),
      ("a = @location(48.5,11)", "a = @location(48.5, 11.0)"),
      ("a = @reference('r')", #"a = @reference("r", "_defaultZone")"#),
      (#"a = 'it\'s \u0041\u{1F600}\n'"#, #"a = "it's A😀\n""#),
      ("a < 5 AND a < 7", "a < 5"),
      ("a < 5 OR a < 7", "a < 7"),
      ("a > 5 AND a < 5", "FALSEPREDICATE"),
      ("a = 5 AND a < 10", "a = 5"),
      ("a = 5 AND a = 6", "FALSEPREDICATE"),
      ("a = 5 AND a = 'x'", "FALSEPREDICATE"),
      ("a < 5 AND NOT a < 5", "FALSEPREDICATE"),
      ("a < 5 OR NOT a < 5", "TRUEPREDICATE"),
      ("a > 1 AND NOT a < 3", "a >= 3"),
      ("a > 5 AND a != 3", "a > 5"),
      ("a BEGINSWITH 'a' AND a BEGINSWITH 'abc'", #"a BEGINSWITH "abc""#),
      ("a BEGINSWITH 'a' AND a BEGINSWITH 'b'", "FALSEPREDICATE"),
      ("a = 1 AND a = 1", "a = 1"),
      ("b = 1 AND FALSEPREDICATE", "FALSEPREDICATE"),
      ("ANY a < 5", "ANY a < 5"),
      ("NONE a = 5", "NOT a CONTAINS 5"),
      ("NONE a < 5", "NOT ANY a < 5"),
      ("ALL a = 'x'", #"ALL a = "x""#),
      ("ALL a IN {2, 1}", "ALL a IN {1, 2}"),
      ("SOME a != 1", "ANY a != 1"),
      ("ALL a CONTAINS 'Bob'", #"ALL a CONTAINS ANY "bob""#),
      ("ANY a BEGINSWITH 'x'", #"ANY a BEGINSWITH "x""#),
      ("ANY a BETWEEN {2, 2}", "a CONTAINS 2"),
      ("ANY a BETWEEN {'x', 'x'}", #"ANY a BETWEEN {"x", "x"}"#),
      ("ANY a BETWEEN {2, 1}", "FALSEPREDICATE"),
      ("ALL a BETWEEN {2, 1}", "ALL a BETWEEN {2, 1}"),
      ("a ENDSWITH 'x'", #"a ENDSWITH "x""#),
      ("a ENDSWITH ''", #"a BEGINSWITH """#),
      ("a like 'x*'", #"a BEGINSWITH "x""#),
      ("a LIKE '*x'", #"a ENDSWITH "x""#),
      ("a LIKE 'x'", #"a = "x""#),
      ("a LIKE '*'", #"a BEGINSWITH """#),
      ("a LIKE '**x??*'", #"a LIKE "*x??*""#),
      (#"a LIKE '\\*\\x?'"#, #"a LIKE "\\*x?""#),
      ("a LIKE[c] 'X?*'", #"a LIKE[c] "x?*""#),
      ("a =[c] 'X'", #"a =[c] "x""#),
      ("a !=[c] 'X'", #"a !=[c] "x""#),
      ("'X' ==[c] a", #"a =[c] "x""#),
      ("a IN[c] {'X', 'x', 'É'}", #"a IN[c] {"x", "é"}"#),
      ("a =[c] 'x' OR a = 'x'", #"a = "x" OR a =[c] "x""#),
      ("a CONTAINS[c] 'X'", #"a CONTAINS[c] "x""#),
      ("'X' IN[C] a", #"a CONTAINS[c] "x""#),
      ("self CONTAINS 'Bob, the Smith'", #"self CONTAINS ANY "bob smith""#),
      ("SELF CONTAINS[cd] 'Bob'", #"self CONTAINS ANY "bob""#),
      ("self CONTAINS ALL 'Bob SMITH'", #"self CONTAINS ALL "bob smith""#),
      ("self CONTAINS ALL 'Bob'", #"self CONTAINS ANY "bob""#),
      ("self CONTAINS 'the'", "FALSEPREDICATE"),
      ("a CONTAINS ANY 'b B c'", #"a CONTAINS ANY "b c""#),
      ("a CONTAINS tokenize:using:('É', 'Cdl')", #"a CONTAINS ANY "e""#),
      ("tokenize:using:(a, 'cdl') CONTAINS 'x'", #"a CONTAINS ANY "x""#),
      (
        "distanceToLocation:fromLocation:(a, @location(1, 2)) <= 5.0",
        "distanceToLocation:fromLocation:(a, @location(1.0, 2.0)) < 5"
      ),
      (
        "5 > distanceToLocation:fromLocation:(@location(1, 2), a)",
        "distanceToLocation:fromLocation:(a, @location(1.0, 2.0)) < 5"
      ),
      ("distanceToLocation:fromLocation:(a, @location(1, 2)) < 0", "FALSEPREDICATE"),
      ("a < now()", "a < @1970-01-01T00:00:01.000Z"),
      ("a < @2026-01-02T03:04:05.5Z", "a < @2026-01-02T03:04:05.500Z"),
      ("a < @2026-01-02T03:04:05.678000000Z", "a < @2026-01-02T03:04:05.678Z"),
      ("a < @2026-01-02T03:04:05.6789Z", "a < @2026-01-02T03:04:05.678900Z"),
      ("a < @2026-01-02T03:04:05.123456789Z", "a < @2026-01-02T03:04:05.123456789Z"),
      ("a = @0001-01-01T00:00:00.000000001Z", "a = @0001-01-01T00:00:00.000000001Z"),
      ("a = @9999-12-31T23:59:59.999999999Z", "a = @9999-12-31T23:59:59.999999999Z"),
      ("NOW > a", "a < @1970-01-01T00:00:01.000Z"),
      ("#now = 1", "#now = 1"),
      ("recordID = 'r'", #"recordName = "r""#),
      ("___recordID = @reference('r', 'z')", #"recordID = @reference("r", "z")"#),
      ("recordName = @reference('r')", #"recordID = @reference("r", "_defaultZone")"#),
      ("___createTime > @2026-01-02T03:04:05Z", "creationDate > @2026-01-02T03:04:05.000Z"),
      ("___createdBy = 'u'", #"creatorUserRecordID = @reference("u", "_defaultZone")"#),
      ("___modifiedBy = 'u'", #"lastModifiedUserRecordID = @reference("u", "_defaultZone")"#),
      (
        "___etag = '1' AND ___modTime < now",
        ##"modificationDate < @1970-01-01T00:00:01.000Z AND recordChangeTag = "1""##
      ),
      ("___parent = @reference('p')", #"parent = @reference("p", "_defaultZone")"#),
      ("a = 'x y' AND a ENDSWITH 'y' AND a CONTAINS 'x'", #"a = "x y""#),
      ("a CONTAINS 'x' AND NOT a CONTAINS 'x'", "FALSEPREDICATE"),
      ("ANY a < 1 OR NOT ANY a < 1", "TRUEPREDICATE"),
      ("NOT (a = 1 AND (b = 2 OR c = 3))", "a != 1 OR b != 2 AND c != 3"),
    ]
  )
  func canonicalText(text: String, canonical: String) throws {
    let now = Timestamp(millisecondsSince1970: 1_000)
    let predicate = try Predicate(text: text, now: now)
    #expect(predicate.text == canonical)
    #expect(try Predicate(text: canonical) == predicate)
    #expect(try Predicate(postfix: predicate.postfix) == predicate)
  }

  @Test("takes arguments")
  func arguments() throws {
    let predicate = try Predicate(
      text: "%K = %@ AND age BETWEEN %@ AND city IN %@ AND id IN {%@, 7} AND tags CONTAINS %@",
      arguments: [
        .string("name"), .string("O'Neil \"x\""), .int64List([18, 30]), .stringList(["b", "a"]),
        .double(3), .string("t"),
      ]
    )
    let canonical =
      #"age BETWEEN {18, 30} AND city IN {"a", "b"} AND id IN {3, 7} AND name = "O'Neil \"x\"""#
      + #" AND tags CONTAINS "t""#
    #expect(predicate.text == canonical)
  }

  @Test(
    "refuses with a place and a reason",
    arguments: [
      ("", 1, "TRUEPREDICATE"),
      ("  ", 3, "empty"),
      ("price > )", 9, "found ')'"),
      ("price", 6, "expected an operator"),
      ("price >", 8, "found the end of the text"),
      ("a = 1 b = 2", 7, "found 'b'"),
      ("(a = 1", 7, "')'"),
      ("a MATCHES 'x'", 3, "MATCHES is not supported"),
      ("size > 3", 1, "write #size for a field of this name"),
      ("a.b = 1", 2, "key paths"),
      ("a[0] = 1", 2, "subscripts"),
      ("a BEGINSWITH[cd] 'x'", 13, "[cd]"),
      ("a CONTAINS[d] 'x'", 11, "[d]"),
      ("a =[x] 'x'", 5, "[c]"),
      ("a =[] 'x'", 4, "[c]"),
      ("a <[c] 'x'", 8, "[c] cannot follow <"),
      ("a =[c] 5", 8, "=[c] takes a string, found INT64"),
      ("a IN[c] {'x', 5}", 9, "IN[c] takes a string"),
      ("a TOKENMATCHES 'x'", 3, "TOKENMATCHES is not supported"),
      ("a UTI-CONFORMS-TO 'x'", 3, "UTI-CONFORMS-TO"),
      ("a.@count > 1", 2, "aggregates"),
      ("@count > 1", 1, "expected a time"),
      ("a LIKE 5", 8, "LIKE takes a string"),
      (#"a LIKE 'x\\'"#, 8, "backslash"),
      ("a LIKE '*\(String(repeating: "x", count: 65))*'", 8, "64 bytes between two *"),
      ("self = 'x'", 8, "self takes CONTAINS"),
      ("ANY self CONTAINS 'x'", 19, "self takes CONTAINS"),
      ("self CONTAINS 5", 15, "takes a string"),
      ("a CONTAINS ANY 5", 16, "CONTAINS ANY takes a string"),
      ("a CONTAINS '\((0..<65).map { "w\($0)" }.joined(separator: " "))'", 12, "at most 64 words"),
      ("distanceToLocation:fromLocation:(a, 5) < 5", 37, "expected a location"),
      ("distanceToLocation:fromLocation:(a, b) < 5", 34, "a field and a location"),
      ("distanceToLocation:fromLocation:(a, @location(1, 2)) > 5", 54, "only be less"),
      ("distanceToLocation:fromLocation:(a, @location(1, 2)) < 'x'", 56, "number of metres"),
      ("distanceToLocation:fromLocation:(a, @location(1, 2)) < -1", 56, "negative"),
      ("tokenize:using:(a, 'c') = 'x'", 25, "takes CONTAINS"),
      ("tokenize:using:(a, 5) CONTAINS 'x'", 20, "options"),
      ("now(1) > a", 5, "now() takes nothing"),
      ("uppercase:(a) = 'X'", 1, "functions"),
      ("ANY 5 = a", 5, "name of a field"),
      ("recordType = 'T'", 1, "recordType cannot be compared"),
      ("share = 'T'", 1, "share cannot be compared"),
      ("recordID IN {'a', @reference('b')}", 13, "not both"),
      ("parent = 'p'", 10, "parent takes a reference"),
      ("creatorUserRecordID BEGINSWITH 'u'", 32, "takes a string"),
      ("SUBQUERY(a, $x, $x = 1) = 1", 1, "SUBQUERY is not supported"),
      ("a = NULL", 5, "NULL is not supported"),
      ("$x = 1", 1, "variables"),
      ("a + 1 = 2", 3, "arithmetic"),
      ("a = b", 5, "found a field"),
      ("1 = 1", 5, "name of a field"),
      ("a = 99999999999999999999", 5, "outside"),
      ("a = 1e999", 5, "range of a double"),
      ("a = 1e-999", 5, "range of a double"),
      ("a = 0x10", 6, "hexadecimal"),
      ("a = 1.5.2", 8, "end of the number"),
      ("a = 'x", 5, "no closing '"),
      (#"a = '\q'"#, 6, "escape"),
      (#"a = '\uD800'"#, 6, "no character"),
      ("a = <0>", 5, "pairs of hexadecimal"),
      ("a = @2023-02-29T00:00:00Z", 5, "expected a time"),
      ("a = @location(91, 0)", 5, "latitude"),
      ("a < @reference('r')", 5, "REFERENCE"),
      ("a BEGINSWITH 5", 14, "string"),
      ("a BETWEEN {1}", 11, "2 values"),
      ("a BETWEEN {1, 'x'}", 11, "one type"),
      ("a IN {}", 6, "at least 1 value"),
      ("a IN 5", 6, "braces"),
      ("a IN {{1}}", 7, "single value"),
      ("a = {1, 2}", 5, "IN takes several"),
      ("a = %@", 5, "no argument"),
      ("a = %d", 5, "%@"),
      ("'é😀' ~ a", 6, "found '~'"),
      ("in = 1", 1, "#in"),
      ("_a = 1", 1, "must begin with a letter"),
      ("5 BEGINSWITH a", 3, "field on its left"),
    ]
  )
  func refused(text: String, column: Int, part: String) throws {
    let error = try #require(throws: PredicateError.self) { try Predicate(text: text) }
    #expect(error.message.contains(part), "\(error)")
    #expect(error.line == 1)
    #expect(error.column == column, "\(error)")
  }

  @Test("shows the place under the line")
  func caret() throws {
    let error = try #require(throws: PredicateError.self) {
      try Predicate(text: "a = 1 AND\n\tprice > )")
    }
    #expect(error.line == 2)
    #expect(error.column == 10)
    #expect(
      error.description
        == "line 2, column 10: expected the name of a field or a value, found ')'\n"
        + "  \tprice > )\n  \t        ^"
    )
  }

  @Test("refuses arguments that are left over or have the wrong type")
  func badArguments() throws {
    let refused: [(String, [FieldValue], String)] = [
      ("a = 1", [.int64(1)], "uses 0 arguments, 1 are given"),
      ("%K = 1", [.int64(1)], "%K takes a string"),
      ("%K = 1", [.string("a b")], "must begin with a letter"),
      ("a = %@", [.double(.nan)], "not a finite number"),
      ("a = %@", [.double(.infinity)], "not a finite number"),
      ("a = %@", [.stringList(["x"])], "IN takes several"),
      ("a IN %@", [.unknownList], "at least 1 value"),
      ("a IN %@", [.int64List(Array(0..<251))], "at most 250"),
      ("a = %@", [.asset(Asset(checksum: [], size: 0))], "ASSET"),
    ]
    for (text, arguments, part) in refused {
      let error = try #require(throws: PredicateError.self) {
        try Predicate(text: text, arguments: arguments)
      }
      #expect(error.message.contains(part), "\(error)")
    }
  }
}
