import Yams

/// Yams gives a whole file up at the first mapping with a key twice. So that the other faults are told in the same
/// go, the first letter of the earlier key is replaced by one nobody writes, and the text is parsed again; the
/// tree gets its letters back, and then knows both places.
enum DuplicateKeys {
    /// Beyond so many the file is given up like any other broken one.
    private static let most: UInt32 = 100
    /// A private-use plane.
    private static let firstStandIn: UInt32 = 0xF_0000

    /// `renamed` maps each stand-in to the letter it stands for.
    static func parse(
        _ text: String, file: String
    ) throws(ConfigurationFault) -> (root: Node?, renamed: [Unicode.Scalar: Unicode.Scalar]) {
        var text = text
        var renamed: [Unicode.Scalar: Unicode.Scalar] = [:]
        for count in 0... {
            do {
                // The types that Yams would see are of no interest, and its patterns for them cost a millisecond.
                return (try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot(), renamed)
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                guard count < most, let standIn = Unicode.Scalar(firstStandIn + UInt32(count)),
                    let letter = replaceLetter(of: &text, key: keys.first, at: context.mark, by: standIn)
                else {
                    throw YAMLDocument.fault(
                        YamlError.duplicatedKeysInMapping(duplicates: keys, context: context), file: file)
                }
                renamed[standIn] = letter
            } catch {
                throw YAMLDocument.fault(error, file: file)
            }
        }
        return (nil, renamed)
    }

    /// nil where the key does not stand there letter by letter (an alias, an escape): then nothing is changed.
    private static func replaceLetter(
        of text: inout String, key: String?, at mark: Mark, by standIn: Unicode.Scalar
    ) -> Unicode.Scalar? {
        guard let letter = key?.unicodeScalars.first else { return nil }
        var scalars = text.unicodeScalars
        var index = scalars.startIndex
        var line = 1
        while line < mark.line, index < scalars.endIndex {
            let scalar = scalars[index]
            index = scalars.index(after: index)
            if scalar == "\r", index < scalars.endIndex, scalars[index] == "\n" { index = scalars.index(after: index) }
            if ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) { line += 1 }
        }
        guard var place = scalars.index(index, offsetBy: mark.column - 1, limitedBy: scalars.endIndex),
            place < scalars.endIndex
        else { return nil }
        if scalars[place] == "\"" || scalars[place] == "'" { place = scalars.index(after: place) }
        guard place < scalars.endIndex, scalars[place] == letter else { return nil }
        scalars.replaceSubrange(place...place, with: [standIn])
        text = String(scalars)
        return letter
    }
}
