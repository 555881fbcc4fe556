import Yams

/// Yams rejects a whole file at the first duplicate key. To report the other faults too, the first letter of the
/// earlier key is replaced by an unused character, and the text is parsed again. The letters are restored in the tree,
/// which then has the positions of both keys.
enum DuplicateKeys {
    /// The most replacements in one file; beyond it, the file is rejected.
    private static let most: UInt32 = 100
    /// The first character of a private-use plane.
    private static let firstStandIn: UInt32 = 0xF_0000

    /// `renamed` maps each replacement character to the letter that it replaces.
    static func parse(
        _ text: String, file: String
    ) throws(ConfigurationFault) -> (root: Node?, renamed: [Unicode.Scalar: Unicode.Scalar]) {
        var text = text
        var renamed: [Unicode.Scalar: Unicode.Scalar] = [:]
        for count in 0... {
            do {
                // The basic resolver: types are not used, and creating Yams's patterns for them takes 1 ms.
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

    /// nil, without a change, if the key is not written literally at `mark` (an alias, an escape).
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
