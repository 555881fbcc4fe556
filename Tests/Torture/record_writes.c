/* Records, in their order, what a program does to the files below a folder: loaded by LD_PRELOAD, built by power_loss.py.

   RECORD_BELOW names the folder, RECORD_TO the file that is appended to. A record is one line and its data:
       KIND INODE OFFSET LENGTH PATH\n DATA
   KIND is W (write), T (truncate to OFFSET), S (sync), C (create PATH), R (rename PATH to DATA), L (link PATH as DATA),
   U (unlink PATH), N (what was written to a socket, so that its order beside the files is known).

   Writes through mmap are not seen: SQLite maps only its -shm, which it rebuilds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 65536

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static char below[4096];
static int journal = -1;
static unsigned long long inode_of[MOST]; /* 0: a descriptor that is not recorded */

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("RECORD_BELOW"), *file = getenv("RECORD_TO");
    if (!folder || !file || strlen(folder) >= sizeof below) return;
    strcpy(below, folder);
    int opened = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    journal = fcntl(opened, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, opened);
}

static int is_below(const char *path) { return journal >= 0 && path && !strncmp(path, below, strlen(below)); }

/* The lock is held: the record stands where the operation does. */
static void record(char kind, unsigned long long inode, long long offset, const char *path, const void *data, size_t length) {
    char head[8300];
    int count = snprintf(head, sizeof head, "%c %llu %lld %zu %s\n", kind, inode, offset, length, path ? path : "-");
    struct iovec parts[2] = {{head, (size_t)count}, {(void *)data, length}};
    syscall(SYS_writev, journal, parts, length ? 2 : 1);
}

static unsigned long long inode(int fd) { return fd >= 0 && fd < MOST ? inode_of[fd] : 0; }

static int opened(int fd, const char *path, int flags, int was_there) {
    struct stat found;
    if (fd < 0 || fd >= MOST || fstat(fd, &found) || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return fd;
    inode_of[fd] = found.st_ino;
    if (!was_there && S_ISREG(found.st_mode)) record('C', found.st_ino, 0, path, "", 0);
    if (was_there && (flags & O_TRUNC)) record('T', found.st_ino, 0, path, "", 0);
    return fd;
}

static int do_open(int folder, const char *path, int flags, unsigned mode) {
    if (!is_below(path)) {
        int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
        if (fd >= 0 && fd < MOST) inode_of[fd] = 0;
        return fd;
    }
    pthread_mutex_lock(&order);
    int was_there = !access(path, F_OK);
    int fd = opened((int)syscall(SYS_openat, folder, path, flags, mode), path, flags, was_there);
    pthread_mutex_unlock(&order);
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); unsigned mode = va_arg(more, unsigned); va_end(more); \
        return do_open(AT_FDCWD, path, flags, mode); }
OPEN(open) OPEN(open64)
#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); unsigned mode = va_arg(more, unsigned); va_end(more); \
        return do_open(folder, path, flags, mode); }
OPENAT(openat) OPENAT(openat64)

int close(int fd) {
    if (fd == journal) return 0;
    if (fd >= 0 && fd < MOST) inode_of[fd] = 0;
    return (int)syscall(SYS_close, fd);
}

static void record_socket(int fd, const struct iovec *parts, int count) {
    struct stat found;
    if (journal < 0 || fstat(fd, &found) || !S_ISSOCK(found.st_mode)) return;
    for (int i = 0; i < count; i++)
        if (parts[i].iov_len) record('N', 0, fd, NULL, parts[i].iov_base, parts[i].iov_len < 65536 ? parts[i].iov_len : 65536);
}

static ssize_t do_writev(int fd, const struct iovec *parts, int count, long long offset) {
    unsigned long long file = inode(fd);
    if (!file) {
        pthread_mutex_lock(&order);
        record_socket(fd, parts, count);
        pthread_mutex_unlock(&order);
        return offset < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, offset, 0);
    }
    pthread_mutex_lock(&order);
    if (offset < 0) {
        struct stat found;
        int appends = (int)syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND;
        offset = appends && !fstat(fd, &found) ? found.st_size : lseek(fd, 0, SEEK_CUR);
        ssize_t written = syscall(SYS_writev, fd, parts, count);
        for (ssize_t i = 0, rest = written; i < count && rest > 0; i++) {
            size_t length = (ssize_t)parts[i].iov_len < rest ? parts[i].iov_len : (size_t)rest;
            record('W', file, offset, NULL, parts[i].iov_base, length);
            offset += (long long)length;
            rest -= (ssize_t)length;
        }
        pthread_mutex_unlock(&order);
        return written;
    }
    ssize_t written = syscall(SYS_pwrite64, fd, parts[0].iov_base, parts[0].iov_len, offset);
    if (written > 0) record('W', file, offset, NULL, parts[0].iov_base, (size_t)written);
    pthread_mutex_unlock(&order);
    return written;
}

ssize_t write(int fd, const void *data, size_t length) {
    if (journal < 0) return syscall(SYS_write, fd, data, length);
    struct iovec part = {(void *)data, length};
    return do_writev(fd, &part, 1, -1);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return do_writev(fd, parts, count, -1); }
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
    struct iovec part = {(void *)data, length};
    return do_writev(fd, &part, 1, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) { return pwrite(fd, data, length, offset); }

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    pthread_mutex_lock(&order);
    record_socket(fd, message->msg_iov, (int)message->msg_iovlen);
    pthread_mutex_unlock(&order);
    return syscall(SYS_sendmsg, fd, message, flags);
}

/* The record of a sync stands behind it: what the disk has is what was written before the sync began, so that the
   record counts only those. The lock keeps other writes out meanwhile. */
static int synced(int fd, long number) {
    if (!inode(fd)) return (int)syscall(number, fd);
    pthread_mutex_lock(&order);
    int failed = (int)syscall(number, fd);
    if (!failed) record('S', inode(fd), 0, NULL, "", 0);
    pthread_mutex_unlock(&order);
    return failed;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

int ftruncate(int fd, off_t size) {
    pthread_mutex_lock(&order);
    int failed = (int)syscall(SYS_ftruncate, fd, size);
    if (!failed && inode(fd)) record('T', inode(fd), size, NULL, "", 0);
    pthread_mutex_unlock(&order);
    return failed;
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

#define NAMES(number, kind, from, to, ...) \
    pthread_mutex_lock(&order); \
    int failed = (int)syscall(number, __VA_ARGS__); \
    if (!failed && (is_below(from) || is_below(to))) record(kind, 0, 0, from, to, strlen(to)); \
    pthread_mutex_unlock(&order); \
    return failed;

int rename(const char *from, const char *to) { NAMES(SYS_rename, 'R', from, to, from, to) }
int link(const char *from, const char *to) { NAMES(SYS_link, 'L', from, to, from, to) }
int unlink(const char *path) { NAMES(SYS_unlink, 'U', path, "", path) }
int unlinkat(int folder, const char *path, int flags) { NAMES(SYS_unlinkat, 'U', path, "", folder, path, flags) }
int remove(const char *path) { return unlink(path); }
