/* A native bot that answers immediately, or after a pause given in microseconds: it moves two pieces back and forth
   forever, within the rules.
   It keeps no board and parses no JSON, so that a benchmark measures the referee and not the bot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *ARMY[40] = {
    "flag", "bomb", "bomb", "bomb", "bomb", "bomb", "bomb", "spy", "marshal", "general",
    "colonel", "colonel", "major", "major", "major", "captain", "captain", "captain", "captain", "lieutenant",
    "lieutenant", "lieutenant", "lieutenant", "sergeant", "sergeant", "sergeant", "sergeant", "scout", "scout", "scout",
    "scout", "miner", "miner", "miner", "miner", "miner", "scout", "scout", "scout", "scout"};

static const char *WALK[2][4] = {
    {"\"src\":\"a4\",\"dst\":\"a5\"", "\"src\":\"b4\",\"dst\":\"b5\"", "\"src\":\"a5\",\"dst\":\"a4\"", "\"src\":\"b5\",\"dst\":\"b4\""},
    {"\"src\":\"j7\",\"dst\":\"j6\"", "\"src\":\"i7\",\"dst\":\"i6\"", "\"src\":\"j6\",\"dst\":\"j7\"", "\"src\":\"i6\",\"dst\":\"i7\""}};

static void deploy(int ask, int blue) {
    printf("{\"type\":\"act\",\"ask\":%d,\"action\":{\"type\":\"deploy\",\"pieces\":{", ask);
    for (int i = 0; i < 40; i++) {
        int row = blue ? 10 - i / 10 : 1 + i / 10;
        printf("%s\"%c%d\":\"%s\"", i ? "," : "", 'a' + i % 10, row, ARMY[i]);
    }
    printf("}}}\n");
}

int main(int argc, char **argv) {
    int pause_us = argc > 1 ? atoi(argv[1]) : 0;
    static char line[1 << 20];
    int blue = 0, turn = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"ask\"")) {
            int ask = atoi(strstr(line, "\"ask\":") + 6);
            if (strstr(line, "\"phase\":\"setup\"")) {
                deploy(ask, blue);
            } else {
                if (pause_us) usleep(pause_us); /* usleep(0) takes 60 us */
                printf("{\"type\":\"act\",\"ask\":%d,\"action\":{\"type\":\"move\",%s}}\n", ask, WALK[blue][turn++ % 4]);
            }
        } else if (strstr(line, "\"type\":\"hello\"")) {
            printf("{\"type\":\"ready\",\"protocol\":1,\"name\":\"shuffler\"}\n");
        } else if (strstr(line, "\"type\":\"start\"")) {
            blue = strstr(line, "\"seat\":\"blue\"") != NULL;
            turn = 0;
        } else if (strstr(line, "\"type\":\"bye\"")) {
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
