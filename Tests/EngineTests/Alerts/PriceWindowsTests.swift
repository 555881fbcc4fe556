import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct PriceWindowsTests {
    private struct Sample {
        var time: Int64
        var price: Price
    }

    @Test("every window tells what looking through all samples tells", arguments: [1, 2, 3, 4, 5])
    func againstThePlainWay(seed: UInt64) {
        var random = Dice(state: seed)
        let lengths: [Duration] = [.seconds(30), .minutes(5), .minutes(17), .hours(2)]
        var windows = PriceWindows(lengths, every: [.minutes(1)])
        windows.addMarket(inGroup: 0)
        var samples: [Sample] = []
        var time: Int64 = 1_795_255_200_000
        var level = 1000
        for _ in 0..<1500 {
            time += Int64(1 + random.below(90)) * 1000
            level = max(1, level + random.below(7) - 3)
            let sample = Sample(time: time, price: price("\(level)"))
            windows.add(sample.price, quotedAt: time, of: 0, answeredAt: time)
            for (window, length) in windows.lengths.enumerated() {
                let others = samples.filter { $0.time >= time - length }.map(\.price)
                let expected = others.min().flatMap { low in
                    others.max().map { PriceRange(lowest: low, highest: $0) }
                }
                #expect(windows.range(of: 0, window: window) == expected)
            }
            samples.append(sample)
        }
    }

    @Test("beyond two days, samples and hourly candles of the same past tell the same")
    func byTheHour() {
        var random = Dice(state: 7)
        let start: Int64 = 1_795_255_200_000 - 1_795_255_200_000 % 3_600_000
        let step: Int64 = 10 * 60_000
        let count = 6 * 24 * 8
        let samples = (0..<count).map { index in
            Sample(time: start + Int64(index) * step, price: price("\(1000 + random.below(100))"))
        }
        for now in stride(from: 6 * 24 * 5, to: count, by: 37) {
            var exact = PriceWindows([.hours(72)], every: [.minutes(10)])
            var rebuilt = exact
            exact.addMarket(inGroup: 0)
            rebuilt.addMarket(inGroup: 0)
            let present = samples[now].time
            for sample in samples[..<now] {
                exact.add(recorded: sample.time, samples: [(0, sample.time, sample.price)], unknown: [])
            }
            let border = present - PriceWindows.exactFor
            let wholeHours = border - border % 3_600_000
            let hours = Dictionary(grouping: samples[..<now].filter { $0.time < wholeHours }) { $0.time / 3_600_000 }
            for (hour, members) in hours.sorted(by: { $0.key < $1.key }) {
                guard let low = members.map(\.price).min(), let high = members.map(\.price).max() else { continue }
                rebuilt.add(hour: hour * 3_600_000, low: low, high: high, of: 0)
            }
            for sample in samples[..<now] where sample.time >= wholeHours {
                rebuilt.add(recorded: sample.time, samples: [(0, sample.time, sample.price)], unknown: [])
            }
            for kind in 0...1 {
                var windows = kind == 0 ? exact : rebuilt
                windows.add(samples[now].price, quotedAt: present, of: 0, answeredAt: present)
                if kind == 0 { exact = windows } else { rebuilt = windows }
            }
            #expect(exact.range(of: 0, window: 0) != nil)
            #expect(exact.range(of: 0, window: 0) == rebuilt.range(of: 0, window: 0))
        }
    }

    @Test(
        "watched time leaves out what lies between answers too far apart",
        arguments: [
            // answers in minutes, from, to, watched
            ([0, 1, 2, 3], 0, 3, 3), ([0, 1, 5, 6], 0, 6, 2), ([0, 1, 5, 6], 3, 6, 1), ([0, 5], 2, 5, 0),
            ([10, 11], 0, 11, 1), ([0, 5, 6, 20, 21], 0, 21, 2), ([0, 5, 6, 20, 21], 5, 21, 2),
        ] as [([Int64], Int64, Int64, Int64)])
    func watched(answers: [Int64], from: Int64, to: Int64, watched: Int64) {
        var gaps = WatchGaps()
        for answer in answers { gaps.answered(at: answer, longestStep: 2) }
        #expect(gaps.watched(from: from) == watched)
    }
}
