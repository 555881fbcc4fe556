import GRDB
import GRDBSQLite
import Markets
