/* Loaded before libc (LD_PRELOAD): a disk that takes its time to sync, and a machine whose clock was set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Two numbers in a file that the test writes: how long a sync takes, and how far the clock is off (whole seconds), in milliseconds. */
static volatile int64_t *wanted;

__attribute__((constructor)) static void map_wishes(void)
{
    const char *path = getenv("DISK_AND_CLOCK");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    void *mapped = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        wanted = mapped;
}

static void take_time(void)
{
    int64_t left_ms = wanted == NULL ? 0 : wanted[0];
    struct timespec left = {left_ms / 1000, left_ms % 1000 * 1000000};
    while (left_ms > 0 && nanosleep(&left, &left) != 0)
        ;
}

int fsync(int file)
{
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    take_time();
    return real(file);
}

int fdatasync(int file)
{
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    take_time();
    return real(file);
}

static int64_t off_ms(void)
{
    return wanted == NULL ? 0 : wanted[1];
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, at);
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec += off_ms() / 1000;
    return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    static int (*real)(struct timeval *, void *);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "gettimeofday");
    int failed = real(at, zone);
    if (failed == 0)
        at->tv_sec += off_ms() / 1000;
    return failed;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL)
        *at = now.tv_sec;
    return now.tv_sec;
}
