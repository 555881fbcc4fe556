import ArgumentParser
import Markets

/// `pricewatch stat`: the parser calls it an unexpected argument, which helps nobody.
enum MisspeltCommand {
    /// What to say of a first word that is no command and much like one; nil where the parser's own words do.
    static func complaint(about arguments: [String]) -> String? {
        let names = Pricewatch.configuration.subcommands.map { $0._commandName }
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help", !names.contains(word),
            let meant = Spelling.closest(to: word, among: names)
        else { return nil }
        return "there is no command '\(word)' (did you mean pricewatch \(meant)?)"
    }
}
