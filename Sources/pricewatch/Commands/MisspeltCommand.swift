import ArgumentParser
import Markets

/// `pricewatch stat`: the parser calls it an unexpected argument, which helps nobody.
enum MisspeltCommand {
    /// What to say of a first word that is no command and much like one; nil where the parser's own words do.
    static func complaint(about arguments: [String]) -> String? {
        let names = Pricewatch.configuration.subcommands.map { $0._commandName }
        let asksForHelp = arguments.first == "help"
        guard let word = arguments.dropFirst(asksForHelp ? 1 : 0).first, !word.hasPrefix("-"), word != "help",
            !names.contains(word)
        else { return nil }
        let command = asksForHelp ? "pricewatch help" : "pricewatch"
        if let meant = Spelling.closest(to: word, among: names) {
            return "there is no command '\(word)' (did you mean \(command) \(meant)?)"
        }
        // The parser shows its help of everything and finds nothing wrong.
        return asksForHelp ? "there is no command '\(word)' (all of them: pricewatch help)" : nil
    }
}
