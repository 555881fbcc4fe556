/// A block of commands, each behind a `$`, and their output.
struct ConsoleBlock {
    struct Step {
        var command: String
        var place: ManualText.Place
        var output: [ManualText.Line] = []
    }

    private(set) var steps: [Step] = []
    /// Whether it is run in a home without a configuration: the word `fresh` behind the fence.
    let isFresh: Bool
    /// Whether its output is the same each time: the word `exact`.
    let isExact: Bool

    init(_ block: ManualText.Block) throws(ManualFault) {
        isFresh = block.words.contains("fresh")
        isExact = block.words.contains("exact")
        for line in block.lines {
            if line.text.hasPrefix("$ ") {
                steps.append(Step(command: String(line.text.dropFirst(2)), place: line.place))
            } else if line.text.hasPrefix("> "), steps.last?.output.isEmpty == true {
                steps[steps.count - 1].command += "\n" + line.text.dropFirst(2)
            } else if steps.isEmpty {
                throw ManualFault(place: line.place, message: "output without a command: begin with $")
            } else {
                steps[steps.count - 1].output.append(line)
            }
        }
        // A blank line between two commands is for the eye.
        for index in steps.indices where steps[index].output.last?.text == "" && index < steps.count - 1 {
            steps[index].output.removeLast()
        }
    }
}
