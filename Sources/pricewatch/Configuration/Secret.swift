import Foundation

extension Configuration {
    /// A key, token or URL that must not be printed: all its descriptions are `***`.
    struct Secret: Hashable, Sendable {
        /// The value; only for building requests.
        let revealed: String
        let origin: Origin

        enum Origin: Hashable, Sendable {
            /// In the configuration itself.
            case inline
            /// A file; absolute.
            case file(String)
            /// An environment variable.
            case environment(String)
        }

        /// Reads the secret's file again, so that a rotated key needs no restart; nil if it is not from a file, or the
        /// file contains no valid secret.
        func readAgain() -> Secret? {
            guard case .file(let path) = origin, let text = try? BoundedFile.text(path),
                let secret = Secret.text(of: text)
            else { return nil }
            return Secret(revealed: secret, origin: origin)
        }

        /// `content` without its final newline; nil if the rest is no valid secret.
        static func text(of content: String) -> String? {
            let text = content.withoutNewlineAtEnd
            return objection(to: text) == nil ? text : nil
        }

        /// What is wrong with `text`, without quoting it; nil: valid. A line break in a key could inject headers.
        static func objection(to text: String) -> String? {
            if text.isEmpty { return "is empty" }
            if text.utf8.count > 8192 { return "is longer than 8192 bytes" }
            if text.unicodeScalars.contains(where: \.isUnprintable) {
                return "holds a control character or a line break"
            }
            return nil
        }
    }
}

extension Configuration.Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "***" }
    var debugDescription: String { "***" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// Editors and `echo` end a file with a newline that is not part of the value.
    var withoutNewlineAtEnd: String { last?.isNewline == true ? String(dropLast()) : self }
}
