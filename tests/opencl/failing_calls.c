/* An OpenCL library that forwards each call to the system's loader, and lets
 * one call fail with a status of the test's choice. RUNGRAD_OPENCL_LIBRARY
 * loads it instead of the loader; failing_calls.rs controls it.
 *
 * Every OpenCL function takes only integers and pointers, so one signature of
 * machine words forwards them all on the 64-bit ABIs of Linux. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef long word;
typedef word function(word, word, word, word, word, word, word, word, word,
                      word, word, word, word, word);
#define PARAMETERS                                                             \
    word a, word b, word c, word d, word e, word f, word g, word h, word i,    \
        word j, word k, word l, word m, word n
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n

struct counter {
    const char *name;
    long calls;
};

#define MAX_FUNCTIONS 128
static struct counter *counters[MAX_FUNCTIONS];
static int functions;

/* Guards the counts and the choice below: one thread changes the choice while
 * others make calls. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The call to fail: the n-th of `chosen` (of all functions if it is "*"). */
static char chosen[64];
static long position, seen;
static int failure_status, all_that_follow;

/* Makes the n-th call from now on fail, counted from 0, and resets the counts.
 * An empty name makes no call fail. */
void fail_call(const char *name, long n, int status, int and_all_that_follow)
{
    pthread_mutex_lock(&lock);
    strncpy(chosen, name, sizeof chosen - 1);
    position = n;
    seen = 0;
    failure_status = status;
    all_that_follow = and_all_that_follow;
    for (int at = 0; at < functions; at++)
        counters[at]->calls = 0;
    pthread_mutex_unlock(&lock);
}

/* Returns the calls of the index-th function since then, and its name. */
long calls_of(int index, const char **name)
{
    if (index >= functions)
        return -1;
    *name = counters[index]->name;
    pthread_mutex_lock(&lock);
    long calls = counters[index]->calls;
    pthread_mutex_unlock(&lock);
    return calls;
}

/* Counts a call. Returns the status of its failure, or 0 to forward it. */
static int count_call(struct counter *counter)
{
    int status = 0;
    pthread_mutex_lock(&lock);
    counter->calls++;
    if (!strcmp(chosen, counter->name) || !strcmp(chosen, "*")) {
        long at = seen++;
        if (all_that_follow ? at >= position : at == position)
            status = failure_status;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void *real(const char *name)
{
    static void *loader;
    if (!loader)
        loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    return dlsym(loader, name);
}

#define FORWARD(name, when_it_fails)                                           \
    static struct counter counter_##name = {#name, 0};                         \
    __attribute__((constructor)) static void register_##name(void)             \
    {                                                                          \
        counters[functions++] = &counter_##name;                               \
    }                                                                          \
    word name(PARAMETERS)                                                      \
    {                                                                          \
        static function *forward;                                              \
        int status = count_call(&counter_##name);                              \
        if (status) {                                                          \
            when_it_fails;                                                     \
        }                                                                      \
        if (!forward)                                                          \
            forward = (function *)real(#name);                                 \
        return forward(ARGUMENTS);                                             \
    }

/* Functions that return a status. */
#define STATUS(name) FORWARD(name, return status)
/* Functions that return an object, and take the address of the status. */
#define OBJECT(name, address)                                                  \
    FORWARD(name, if (address) *(int *)(address) = status; return 0)

STATUS(clGetPlatformIDs) STATUS(clGetPlatformInfo)
STATUS(clGetDeviceIDs) STATUS(clGetDeviceInfo)
STATUS(clRetainDevice) STATUS(clReleaseDevice)
STATUS(clRetainContext) STATUS(clReleaseContext) STATUS(clGetContextInfo)
STATUS(clRetainCommandQueue) STATUS(clReleaseCommandQueue)
STATUS(clGetCommandQueueInfo)
STATUS(clRetainMemObject) STATUS(clReleaseMemObject)
STATUS(clGetMemObjectInfo)
STATUS(clRetainProgram) STATUS(clReleaseProgram) STATUS(clBuildProgram)
STATUS(clGetProgramInfo) STATUS(clGetProgramBuildInfo)
STATUS(clRetainKernel) STATUS(clReleaseKernel) STATUS(clSetKernelArg)
STATUS(clGetKernelInfo) STATUS(clGetKernelArgInfo)
STATUS(clGetKernelWorkGroupInfo)
STATUS(clWaitForEvents) STATUS(clGetEventInfo)
STATUS(clRetainEvent) STATUS(clReleaseEvent)
STATUS(clGetEventProfilingInfo)
STATUS(clFlush) STATUS(clFinish)
STATUS(clEnqueueReadBuffer) STATUS(clEnqueueWriteBuffer)
STATUS(clEnqueueNDRangeKernel)
OBJECT(clCreateContext, f) OBJECT(clCreateCommandQueue, d)
OBJECT(clCreateBuffer, e) OBJECT(clCreateProgramWithSource, e)
OBJECT(clCreateProgramWithBinary, g) OBJECT(clCreateKernel, c)

/* What a test chooses before its process starts: NAME:N:STATUS. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *choice = getenv("FAIL_CALL");
    if (!choice)
        return;
    char copy[64] = {0};
    strncpy(copy, choice, sizeof copy - 1);
    const char *name = strtok(copy, ":");
    long n = atol(strtok(NULL, ":"));
    fail_call(name, n, atoi(strtok(NULL, ":")), 0);
}
