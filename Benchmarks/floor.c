/* The floor: the same numbers with libsqlite3 alone and the best layout, without a name, a rule or a second look.
 *
 *   floor record DATABASE MARKETS POLLS      polls straight into the database
 *   floor poll   DATABASE PORT POLLS FOLDER  whole polls: request, record, status file, log line
 *
 * Prints what it cost as JSON. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void check(sqlite3 *db, int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "floor: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double written(void) {
    FILE *file = fopen("/proc/self/io", "r");
    char line[128];
    double bytes = 0;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "write_bytes: %lf", &bytes);
    if (file) fclose(file);
    return bytes;
}

static sqlite3 *open_database(const char *path) {
    sqlite3 *db;
    check(NULL, sqlite3_open(path, &db));
    check(db, sqlite3_exec(db,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE IF NOT EXISTS poll (id INTEGER PRIMARY KEY, at INTEGER);"
        "CREATE TABLE IF NOT EXISTS sample (id INTEGER PRIMARY KEY, significand INTEGER, exponent INTEGER,"
        " age INTEGER, confirmed INTEGER)", NULL, NULL, NULL));
    return db;
}

static void put(sqlite3_stmt *insert, long long id, long long significand, int exponent, long long age) {
    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_int64(insert, 2, significand);
    sqlite3_bind_int(insert, 3, exponent);
    sqlite3_bind_int64(insert, 4, age);
    sqlite3_step(insert);
    sqlite3_reset(insert);
}

static const char *INSERT = "INSERT INTO sample VALUES (?, ?, ?, ?, 1)";

static void print_cost(double processor, double wall, double bytes, int polls, int markets) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double samples = (double)polls * markets;
    printf("{\"cpu_us_per_sample\": %f, \"wall_us_per_sample\": %f, \"written_per_poll\": %f, "
           "\"cpu_ms_per_poll\": %f, \"rss_kib\": %ld}\n",
           processor * 1e6 / samples, wall * 1e6 / samples, bytes / polls, processor * 1e3 / polls, usage.ru_maxrss);
}

static void record(const char *path, int markets, int polls) {
    sqlite3 *db = open_database(path);
    sqlite3_stmt *insert, *poll, *begin, *commit;
    check(db, sqlite3_prepare_v2(db, INSERT, -1, &insert, NULL));
    check(db, sqlite3_prepare_v2(db, "INSERT INTO poll VALUES (?, ?)", -1, &poll, NULL));
    check(db, sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL));
    check(db, sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL));
    long long *price = malloc(sizeof *price * markets);
    for (int m = 0; m < markets; m++) price[m] = (1000 + m * 7919LL % 9000000) * 1001 + 7;
    double processor = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC), bytes = written();
    for (int p = 1; p <= polls; p++) {
        sqlite3_step(begin); sqlite3_reset(begin);
        sqlite3_bind_int64(poll, 1, p);
        sqlite3_bind_int64(poll, 2, 1795255200000LL + p * 60000LL);
        sqlite3_step(poll); sqlite3_reset(poll);
        for (int m = 0; m < markets; m++) {
            price[m] += rand() % 101 - 50;
            put(insert, (long long)p << 20 | (m + 1), price[m], -(2 + m % 8), 500 + rand() % 58500);
        }
        check(db, sqlite3_step(commit)); sqlite3_reset(commit);
    }
    print_cost(now(CLOCK_PROCESS_CPUTIME_ID) - processor, now(CLOCK_MONOTONIC) - wall, written() - bytes, polls, markets);
}

static size_t fetch(int port, char *body, size_t room) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&address, sizeof address)) { perror("floor: connect"); exit(1); }
    const char *request = "GET /api/v3/coins/markets?vs_currency=usd&per_page=250&page=1 HTTP/1.1\r\n"
                          "Host: 127.0.0.1\r\nAccept: application/json\r\nConnection: close\r\n\r\n";
    if (write(s, request, strlen(request)) < 0) exit(1);
    size_t got = 0;
    for (ssize_t n; got < room - 1 && (n = read(s, body + got, room - 1 - got)) > 0;) got += n;
    close(s);
    body[got] = 0;
    return got;
}

static void poll_whole(const char *path, int port, int polls, const char *folder) {
    sqlite3 *db = open_database(path);
    sqlite3_stmt *insert, *poll, *begin, *commit;
    check(db, sqlite3_prepare_v2(db, INSERT, -1, &insert, NULL));
    check(db, sqlite3_prepare_v2(db, "INSERT INTO poll VALUES (?, ?)", -1, &poll, NULL));
    check(db, sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL));
    check(db, sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL));
    static char body[4 << 20], status[1 << 20];
    char name[4096], draft[4100], log[4096];
    snprintf(name, sizeof name, "%s/floor.json", folder);
    snprintf(draft, sizeof draft, "%s.tmp", name);
    snprintf(log, sizeof log, "%s/floor.log", folder);
    int log_file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644), rows = 0;
    double processor = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC), bytes = written();
    for (int p = 1; p <= polls; p++) {
        sleep(1);  // A daemon's poll finds cold caches, too.
        fetch(port, body, sizeof body);
        size_t length = sprintf(status, "{\"markets\":[");
        sqlite3_step(begin); sqlite3_reset(begin);
        sqlite3_bind_int64(poll, 1, p);
        sqlite3_bind_int64(poll, 2, (long long)(now(CLOCK_REALTIME) * 1000));
        sqlite3_step(poll); sqlite3_reset(poll);
        rows = 0;
        for (char *at = body; (at = strstr(at, "\"id\":\""));) {
            char *id = at + 6, *id_end = strchr(id, '"'), *price = strstr(id, "\"current_price\":");
            if (!price) break;
            price += 16;
            long long significand = 0;
            int exponent = 0, point = 0;
            char *c = price;
            for (; (*c >= '0' && *c <= '9') || *c == '.'; c++) {
                if (*c == '.') point = 1; else { significand = significand * 10 + *c - '0'; exponent -= point; }
            }
            if (*c == 'e' || *c == 'E') exponent += atoi(c + 1);
            put(insert, (long long)p << 20 | ++rows, significand, exponent, 30000);
            length += sprintf(status + length, "{\"market\":\"%.*s\",\"price\":\"%.*s\",\"quoted_at\":\"2026-11-21T10:00:00Z\","
                "\"fetched_at\":\"2026-11-21T10:00:00Z\",\"state\":\"fresh\",\"change_24h_percent\":1.25},",
                (int)(id_end - id), id, (int)(c - price), price);
            at = c;
        }
        check(db, sqlite3_step(commit)); sqlite3_reset(commit);
        length += sprintf(status + length - 1, "]}\n") - 1;
        int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (write(file, status, length) < 0) exit(1);
        close(file);
        rename(draft, name);
        length = sprintf(status, "2026-11-21T10:00:00.123Z info poll.ok markets=%d\n", rows);
        if (write(log_file, status, length) < 0) exit(1);
    }
    if (rows < 200) { fprintf(stderr, "floor: the answer held %d markets\n", rows); exit(1); }
    print_cost(now(CLOCK_PROCESS_CPUTIME_ID) - processor, now(CLOCK_MONOTONIC) - wall, written() - bytes, polls, rows);
}

int main(int count, char **argument) {
    if (count == 5 && !strcmp(argument[1], "record")) record(argument[2], atoi(argument[3]), atoi(argument[4]));
    else if (count == 6 && !strcmp(argument[1], "poll"))
        poll_whole(argument[2], atoi(argument[3]), atoi(argument[4]), argument[5]);
    else return 64;
    return 0;
}
