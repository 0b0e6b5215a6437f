/* Starts threads, and prints `ok`. */
#include <pthread.h>
#include <stdio.h>

static void *nothing(void *argument) { return argument; }

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], 0, nothing, 0)) return 1;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    puts("ok");
    return 0;
}
