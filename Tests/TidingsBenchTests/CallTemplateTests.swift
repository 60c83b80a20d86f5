import BenchCore
import Testing

@Suite struct CallTemplateTests {
  private let header: [UInt8] = [0x08, 0x80, 0x80, 0x80, 0x01, 0x1a, 0x01, 0x6d]

  private var template: CallTemplate {
    let body = "n-\(CallTemplate.namePlaceholder)|s\(CallTemplate.serialPlaceholder)|"
    return CallTemplate(header: header, body: Array((body + CallTemplate.namePlaceholder).utf8))
  }

  @Test("only the numbers change, wherever they stand")
  func numbers() {
    var template = template
    template.set(call: 0, name: 42, serial: 9_876_543_210)
    #expect(String(decoding: template.body, as: UTF8.self) == "n-0000000042|s9876543210|0000000042")
    #expect(template.header == header)
    template.set(call: 1, name: 0, serial: 0)
    #expect(String(decoding: template.body, as: UTF8.self) == "n-0000000000|s0000000000|0000000000")
    #expect(template.header.dropFirst(5) == header.dropFirst(5))
  }

  @Test(
    "the header says the call id of the count",
    arguments: [0, 1, 127, 128, 1 << 20, (1 << 27) - 1, 1 << 27, .max] as [UInt64]
  )
  func callIDs(call: UInt64) {
    var template = template
    template.set(call: call, name: 0, serial: 0)
    let id = template.header.withUnsafeBytes { ReplyCheck.callID(of: $0) }
    #expect(id == CallTemplate.callID(of: call))
  }

  @Test("a message about the last call is recognized")
  func naming() {
    var template = template
    template.set(call: 0, name: 42, serial: 7)
    func isNamed(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBytes { template.isNamed(in: $0) }
    }
    #expect(isNamed("0000000042"))
    #expect(isNamed("house-0000000042, a house"))
    #expect(!isNamed("house-0000000043, a house"))
    #expect(!isNamed("000000042"))
    #expect(!isNamed(""))
  }
}
