import Testing
import TidingsJSON

@Suite struct JSONParserTests {
  @Test(
    "what is read is written again",
    arguments: [
      "null", "true", "false", "0", "-0", "12", "-1.5e-7", "1E400", "9223372036854775807",
      "18446744073709551616", "\"\"", "[]", "{}", "[1,[2],{\"a\":null}]",
      "{\"b\":1,\"a\":2}", "\"\\\"\\\\\\n\\r\\t\\u0000\\u001b\\u007f\\u009b\"", "\"é\u{1F600}\"",
    ]
  )
  func compact(text: String) throws {
    #expect(try JSONValue(parsing: text).description == text)
  }

  @Test("escapes, surrogate pairs and space are understood")
  func escapes() throws {
    #expect(try JSONValue(parsing: #" "\u0041\/\b\f\ud83d\ude00" "#).string == "A/\u{8}\u{C}😀")
    #expect(try JSONValue(parsing: "\t[ 1 ,\r\n 2 ] \n").description == "[1,2]")
  }

  @Test("pretty printing indents by two")
  func pretty() throws {
    let value = try JSONValue(parsing: #"{"a":[1,{"b":[]}],"c":{}}"#)
    #expect(
      value.prettyDescription == """
        {
          "a": [
            1,
            {
              "b": []
            }
          ],
          "c": {}
        }
        """
    )
    #expect(try JSONValue(parsing: value.prettyDescription) == value)
  }

  @Test(
    "mistakes are located",
    arguments: [
      ("", 1, 1, "a value is missing"),
      ("tru", 1, 1, "expected a value"),
      ("1 2", 1, 3, "unexpected text after the value"),
      ("[1,\n 2,,3]", 2, 4, "expected a value"),
      ("[1 2]", 1, 4, "expected ',' or ']'"),
      ("{\"a\" 1}", 1, 6, "expected ':'"),
      ("{a:1}", 1, 2, "expected a member's name"),
      ("{\"é\":1,\"é\":2}", 1, 8, "the name 'é' appears twice"),
      ("01", 1, 2, "a number must not begin with 0"),
      ("1.", 1, 3, "expected a digit"),
      ("-", 1, 2, "expected a digit"),
      ("1e+", 1, 4, "expected a digit"),
      ("NaN", 1, 1, "expected a value"),
      ("\"abc", 1, 5, "a string does not end"),
      ("\"a\nb\"", 1, 3, "a control character must be escaped in a string"),
      ("\"\\x\"", 1, 2, "an unknown escape in a string"),
      ("\"\\ud83d\"", 1, 2, "half a surrogate pair in a string"),
      ("\"\\ud83d\\u0041\"", 1, 2, "half a surrogate pair in a string"),
      ("\"\\ude00\"", 1, 2, "half a surrogate pair in a string"),
      ("\"\\u12g4\"", 1, 3, "\\u takes four hexadecimal digits"),
      ("\"\\u12", 1, 3, "\\u takes four hexadecimal digits"),
      ("{\"a\":1,}", 1, 8, "expected a member's name"),
    ]
  )
  func mistakes(text: String, line: Int, column: Int, reason: String) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
    #expect(error?.description == "\(reason) at line \(line), column \(column)")
  }

  @Test("bytes that are not UTF-8 are refused")
  func invalidUTF8() {
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xC3, 0x22]) }
    #expect(throws: JSONSyntaxError.self) {
      try JSONValue(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22])
    }
  }

  @Test("depth is bounded, by an error and not by the stack")
  func depth() throws {
    func nested(_ count: Int) -> String {
      String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    _ = try JSONValue(parsing: nested(100))
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(101)) }
    #expect(error?.column == 101)
    #expect(throws: JSONSyntaxError.self) {
      try JSONValue(parsing: String(repeating: "{\"a\":", count: 1_000_000))
    }
  }

  @Test("names that differ in their bytes differ, also if they are canonically equivalent")
  func names() throws {
    let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(value.object?.members.count == 2)
  }

  @Test("values behind each other are a sequence")
  func sequence() throws {
    let text = "{\"a\":1}\n{\"a\":2}\n\n[3] 4"
    #expect(
      try JSONValue.sequence(parsing: Array(text.utf8)).map(\.description)
        == ["{\"a\":1}", "{\"a\":2}", "[3]", "4"]
    )
    #expect(try JSONValue.sequence(parsing: [UInt8](" \n".utf8)).isEmpty)
    #expect(throws: JSONSyntaxError.self) { try JSONValue.sequence(parsing: Array("1 }".utf8)) }
  }
}

@Suite struct JSONNumberTests {
  @Test(
    "whole numbers are whole however they are written",
    arguments: [
      ("5", 5), ("-5", -5), ("5.0", 5), ("5.000e2", 500), ("1e3", 1000), ("120e-1", 12),
      ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
      ("9.223372036854775807e18", Int64.max), ("0e999999999999999999999", 0), ("-0.0", 0),
      ("0.00", 0),
    ] as [(String, Int64)]
  )
  func whole(literal: String, value: Int64) throws {
    #expect(try JSONValue(parsing: literal).number?.exactly(Int64.self) == value)
  }

  @Test(
    "others are not",
    arguments: [
      "5.5", "1e-1", "9223372036854775808", "1e30", "1e999999999999999999999", "1e19",
      "1e-9223372036854775808",
    ]
  )
  func notWhole(literal: String) throws {
    #expect(try JSONValue(parsing: literal).number?.exactly(Int64.self) == nil)
  }

  @Test("doubles survive")
  func doubles() throws {
    for value in [0.1, 5, -0.0, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16] {
      let read = try JSONValue(parsing: JSONValue.double(value).description)
      #expect(read.number?.double?.bitPattern == value.bitPattern)
      #expect(read.number?.isInteger == false)
    }
    #expect(try JSONValue(parsing: "1e999").number?.double == nil)
  }
}

@Suite struct Base64Tests {
  @Test(
    "vectors of RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
  )
  func vectors(plain: String, coded: String) {
    #expect(Base64.encode(plain.utf8) == coded)
    #expect(Base64.decode(coded) == Array(plain.utf8))
    #expect(Base64.decode(String(coded.filter { $0 != "=" })) == Array(plain.utf8))
  }

  @Test("both alphabets are read")
  func alphabets() {
    #expect(Base64.decode("-_-_") == [0xFB, 0xFF, 0xBF])
    #expect(Base64.decode("+/+/") == [0xFB, 0xFF, 0xBF])
  }

  @Test("what is neither is refused", arguments: ["A", "AA=", "A===", "AA==A", "A A=", "é==="])
  func refused(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
