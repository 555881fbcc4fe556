import Markets

/// The names of the largest markets at each provider, by their ids at CoinGecko. Uncertain names are left out: a market
/// without one is missing at that provider, never guessed by its symbol.
package enum KnownMarkets {
    /// Nil if no name is known for certain, or if the provider's name is for another currency.
    package static func name(of market: MarketID, at provider: String, in currency: Currency) -> String? {
        if let only = table.currencies[provider], only != currency.code { return nil }
        return table.names[provider]?[market.text]
    }

    /// Our id for a provider's: the provider's own if no other is known; nil if that is not a valid id.
    package static func market(called name: String, at provider: String) -> MarketID? {
        try? MarketID(table.markets[provider]?[name] ?? name)
    }

    /// The market with this symbol, in either case; nil for a text that is itself an id of the table.
    package static func market(withSymbol text: String) -> MarketID? {
        guard !table.ids.contains(text) else { return nil }
        return table.symbols[text.lowercased()].flatMap { try? MarketID($0) }
    }

    /// Every market of the table, in order.
    package static var all: [MarketID] { table.ids.compactMap { try? MarketID($0) } }

    private static let table = Table(rows)

    private struct Table: Sendable {
        var ids: [String] = []
        /// For providers with pairs as names: the currency of the pairs listed here.
        var currencies: [String: String] = [:]
        var names: [String: [String: String]] = [:]
        var markets: [String: [String: String]] = [:]
        /// Ids by symbol: CoinPaprika's names begin with it, and so do Kraken's pairs.
        var symbols: [String: String] = [:]

        init(_ rows: String) {
            var lines = rows.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }[...]
            let heads = (lines.popFirst() ?? []).map { $0.split(separator: "/").map(String.init) }
            for head in heads where head.count == 2 { currencies[head[0]] = head[1] }
            for cells in lines where cells.count == heads.count {
                ids.append(cells[0])
                for (head, name) in zip(heads, cells).dropFirst() where name != "-" {
                    names[head[0], default: [:]][cells[0]] = name
                    markets[head[0], default: [:]][name] = cells[0]
                    let symbol = head[0] == "coinpaprika" ? name.prefix { $0 != "-" } : name.dropLast(3)
                    guard head[0] != "coinmarketcap", symbols[symbol.lowercased()] == nil else { continue }
                    symbols[symbol.lowercased()] = cells[0]
                }
            }
        }
    }

    /// Binance has no column: it quotes against USDT, which is not a dollar.
    private static let rows = """
        coingecko                  coinpaprika                    coinmarketcap kraken/usd
        bitcoin                    btc-bitcoin                    1      XBTUSD
        ethereum                   eth-ethereum                   1027   ETHUSD
        tether                     usdt-tether                    825    USDTUSD
        ripple                     xrp-xrp                        52     XRPUSD
        binancecoin                bnb-binance-coin               1839   BNBUSD
        solana                     sol-solana                     5426   SOLUSD
        usd-coin                   usdc-usd-coin                  3408   USDCUSD
        dogecoin                   doge-dogecoin                  74     XDGUSD
        cardano                    ada-cardano                    2010   ADAUSD
        tron                       trx-tron                       1958   TRXUSD
        staked-ether               steth-lido-staked-ether        8085   -
        wrapped-bitcoin            wbtc-wrapped-bitcoin           3717   WBTCUSD
        hyperliquid                hype-hyperliquid               32196  HYPEUSD
        chainlink                  link-chainlink                 1975   LINKUSD
        stellar                    xlm-stellar                    512    XLMUSD
        bitcoin-cash               bch-bitcoin-cash               1831   BCHUSD
        litecoin                   ltc-litecoin                   2      LTCUSD
        avalanche-2                avax-avalanche                 5805   AVAXUSD
        the-open-network           -                              11419  TONUSD
        shiba-inu                  shib-shiba-inu                 5994   SHIBUSD
        hedera-hashgraph           hbar-hedera-hashgraph          4642   HBARUSD
        polkadot                   dot-polkadot                   6636   DOTUSD
        uniswap                    uni-uniswap                    7083   UNIUSD
        dai                        dai-dai                        4943   DAIUSD
        leo-token                  leo-leo-token                  3957   -
        monero                     xmr-monero                     328    XMRUSD
        pepe                       pepe-pepe                      24478  PEPEUSD
        aave                       aave-new                       7278   AAVEUSD
        near                       near-near-protocol             6535   NEARUSD
        ethereum-classic           etc-ethereum-classic           1321   ETCUSD
        okb                        okb-okb                        3897   -
        internet-computer          icp-internet-computer          8916   ICPUSD
        aptos                      apt-aptos                      21794  APTUSD
        sui                        sui-sui                        20947  SUIUSD
        mantle                     mnt-mantle                     27075  MNTUSD
        crypto-com-chain           cro-cryptocom-chain            3635   CROUSD
        zcash                      zec-zcash                      1437   ZECUSD
        bittensor                  tao-bittensor                  22974  TAOUSD
        ethena                     ena-ethena                     30171  ENAUSD
        ondo-finance               ondo-ondo                      21159  ONDOUSD
        polygon-ecosystem-token    pol-polygon-ecosystem-token    28321  POLUSD
        worldcoin-wld              wld-worldcoin                  13502  WLDUSD
        arbitrum                   arb-arbitrum                   11841  ARBUSD
        optimism                   op-optimism                    11840  OPUSD
        kaspa                      kas-kaspa                      20396  KASUSD
        vechain                    vet-vechain                    3077   VETUSD
        cosmos                     atom-cosmos                    3794   ATOMUSD
        render-token               rndr-render-token              5690   RENDERUSD
        algorand                   algo-algorand                  4030   ALGOUSD
        filecoin                   fil-filecoin                   2280   FILUSD
        fetch-ai                   fetch-ai                       3773   FETUSD
        quant-network              qnt-quant                      3155   QNTUSD
        gatechain-token            gt-gatechain-token             4269   -
        bitget-token               bgb-bitget-token               11092  BGBUSD
        kucoin-shares              kcs-kucoin-token               2087   -
        celestia                   -                              22861  TIAUSD
        sei-network                -                              23149  SEIUSD
        bonk                       bonk-bonk                      23095  BONKUSD
        dogwifcoin                 wif-dogwifhat                  28752  WIFUSD
        official-trump             -                              35336  TRUMPUSD
        jupiter-exchange-solana    jup-jupiter-exchange-token     29210  JUPUSD
        injective-protocol         inj-injective-protocol         7226   INJUSD
        blockstack                 stx-stacks                     4847   STXUSD
        immutable-x                imx-immutable-x                10603  IMXUSD
        the-graph                  grt-the-graph                  6719   GRTUSD
        lido-dao                   ldo-lido-dao                   8000   LDOUSD
        curve-dao-token            crv-curve-dao-token            6538   CRVUSD
        floki                      -                              10804  FLOKIUSD
        pax-gold                   paxg-pax-gold                  4705   PAXGUSD
        tether-gold                xaut-tether-gold               5176   XAUTUSD
        nexo                       nexo-nexo                      2694   -
        theta-token                theta-theta-token              2416   -
        the-sandbox                sand-the-sandbox               6210   SANDUSD
        decentraland               mana-decentraland              1966   MANAUSD
        axie-infinity              axs-axie-infinity              6783   AXSUSD
        gala                       gala-gala                      7080   GALAUSD
        flow                       flow-flow                      4558   FLOWUSD
        tezos                      xtz-tezos                      2011   XTZUSD
        iota                       miota-iota                     1720   -
        neo                        neo-neo                        1376   -
        thorchain                  rune-thorchain                 4157   RUNEUSD
        havven                     snx-synthetix-network-token    2586   SNXUSD
        kava                       kava-kava                      4846   KAVAUSD
        helium                     hnt-helium                     5665   HNTUSD
        apecoin                    ape-apecoin                    18876  APEUSD
        chiliz                     chz-chiliz                     4066   CHZUSD
        arweave                    ar-arweave                     5632   ARUSD
        conflux-token              cfx-conflux-network            7334   CFXUSD
        pancakeswap-token          cake-pancakeswap               7186   CAKEUSD
        jasmycoin                  jasmy-jasmycoin                8425   JASMYUSD
        ethereum-name-service      ens-ethereum-name-service      13855  ENSUSD
        compound-governance-token  comp-compoundd                 5692   COMPUSD
        yearn-finance              yfi-yearnfinance               5864   YFIUSD
        basic-attention-token      bat-basic-attention-token      1697   BATUSD
        dash                       dash-dash                      131    DASHUSD
        decred                     dcr-decred                     1168   DCRUSD
        qtum                       qtum-qtum                      1684   QTUMUSD
        kusama                     ksm-kusama                     5034   KSMUSD
        zilliqa                    zil-zilliqa                    2469   -
        ravencoin                  rvn-ravencoin                  2577   -
        mina-protocol              mina-mina-protocol             8646   MINAUSD
        celo                       celo-celo                      5567   CELOUSD
        bitcoin-cash-sv            bsv-bitcoin-sv                 3602   -
        trust-wallet-token         twt-trust-wallet-token         5964   -
        1inch                      1inch-1inch                    8104   1INCHUSD
        enjincoin                  enj-enjin-coin                 2130   ENJUSD
        loopring                   lrc-loopring                   1934   LRCUSD
        sushi                      sushi-sushi                    6758   SUSHIUSD
        rocket-pool                rpl-rocket-pool                2943   RPLUSD
        livepeer                   lpt-livepeer                   3640   LPTUSD
        pyth-network               -                              28177  PYTHUSD
        starknet                   -                              22691  STRKUSD
        """
}
