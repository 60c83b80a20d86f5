import RandomSupport
import TestSupport
import Testing
import TidingsAudit
import TidingsFiles

@Suite struct ChainCheckTests {
  /// Lines as rpcd writes them.
  private func lines(_ count: Int, after head: ChainHead = .none) -> [[UInt8]] {
    var head = head
    return (0..<count).map { index in
      let link = ChainLink(after: head)
      let line = link.text + Array("\"detail\":\"action \(index)\"}\n".utf8)
      head = ChainHead(number: link.number, line: line[...])
      return line
    }
  }

  private func check(
    _ lines: [[UInt8]],
    kept: [ChainHead] = [],
    incomplete: String? = nil
  ) -> ChainCheck {
    var check = ChainCheck(kept: kept)
    for (index, line) in lines.enumerated() {
      check.add(line[...], file: "audit.log", row: index + 1)
    }
    check.finish(incomplete: incomplete)
    return check
  }

  private func head(_ number: Int, _ line: [UInt8]) -> ChainHead {
    ChainHead(number: UInt64(number), line: line[...])
  }

  @Test("lines as they were written fit, wherever the files that are kept begin")
  func intact() {
    let all = lines(20)
    for first in 0..<20 {
      let check = check(Array(all[first...]))
      #expect(check.problems == [] && check.remarks == [])
      #expect(check.firstNumber == UInt64(first + 1) && check.lineCount == UInt64(20 - first))
      #expect(check.head == head(20, all[19]))
    }
    #expect(check([]).problems == [] && check([]).head == .none)
  }

  @Test("a line that was changed anywhere is named, and no other", arguments: 0..<11)
  func changed(index: Int) {
    let all = lines(12)
    for position in all[index].indices {
      var changed = all
      changed[index][position] ^= 1
      // A line feed that came or went makes other lines of it.
      guard changed[index][position] != UInt8(ascii: "\n"), position + 1 < all[index].count else {
        continue
      }
      let found = check(changed)
      #expect(found.problemCount >= 1, "line \(index + 1), byte \(position)")
      let names = found.problems.allSatisfy {
        $0.contains("line \(index + 1):") || $0.contains("line \(index + 2):")
      }
      #expect(names, "\(found.problems)")
    }
  }

  @Test("lines that were removed, inserted, moved or doubled are named")
  func moved() {
    let all = lines(10)
    #expect(
      check(Array(all[..<4] + all[6...])).problems
        == ["audit.log, line 5: lines 5 to 6 are missing before it"]
    )
    let insertion = Array("{\"time\":\"x\",\"action\":\"y\"}\n".utf8)
    #expect(
      check(all[..<4] + [insertion] + all[4...]).problems
        == ["audit.log, line 5: it is no line of rpcd: it was inserted"]
    )
    #expect(
      check(all[..<4] + [insertion] + all[5...]).problems
        == ["audit.log, line 5: it is no line of rpcd: it was changed or inserted"]
    )
    #expect(check(all + [insertion]).problems.count == 1)
    #expect(check(all[..<5] + [all[4]] + all[5...]).problemCount == 1)
    var swapped = all
    swapped.swapAt(3, 4)
    #expect(check(swapped).problemCount > 0)
    // One that fits its predecessor does not fit what follows.
    let forged = lines(1, after: head(4, all[3]))[0]
    #expect(check(all[..<4] + [forged + []] + all[4...]).problemCount == 1)
  }

  @Test(
    "what is cut off at the end is found by a head that was kept, as is a chain that was made again"
  )
  func kept() {
    let all = lines(10)
    let heads = [head(8, all[7]), head(10, all[9])]
    #expect(check(all, kept: heads).problems == [])
    #expect(check(Array(all[..<8])).problems == [])
    #expect(
      check(Array(all[..<8]), kept: heads).problems
        == ["line 10, whose checksum was kept, is missing"]
    )
    var again = lines(7)
    again += lines(3, after: ChainHead(number: 7, hash: heads[0].hash))
    #expect(check(again, kept: heads).problemCount > 0)
    // What is no longer there cannot be compared, which is no problem.
    let rest = check(Array(all[9...]), kept: heads)
    #expect(rest.problems == [] && rest.remarks.count == 1)
    #expect(ChainHead(text: "\(heads[0])") == heads[0])
    for text in ["", "8", "8:", "x:00", "0:" + String(repeating: "0", count: 64), "8:abcd"] {
      #expect(ChainHead(text: text) == nil)
    }
  }

  @Test("a line that a crash has cut is a remark where rpcd noted it, and a problem where not")
  func torn() {
    let before = lines(3)
    for cut in [1, 20, 80, 100] {
      let rest = Array(lines(1, after: head(3, before[2]))[0].prefix(cut)) + [UInt8(ascii: "\n")]
      let link = ChainLink(after: head(3, before[2]), torn: ChainHead.hash(of: rest[...]))
      let next = link.text + Array("\"detail\":\"x\"}\n".utf8)
      let all = before + [rest, next] + lines(2, after: head(4, next))
      let found = check(all)
      #expect(found.problems == [] && found.remarks.count == 1, "\(cut): \(found)")
      #expect(found.head.number == 6)
      var changed = all
      changed[3][0] ^= 1
      #expect(check(changed).problemCount > 0)
      #expect(check(before + [rest] + lines(2, after: head(3, before[2]))).problemCount == 1)
    }
    let found = check(before, incomplete: "audit.log, line 4")
    #expect(found.problems == [] && found.remarks.count == 1)
  }

  @Test("lines from before there was a chain are a remark, and the last of them is protected")
  func older() {
    let old = (0..<3).map { Array("{\"time\":\"x\",\"detail\":\"\($0)\"}\n".utf8) }
    let new = lines(3, after: ChainHead(number: 0, hash: ChainHead.hash(of: old[2][...])))
    let found = check(old + new)
    #expect(found.problems == [] && found.remarks.count == 1 && found.lineCount == 3)
    #expect(check(Array(old[..<2]) + new).problemCount == 1)
    #expect(check(old).problemCount == 1)
  }

  @Test("numbers as large as they get are numbers like others")
  func large() {
    for number in [UInt64(Int64.max) - 1, UInt64(Int64.max), .max - 1, .max] {
      let hash = String(repeating: "0", count: 64)
      let line = Array("{\"number\":\(number),\"previous\":\"\(hash)\",\"x\":1}\n".utf8)
      #expect(check(lines(2) + [line, line] + lines(2)).problemCount > 0)
    }
  }

  @Test("any bytes are checked without a crash")
  func anything() {
    let seed = Seed.make("chain")
    var random = SplitMix64(seed: seed)
    let all = lines(6)
    for _ in 0..<3_000 {
      var lines = all
      for _ in 0..<1 + random.below(3) {
        let index = random.below(lines.count)
        switch random.below(4) {
        case 0: lines.remove(at: index)
        case 1: lines.insert(all[random.below(all.count)], at: index)
        case 2: lines[index] = Array(lines[index].prefix(random.below(120))) + [UInt8(ascii: "\n")]
        case _ where lines[index].count < 2: continue
        default: lines[index][random.below(lines[index].count - 1)] = UInt8(random.below(256))
        }
        if lines.isEmpty { lines = all }
      }
      let found = check(lines)
      // A prefix and a suffix fit; whatever else was done shows, or is at the very end.
      let isRun = all.indices.contains { Array(all[$0...]).starts(with: lines) }
      let isChangedAtEnd = all.indices.contains {
        Array(all[$0...]).starts(with: lines.dropLast())
      }
      #expect(isRun || found.problemCount > 0 || isChangedAtEnd, "seed \(seed)")
      if isRun { #expect(found.problems == [], "seed \(seed)") }
    }
  }
}
