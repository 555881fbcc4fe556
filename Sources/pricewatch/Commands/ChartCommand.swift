import ArgumentParser
import Foundation
import History
import Markets
import Views

struct ChartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chart", abstract: "A chart in the terminal, or as a picture.",
        discussion: """
            Gaps stay open: where nothing was recorded, no line is drawn. Up to two days are drawn from the recorded \
            prices, longer spans from hourly candles. For a PNG: rsvg-convert -o chart.png chart.svg
            """)

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "The market's id, such as bitcoin.")
    var market: String
    @Option(
        help: "From when on: a time, a date, or how long ago. (default: 7d, or where the history begins)",
        transform: TimeArgument.parse)
    var since: TimeArgument?
    @Option(help: "Until when. (default: now)", transform: TimeArgument.parse)
    var until: TimeArgument?
    @Option(
        help: "Of a market that was recorded in several. (default: the one it is watched in)",
        transform: Currency.init(argument:))
    var currency: Currency?
    @Option(help: "Write a picture to FILE.svg instead.", completion: .file(extensions: ["svg"]))
    var output: String?

    func validate() throws {
        guard let output, !output.lowercased().hasSuffix(".svg") else { return }
        let name = URL(fileURLWithPath: output).deletingPathExtension().lastPathComponent
        throw ValidationError(
            "--output writes SVG, so its name ends in .svg "
                + "(for a PNG: --output \(name).svg, then rsvg-convert -o \(name).png \(name).svg)")
    }

    func run() async throws {
        let (configuration, reader) = try installation.openHistory()
        let (market, currency) = try RecordedMarket.find(
            market, in: reader, preferring: configuration.currencies, only: currency)
        let now = Date()
        let until = until?.date(now: now, in: configuration.zone) ?? now
        let since = since?.date(now: now, in: configuration.zone)
        guard since.map({ $0 < until }) ?? true else {
            throw CommandError("draw \(market.text): --since is not before --until", Exit.usage)
        }
        let chart = try Chart(
            of: market, in: currency, from: reader, configuration, since: since, until: until)
        guard let output else { return StandardOutput.write(lines: TerminalChart(chart, on: .output).lines) }
        try write(SVGChart(chart).file, to: output)
        let name = SafeText.printable(output)
        StandardOutput.write(lines: ["\(name): \(chart.title(atMost: 50)), \(chart.time), \(chart.facts[0])"])
    }

    private func write(_ picture: MarkupWriter, to path: String) throws {
        do {
            try AtomicFile(path: path).replace(with: picture.bytes)
        } catch {
            let hint = error.code == ENOENT ? " (make its folder first)" : ""
            throw CommandError("\(error)\(hint)", Exit.inputOutput)
        }
    }
}
