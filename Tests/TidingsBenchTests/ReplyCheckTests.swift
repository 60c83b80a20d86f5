import BenchCore
import Testing

@Suite struct ReplyCheckTests {
  private func callID(_ bytes: [UInt8]) -> UInt64? {
    bytes.withUnsafeBytes { ReplyCheck.callID(of: $0) }
  }

  private func accepts(_ check: ReplyCheck, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { check.accepts($0) }
  }

  @Test("a response header with the status OK shows its call")
  func status() {
    #expect(callID([0x08, 0x96, 0x01, 0x30, 0x01, 0x38, 0x01]) == 150)
    #expect(callID([0x08, 0x05]) == 5)
    #expect(callID([0x08, 0x05, 0x10, 0x05, 0x30, 0x01]) == nil, "NOT_FOUND")
    #expect(callID([0x10, 0x03]) == nil, "no call id")
    #expect(callID([]) == nil)
    #expect(callID([0x08, 0x80]) == nil, "cut off")
    #expect(callID([0x08] + [UInt8](repeating: 0xff, count: 11)) == nil, "no end")
  }

  @Test("one record is distinguished from a failure, a deletion, two results and garbage")
  func oneRecord() {
    let id: [UInt8] = [0x0a, 0x03, 0x0a, 0x01, 0x68]
    func result(_ outcome: [UInt8]) -> [UInt8] {
      [0x0a, UInt8(id.count + outcome.count)] + id + outcome
    }
    let record = result([0x12, 0x02, 0x12, 0x00])
    #expect(accepts(.oneRecord, record))
    #expect(!accepts(.oneRecord, result([0x22, 0x02, 0x08, 0x0e])))
    #expect(!accepts(.oneRecord, result([0x18, 0x01])))
    #expect(!accepts(.oneRecord, record + record))
    #expect(!accepts(.oneRecord, []))
    for count in record.indices { #expect(!accepts(.oneRecord, Array(record[..<count]))) }
    #expect(!accepts(.oneRecord, [0x0a, 0x03, 0x0a, 0xff, 0x7f]))
  }

  @Test("a server that serves is distinguished from one that does not")
  func serving() {
    #expect(accepts(.serving, [0x08, 0x01]))
    #expect(!accepts(.serving, [0x08, 0x02]))
    #expect(!accepts(.serving, []))
    #expect(accepts(.baseline, []))
  }
}
