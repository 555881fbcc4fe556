import ArgumentParser
import Markets

/// `pricewatch stat`: the parser calls it an unexpected argument, which helps nobody.
enum MisspeltCommand {
    /// What to say of a first word that is no command and much like one; nil where the parser's own words do.
    static func complaint(about arguments: [String]) -> String? {
        let commands = Pricewatch.configuration.subcommands
        let asksForHelp = arguments.first == "help"
        guard let word = arguments.dropFirst(asksForHelp ? 1 : 0).first, !word.hasPrefix("-"), word != "help",
            // To ask every command for its name costs each start a millisecond.
            !commands.contains(where: { $0._commandName == word })
        else { return nil }
        let command = asksForHelp ? "pricewatch help" : "pricewatch"
        if let meant = Spelling.closest(to: word, among: commands.map { $0._commandName }) {
            return "there is no command '\(word)' (did you mean \(command) \(meant)?)"
        }
        // The parser shows its help of everything and finds nothing wrong.
        return asksForHelp ? "there is no command '\(word)' (all of them: pricewatch help)" : nil
    }
}
