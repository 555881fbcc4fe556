public enum PowersOfTen {
    public static let double: [Double] = (0...60).map { Double("1e\($0)") ?? .nan }

    /// As many as fit into 64 bits.
    public static let integer: [UInt64] = (0...19).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}
