import ArgumentParser
import Logging
import ServiceLifecycle
import Yams
import Feeds
import History
import Markets
import MarketSimulator
@main struct Pricewatch: ParsableCommand { func run() {} }
