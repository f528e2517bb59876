/*
 * A program that uses CUDA: takes memory of devices, and does what its arguments say, one after another. It is linked
 * with the library of test_run_gpu.py that has CUDA's name and answers nothing.
 *
 *   device N        the next ones happen there
 *   take MIB        cudaMalloc; the program ends with 7 where it fails, but says so
 *   try MIB         the same, and goes on
 *   give            gives back what was taken last
 *   free            prints the free and the whole memory
 *   roundtrip       writes and reads back
 *   read            reads what nobody wrote
 *   unknown         calls a function that no stand-in has
 *   threads         takes and gives back 1 MiB 200 times in each of 8 threads
 *   fork MIB        a child takes so much, and ends
 *   killed MIB      a child takes so much, and is killed
 *   inherit MIB     a child takes so much, gives back what its parent holds, takes as much again, and ends
 *   children N      so many children, one after the other, take 1 GiB and end
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern int
cudaSetDevice(int device);
extern int
cudaGetDeviceCount(int *count);
extern int
cudaMalloc(void **address, size_t bytes);
extern int
cudaFree(void *address);
extern int
cudaMemGetInfo(size_t *available, size_t *total);
extern int
cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern const char *
cudaGetErrorString(int error);
extern int
cudaNobodyKnowsThis(int number);

enum { MOST = 64, THREADS = 8, ROUNDS = 200, FAILED = 7 };
static void *taken[MOST];
static int count;

static int
take(const char *mib)
{
    int error = cudaMalloc(&taken[count], (size_t)atoll(mib) << 20);

    if (error)
        printf("%s MiB: %s\n", mib, cudaGetErrorString(error));
    else
        count++;
    return error;
}

static void
roundtrip(void)
{
    char sent[] = "what the host wrote", got[sizeof sent] = "";

    cudaMalloc(&taken[count], sizeof sent);
    cudaMemcpy(taken[count], sent, sizeof sent, 1);
    cudaMemcpy(got, taken[count], sizeof got, 2);
    cudaFree(taken[count]);
    puts(got);
}

static void
read_nothing(void)
{
    double value = 1;

    cudaMalloc(&taken[count], sizeof value);
    cudaMemcpy(&value, taken[count], sizeof value, 2);
    printf("%g\n", value);
    cudaFree(taken[count]);
}

static void *
rounds(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++) {
        void *address;

        if (cudaMalloc(&address, 1 << 20) == 0)
            cudaFree(address);
    }
    return nothing;
}

static void
run_threads(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, rounds, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void
run_child(const char *mib, int killed)
{
    pid_t child = fork();

    if (child == 0) {
        int failed = take(mib) != 0;

        if (killed)
            raise(SIGKILL);
        exit(failed);
    }
    waitpid(child, NULL, 0);
}

static void
run_heir(const char *mib)
{
    pid_t child = fork();

    if (child == 0) {
        int mine = count, failed = take(mib) != 0;

        for (int i = 0; i < mine; i++)
            cudaFree(taken[i]);
        failed += take(mib) != 0;
        exit(failed);
    }
    waitpid(child, NULL, 0);
}

static void
print_free(void)
{
    size_t available, total;
    int devices;

    cudaGetDeviceCount(&devices);
    cudaMemGetInfo(&available, &total);
    printf("%d devices, %zu of %zu MiB free\n", devices, available >> 20, total >> 20);
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "device") == 0)
            cudaSetDevice(atoi(argv[++i]));
        else if (strcmp(argv[i], "take") == 0 && take(argv[++i]))
            return FAILED;
        else if (strcmp(argv[i], "try") == 0)
            take(argv[++i]);
        else if (strcmp(argv[i], "give") == 0)
            cudaFree(taken[--count]);
        else if (strcmp(argv[i], "free") == 0)
            print_free();
        else if (strcmp(argv[i], "roundtrip") == 0)
            roundtrip();
        else if (strcmp(argv[i], "read") == 0)
            read_nothing();
        else if (strcmp(argv[i], "unknown") == 0)
            printf("unknown: %s\n", cudaGetErrorString(cudaNobodyKnowsThis(1)));
        else if (strcmp(argv[i], "threads") == 0)
            run_threads();
        else if (strcmp(argv[i], "fork") == 0 || strcmp(argv[i], "killed") == 0)
            run_child(next, strcmp(argv[i++], "killed") == 0);
        else if (strcmp(argv[i], "inherit") == 0)
            run_heir(argv[++i]);
        else if (strcmp(argv[i], "children") == 0)
            for (int children = atoi(argv[++i]); children > 0; children--)
                run_child("1024", 0);
    }
    return 0;
}
