import Foundation
import Testing

@testable import Views
@testable import pricewatch

@Suite struct TerminalChartTests {
    private func drawing(_ chart: Chart, utf8: Bool = true, width: Int = 44) -> String {
        TerminalChart(chart, on: Terminal(isUTF8: utf8, width: width, height: 16)).lines.joined(separator: "\n")
    }

    private func hill() throws -> Chart {
        var prices: [(Double, String)?] = (0...20).map { (Double($0), "\(100 + $0)") }
        prices += [nil]
        prices += (30...60).map { (Double($0), "\(140 - $0)") }
        return try ChartScene.chart(
            prices,
            events: [
                ChartScene.event(.firing, at: 10, price: "110"), ChartScene.event(.resolved, at: 40, price: "100"),
            ])
    }

    @Test("in braille, with its gap open")
    func braille() throws {
        let text = drawing(try hill())
        #expect(
            text == """
                Bitcoin (BTC) in usd
                2026-11-21 10:00 to 11:00 UTC
                120 ┤           ⡠⠔
                    │       ⣀⠤⠒⠉
                    │   ⢀⡠⠔⠉            ⠑⢄⣀
                    │⣀⠔⠒⠁                  ⠑⠢⢄⡀
                100 ┤                         ⠈⠒⠤⣀
                    │                             ⠉⠢⢄⡀
                    │                                ⠈⠒⠢⣀⡀
                 80 ┤                                    ⠈⠢
                    └┬─────▲────────────┬─────○───────────┬
                    10:00             10:30           11:00
                high 120  low 80  last 80  change -20 %
                ▲▼ alert fired  ○ resolved
                """)
    }

    @Test("in plain ASCII where the terminal knows no more")
    func ascii() throws {
        let text = drawing(try hill(), utf8: false)
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(
            text == #"""
                Bitcoin (BTC) in usd
                2026-11-21 10:00 to 11:00 UTC
                120 +           .:
                    |       ..''
                    |   ..:'            '..
                    |.:''                  ':..
                100 +                         ''..
                    |                             ':..
                    |                                '':..
                 80 +                                    ':
                    ++-----^------------+-----o-----------+
                    10:00             10:30           11:00
                high 120  low 80  last 80  change -20 %
                ^v alert fired  o resolved
                """#)
    }

    @Test("a flat price, one price, and none")
    func edges() throws {
        let flat = drawing(try ChartScene.chart((0...60).map { (Double($0), "1") }), utf8: false)
        #expect(
            flat == """
                Bitcoin (BTC) in usd
                2026-11-21 10:00 to 11:00 UTC
                      |
                      |
                      |
                1.000 +....................................
                      |
                      |
                      |
                0.995 +
                      ++-----------------+----------------+
                      10:00            10:30          11:00
                high 1  low 1  last 1  change 0 %
                """)
        let one = drawing(try ChartScene.chart([(30, "0.000000001206")]))
        #expect(
            one == """
                Bitcoin (BTC) in usd
                2026-11-21 10:00 to 11:00 UTC
                               │
                0.000000001210 ┤
                               │
                               │             ⢀
                0.000000001205 ┤
                               │
                               │
                0.000000001200 ┤
                               └┬────────────┬────────────┬
                               10:00       10:30      11:00
                high 0.000000001206  low 0.000000001206
                last 0.000000001206  change 0 %
                """)
        #expect(
            drawing(try ChartScene.chart([])) == """
                Bitcoin (BTC) in usd
                2026-11-21 10:00 to 11:00 UTC
                nothing recorded in this time
                """)
    }

    @Test("no line is wider than the terminal, whatever the prices", arguments: [40, 60, 80, 200])
    func widths(width: Int) throws {
        for (low, high) in [("0.0000000012", "0.0000000013"), ("1234567890123", "1234567890200"), ("5", "900000")] {
            let prices = (0...60).map { (Double($0), $0 % 7 == 0 ? high : low) }
            let chart = try ChartScene.chart(prices, name: String(repeating: "Long ", count: 30))
            let terminal = Terminal(width: width, height: 30)
            for line in TerminalChart(chart, on: terminal).lines where !line.hasPrefix("high") && !line.hasPrefix("low")
            {
                #expect(Table.width(line) <= width, "\(line)")
            }
        }
    }
}
