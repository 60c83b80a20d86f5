internal import RandomSupport
internal import TestSupport
internal import Testing

@testable internal import TidingsService

@Suite struct PushPacingTests {
  private static let topicsMax = 10_000

  private let start = ContinuousClock.now

  private func time(_ microseconds: Int) -> ContinuousClock.Instant {
    start + .microseconds(microseconds)
  }

  /// A bucket of time: each push costs an interval, the bucket holds a burst of them.
  private struct Bucket {
    let (interval, capacity): (Int, Int)
    var (level, filled) = (0, 0)
    /// The numbers that wait.
    var waiting: Range<Int64>?

    init(pushesPerSecond: Int) {
      interval = 1_000_000 / pushesPerSecond
      capacity = interval * max(1, pushesPerSecond / 4)
      level = capacity
    }

    mutating func fill(at now: Int) {
      level = min(capacity, level + now - filled)
      filled = now
    }

    mutating func take() -> Bool {
      guard level >= interval else { return false }
      level -= interval
      return true
    }

    var dueIn: Int { max(0, interval - level) }
  }

  private struct Published: Hashable {
    var (time, topic): (Int, UInt8)
    var (previous, sequence): (Int64, Int64)
  }

  @Test("events are published or merged as a bucket of time says", arguments: [4, 10, 1000, 2])
  func againstBucket(rate: Int) {
    let seed = Seed.make("PushPacing")
    var random = SplitMix64(seed: seed)
    for _ in 0..<6 {
      var pacing = PushPacing(pushesPerSecondMax: rate, topicsMax: Self.topicsMax)
      var heads: [UInt8: Int64] = [:]
      var buckets: [UInt8: Bucket] = [:]
      var (now, seen, expected) = (0, [] as [Published], [] as [Published])

      func look(until end: Int) {
        while let next = pacing.next, next <= time(end) {
          let at = max(now, Int(((next - start) / .microseconds(1)).rounded()))
          for merged in pacing.takeDue(at: time(at)) {
            #expect(merged.channel == Int64(merged.topic[0]))
            let topic = merged.topic[0]
            seen.append(
              .init(
                time: at,
                topic: topic,
                previous: merged.previous,
                sequence: merged.sequence
              )
            )
            if var bucket = buckets[topic], let waiting = bucket.waiting {
              bucket.fill(at: at)
              let mayPublish = bucket.take()
              #expect(mayPublish, "too early, seed \(seed)")
              expected.append(
                .init(
                  time: at,
                  topic: topic,
                  previous: waiting.lowerBound,
                  sequence: waiting.upperBound
                )
              )
              bucket.waiting = nil
              buckets[topic] = bucket
            }
          }
          now = at
        }
        now = max(now, end)
      }

      for _ in 0..<400 {
        let topic = UInt8(random.below(3))
        let gap = random.oneIn(4) ? random.below(2_000_000) : random.below(2_000_000 / rate)
        look(until: now + (random.oneIn(2) ? 0 : gap))
        let sequence = heads[topic, default: 0] + 1
        heads[topic] = sequence
        var bucket = buckets[topic] ?? Bucket(pushesPerSecond: rate)
        bucket.fill(at: now)
        let single = Published(
          time: now,
          topic: topic,
          previous: sequence - 1,
          sequence: sequence
        )
        if let waiting = bucket.waiting {
          bucket.waiting = waiting.lowerBound..<sequence
        } else if bucket.take() {
          expected.append(single)
        } else {
          bucket.waiting = sequence - 1..<sequence
        }
        buckets[topic] = bucket
        let decision = pacing.decide(
          [topic],
          channel: Int64(topic),
          sequence: sequence,
          at: time(now)
        )
        if decision == .publish { seen.append(single) }
      }
      look(until: now + 10_000_000)
      #expect(seen == expected, "seed \(seed)")
      #expect(pacing.next == nil && buckets.values.allSatisfy { $0.waiting == nil })
      for (topic, head) in heads {
        let numbers = seen.filter { $0.topic == topic }
        #expect(numbers.last?.sequence == head, "seed \(seed)")
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0.sequence == $1.previous })
      }
    }
  }

  @Test("a merged push leaves as soon as the topic may have one, not later")
  func dueInTime() {
    var pacing = PushPacing(pushesPerSecondMax: 100, topicsMax: Self.topicsMax)
    for sequence in 1...25 as ClosedRange<Int64> {
      #expect(pacing.decide([1], channel: 1, sequence: sequence, at: start) == .publish)
    }
    for sequence in 26...300 as ClosedRange<Int64> {
      #expect(pacing.decide([1], channel: 1, sequence: sequence, at: start) == .merge)
    }
    #expect(pacing.next == time(10_000))
    #expect(pacing.takeDue(at: time(9_999)).isEmpty)
    #expect(
      pacing.takeDue(at: time(10_000))
        == [.init(topic: [1], channel: 1, previous: 25, sequence: 300)]
    )
    #expect(pacing.next == nil)
  }

  @Test("a topic that is forgotten has nothing to say, and starts again")
  func forgotten() {
    var pacing = PushPacing(pushesPerSecondMax: 1, topicsMax: Self.topicsMax)
    #expect(pacing.decide([1], channel: 1, sequence: 1, at: start) == .publish)
    #expect(pacing.decide([1], channel: 1, sequence: 2, at: start) == .merge)
    pacing.forget([1])
    #expect(pacing.decide([1], channel: 1, sequence: 3, at: time(500_000)) == .publish)
    #expect(pacing.decide([1], channel: 1, sequence: 4, at: time(500_000)) == .merge)
    #expect(pacing.takeDue(at: time(1_000_000)).isEmpty)
    #expect(pacing.takeDue(at: time(1_500_000)).map(\.previous) == [3])
  }

  @Test("it remembers so many topics, and those that are idle no longer than it must")
  func boundedMemory() {
    var pacing = PushPacing(pushesPerSecondMax: 2000, topicsMax: Self.topicsMax)
    for number in 0..<Self.topicsMax + 5000 {
      let topic = withUnsafeBytes(of: number) { Array($0) }
      #expect(pacing.decide(topic, channel: 1, sequence: 1, at: start) == .publish)
    }
    #expect(pacing.topicCount == Self.topicsMax)
    #expect(pacing.decide([1], channel: 1, sequence: 1, at: time(1_000_000)) == .publish)
    #expect(pacing.topicCount == 1)
  }
}
