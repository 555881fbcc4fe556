import ArgumentParser
import Feeds
import History
import Logging
import MarketSimulator
import Markets
import ServiceLifecycle
import Yams

@main struct Pricewatch: ParsableCommand { func run() {} }
