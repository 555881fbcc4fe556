import Markets

/// The names of the largest markets at each provider, by their ids at CoinGecko. Uncertain names are left out: a market
/// without one is missing at that provider, never guessed by its symbol.
package enum KnownMarkets {
    /// Nil if no name is known for certain, or none of a pair in this currency.
    package static func name(of market: MarketID, at provider: String, in currency: Currency) -> String? {
        (table.names[provider] ?? table.names["\(provider)/\(currency)"])?[market.text]
    }

    /// Our id for a provider's: the provider's own if no other is known; nil if that is not a valid id.
    package static func market(called name: String, at provider: String) -> MarketID? {
        try? MarketID(table.markets[provider]?[name] ?? name)
    }

    /// The market with this symbol, in either case, or with this id in another case; nil for an id of the table.
    package static func market(withSymbol text: String) -> MarketID? {
        guard !table.ids.contains(text) else { return nil }
        let lower = text.lowercased()
        return (table.ids.contains(lower) ? lower : table.symbols[lower]).flatMap { try? MarketID($0) }
    }

    /// Every market of the table, in order.
    package static var all: [MarketID] { table.ids.compactMap { try? MarketID($0) } }

    private static let table = Table(rows)

    private struct Table: Sendable {
        var ids: [String] = []
        /// By provider; for one with pairs as names, by provider and currency: `kraken/eur`.
        var names: [String: [String: String]] = [:]
        var markets: [String: [String: String]] = [:]
        /// Ids by symbol: CoinPaprika's names begin with it, and so do Kraken's pairs.
        var symbols: [String: String] = [:]

        init(_ rows: String) {
            var lines = rows.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }[...]
            let heads = lines.popFirst() ?? []
            for cells in lines where cells.count == heads.count {
                ids.append(cells[0])
                for (head, name) in zip(heads, cells).dropFirst() where name != "-" {
                    let provider = String(head.prefix { $0 != "/" })
                    names[head, default: [:]][cells[0]] = name
                    markets[provider, default: [:]][name] = cells[0]
                    let symbol = provider == "coinpaprika" ? name.prefix { $0 != "-" } : name.dropLast(3)
                    guard provider != "coinmarketcap", symbols[symbol.lowercased()] == nil else { continue }
                    symbols[symbol.lowercased()] = cells[0]
                }
            }
        }
    }

    /// Binance has no column: it quotes against USDT, which is not a dollar. Kraken's pairs in euros and pounds are those
    /// of its answers of 2026-06-24 with at least 20 trades a day: its answer has no time, and the last trade of a pair
    /// that is hardly traded is old.
    private static let rows = """
        coingecko                  coinpaprika                    coinmarketcap kraken/usd kraken/eur kraken/gbp
        bitcoin                    btc-bitcoin                    1             XBTUSD     XBTEUR     XBTGBP
        ethereum                   eth-ethereum                   1027          ETHUSD     ETHEUR     ETHGBP
        tether                     usdt-tether                    825           USDTUSD    USDTEUR    USDTGBP
        ripple                     xrp-xrp                        52            XRPUSD     XRPEUR     XRPGBP
        binancecoin                bnb-binance-coin               1839          BNBUSD     BNBEUR     -
        solana                     sol-solana                     5426          SOLUSD     SOLEUR     SOLGBP
        usd-coin                   usdc-usd-coin                  3408          USDCUSD    USDCEUR    USDCGBP
        dogecoin                   doge-dogecoin                  74            XDGUSD     XDGEUR     XDGGBP
        cardano                    ada-cardano                    2010          ADAUSD     ADAEUR     ADAGBP
        tron                       trx-tron                       1958          TRXUSD     TRXEUR     -
        staked-ether               steth-lido-staked-ether        8085          -          -          -
        wrapped-bitcoin            wbtc-wrapped-bitcoin           3717          WBTCUSD    -          -
        hyperliquid                hype-hyperliquid               32196         HYPEUSD    HYPEEUR    -
        chainlink                  link-chainlink                 1975          LINKUSD    LINKEUR    LINKGBP
        stellar                    xlm-stellar                    512           XLMUSD     XLMEUR     XLMGBP
        bitcoin-cash               bch-bitcoin-cash               1831          BCHUSD     BCHEUR     -
        litecoin                   ltc-litecoin                   2             LTCUSD     LTCEUR     LTCGBP
        avalanche-2                avax-avalanche                 5805          AVAXUSD    AVAXEUR    -
        the-open-network           -                              11419         TONUSD     TONEUR     -
        shiba-inu                  shib-shiba-inu                 5994          SHIBUSD    SHIBEUR    -
        hedera-hashgraph           hbar-hedera-hashgraph          4642          HBARUSD    HBAREUR    -
        polkadot                   dot-polkadot                   6636          DOTUSD     DOTEUR     DOTGBP
        uniswap                    uni-uniswap                    7083          UNIUSD     UNIEUR     -
        dai                        dai-dai                        4943          DAIUSD     DAIEUR     -
        leo-token                  leo-leo-token                  3957          -          -          -
        monero                     xmr-monero                     328           XMRUSD     XMREUR     -
        pepe                       pepe-pepe                      24478         PEPEUSD    PEPEEUR    PEPEGBP
        aave                       aave-new                       7278          AAVEUSD    AAVEEUR    AAVEGBP
        near                       near-near-protocol             6535          NEARUSD    NEAREUR    -
        ethereum-classic           etc-ethereum-classic           1321          ETCUSD     ETCEUR     -
        okb                        okb-okb                        3897          -          -          -
        internet-computer          icp-internet-computer          8916          ICPUSD     ICPEUR     -
        aptos                      apt-aptos                      21794         APTUSD     APTEUR     -
        sui                        sui-sui                        20947         SUIUSD     SUIEUR     SUIGBP
        mantle                     mnt-mantle                     27075         MNTUSD     MNTEUR     -
        crypto-com-chain           cro-cryptocom-chain            3635          CROUSD     CROEUR     -
        zcash                      zec-zcash                      1437          ZECUSD     ZECEUR     -
        bittensor                  tao-bittensor                  22974         TAOUSD     TAOEUR     -
        ethena                     ena-ethena                     30171         ENAUSD     ENAEUR     -
        ondo-finance               ondo-ondo                      21159         ONDOUSD    ONDOEUR    -
        polygon-ecosystem-token    pol-polygon-ecosystem-token    28321         POLUSD     POLEUR     -
        worldcoin-wld              wld-worldcoin                  13502         WLDUSD     WLDEUR     -
        arbitrum                   arb-arbitrum                   11841         ARBUSD     ARBEUR     -
        optimism                   op-optimism                    11840         OPUSD      OPEUR      -
        kaspa                      kas-kaspa                      20396         KASUSD     KASEUR     -
        vechain                    vet-vechain                    3077          VETUSD     VETEUR     -
        cosmos                     atom-cosmos                    3794          ATOMUSD    ATOMEUR    ATOMGBP
        render-token               rndr-render-token              5690          RENDERUSD  RENDEREUR  -
        algorand                   algo-algorand                  4030          ALGOUSD    ALGOEUR    ALGOGBP
        filecoin                   fil-filecoin                   2280          FILUSD     FILEUR     FILGBP
        fetch-ai                   fetch-ai                       3773          FETUSD     FETEUR     -
        quant-network              qnt-quant                      3155          QNTUSD     QNTEUR     -
        gatechain-token            gt-gatechain-token             4269          -          -          -
        bitget-token               bgb-bitget-token               11092         BGBUSD     -          -
        kucoin-shares              kcs-kucoin-token               2087          -          -          -
        celestia                   -                              22861         TIAUSD     TIAEUR     -
        sei-network                -                              23149         SEIUSD     SEIEUR     -
        bonk                       bonk-bonk                      23095         BONKUSD    BONKEUR    -
        dogwifcoin                 wif-dogwifhat                  28752         WIFUSD     WIFEUR     -
        official-trump             -                              35336         TRUMPUSD   TRUMPEUR   -
        jupiter-exchange-solana    jup-jupiter-exchange-token     29210         JUPUSD     JUPEUR     -
        injective-protocol         inj-injective-protocol         7226          INJUSD     INJEUR     -
        blockstack                 stx-stacks                     4847          STXUSD     STXEUR     -
        immutable-x                imx-immutable-x                10603         IMXUSD     IMXEUR     -
        the-graph                  grt-the-graph                  6719          GRTUSD     GRTEUR     GRTGBP
        lido-dao                   ldo-lido-dao                   8000          LDOUSD     LDOEUR     -
        curve-dao-token            crv-curve-dao-token            6538          CRVUSD     CRVEUR     -
        floki                      -                              10804         FLOKIUSD   FLOKIEUR   -
        pax-gold                   paxg-pax-gold                  4705          PAXGUSD    PAXGEUR    -
        tether-gold                xaut-tether-gold               5176          XAUTUSD    -          -
        nexo                       nexo-nexo                      2694          -          -          -
        theta-token                theta-theta-token              2416          -          -          -
        the-sandbox                sand-the-sandbox               6210          SANDUSD    SANDEUR    -
        decentraland               mana-decentraland              1966          MANAUSD    MANAEUR    -
        axie-infinity              axs-axie-infinity              6783          AXSUSD     AXSEUR     -
        gala                       gala-gala                      7080          GALAUSD    GALAEUR    -
        flow                       flow-flow                      4558          FLOWUSD    FLOWEUR    -
        tezos                      xtz-tezos                      2011          XTZUSD     XTZEUR     -
        iota                       miota-iota                     1720          -          -          -
        neo                        neo-neo                        1376          -          -          -
        thorchain                  rune-thorchain                 4157          RUNEUSD    RUNEEUR    -
        havven                     snx-synthetix-network-token    2586          SNXUSD     SNXEUR     -
        kava                       kava-kava                      4846          KAVAUSD    KAVAEUR    -
        helium                     hnt-helium                     5665          HNTUSD     HNTEUR     -
        apecoin                    ape-apecoin                    18876         APEUSD     APEEUR     -
        chiliz                     chz-chiliz                     4066          CHZUSD     CHZEUR     -
        arweave                    ar-arweave                     5632          ARUSD      AREUR      -
        conflux-token              cfx-conflux-network            7334          CFXUSD     -          -
        pancakeswap-token          cake-pancakeswap               7186          CAKEUSD    -          -
        jasmycoin                  jasmy-jasmycoin                8425          JASMYUSD   JASMYEUR   -
        ethereum-name-service      ens-ethereum-name-service      13855         ENSUSD     ENSEUR     -
        compound-governance-token  comp-compoundd                 5692          COMPUSD    COMPEUR    -
        yearn-finance              yfi-yearnfinance               5864          YFIUSD     YFIEUR     -
        basic-attention-token      bat-basic-attention-token      1697          BATUSD     BATEUR     -
        dash                       dash-dash                      131           DASHUSD    DASHEUR    -
        decred                     dcr-decred                     1168          DCRUSD     -          -
        qtum                       qtum-qtum                      1684          QTUMUSD    -          -
        kusama                     ksm-kusama                     5034          KSMUSD     KSMEUR     -
        zilliqa                    zil-zilliqa                    2469          -          -          -
        ravencoin                  rvn-ravencoin                  2577          -          -          -
        mina-protocol              mina-mina-protocol             8646          MINAUSD    MINAEUR    -
        celo                       celo-celo                      5567          CELOUSD    CELOEUR    -
        bitcoin-cash-sv            bsv-bitcoin-sv                 3602          -          -          -
        trust-wallet-token         twt-trust-wallet-token         5964          -          -          -
        1inch                      1inch-1inch                    8104          1INCHUSD   1INCHEUR   -
        enjincoin                  enj-enjin-coin                 2130          ENJUSD     ENJEUR     -
        loopring                   lrc-loopring                   1934          LRCUSD     LRCEUR     -
        sushi                      sushi-sushi                    6758          SUSHIUSD   SUSHIEUR   -
        rocket-pool                rpl-rocket-pool                2943          RPLUSD     -          -
        livepeer                   lpt-livepeer                   3640          LPTUSD     LPTEUR     -
        pyth-network               -                              28177         PYTHUSD    PYTHEUR    -
        starknet                   -                              22691         STRKUSD    STRKEUR    -
        """
}
