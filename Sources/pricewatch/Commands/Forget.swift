import ArgumentParser
import Foundation
import Glibc
import History
import Markets
import Views

struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deletes a market's samples and candles.",
        discussion: """
            Alert events stay. A market that is still watched is recorded further. Works beside a running daemon and \
            without one.
            """)

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "The market's id, such as bitcoin.")
    var market: String
    @Option(
        help: "Only what is older: a time, a date, or how long ago. (default: everything)",
        transform: TimeArgument.parse)
    var before: TimeArgument?
    @Flag(help: "Do not ask.")
    var yes = false

    func run() async throws {
        let (configuration, reader) = try installation.openHistory()
        let (market, _) = try RecordedMarket.find(market, in: reader, preferring: configuration.currency)
        let before = before?.date(now: Date(), in: configuration.zone)
        let database = try ForgetDatabase(at: configuration.history.database)
        let (samples, candles) = try reader.recorded(of: market, before: before)
        let time = before.map { " before \(configuration.zone.text($0))" } ?? ""
        let what = "\(samples.counted("sample")) and \(candles.counted("candle")) of \(market.text)\(time)"
        let isAgreed = try yes || samples + candles == 0 || Self.agrees(to: what)
        guard isAgreed else { return StandardOutput.write(lines: ["nothing was deleted"]) }
        var bar = ProgressBar("deleting")
        try database.forget(market, before: before) { bar.show($0) }
        bar.finish()
        StandardOutput.write(lines: ["deleted \(what); alert events stay"])
    }

    private static func agrees(to what: String) throws -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandError("delete \(what): there is no terminal to ask on (use --yes)", Exit.usage)
        }
        var output = StandardOutput()
        output.write("delete \(SafeText.printable(what))? [y/N] ")
        output.flush()
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}

extension BinaryInteger {
    /// `1 sample`, `12,345 samples`
    func counted(_ thing: String) -> String { "\(Digits.separated("\(self)")) \(thing)\(self == 1 ? "" : "s")" }
}
