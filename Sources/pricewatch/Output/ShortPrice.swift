import Markets

extension Price {
    /// A price for tables, with the significant digits and separators: `77,111.39`, `153.30`, `0.0000035097`.
    ///
    /// Rounded half up to five significant digits or two decimals, whichever is more exact. JSON, exports and the log
    /// have the exact price.
    var shortText: String {
        let whole = digits + exponent
        let rounded = rounded(toDigits: whole > 6 ? whole : max(5, whole + 2))
        return Digits.separated(Digits.padded((rounded ?? self).description))
    }
}
