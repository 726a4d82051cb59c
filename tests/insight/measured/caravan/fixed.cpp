// A caravan crosses dunes: a guide plans each stage, and the camels walk it. The plan of a stage is asked of
// a scout, a thread that works while the camels go on.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

class Scout {
public:
    Scout() : thread([this] { run(); }) {}
    ~Scout()
    {
        {
            std::unique_lock<std::mutex> guard(mutex);
            while (busy)
                changed.wait(guard);
            stop = true;
        }
        changed.notify_all();
        thread.join();
    }
    void send(double from)
    {
        std::unique_lock<std::mutex> guard(mutex);
        while (busy)
            changed.wait(guard);
        start = from;
        busy = true;
        changed.notify_all();
    }
    double height = 0;

private:
    void run()
    {
        std::unique_lock<std::mutex> guard(mutex);
        for (;;) {
            changed.wait(guard, [this] { return busy || stop; });
            if (stop)
                return;
            double from = start;
            guard.unlock();
            double sum = 0;
            for (int i = 0; i < 4000; i++)
                sum += std::sin(from + 0.01 * i) * std::sin(0.7 * from + i);
            guard.lock();
            height += sum;
            busy = false;
            changed.notify_all();
        }
    }
    std::mutex mutex;
    std::condition_variable changed;
    double start = 0;
    bool busy = false, stop = false;
    std::thread thread;
};

static double walk(double from)
{
    double way = from;
    for (int i = 0; i < 4500; i++)
        way += std::cos(way) / (1 + i);
    return way;
}

int main()
{
    double way = 0;
    Scout scout;
    for (int stage = 0; stage < 900; stage++) {
        way += walk(0.3 * stage);
        scout.send(0.3 * stage);
    }
    std::printf("way %.6f\n", way);
    return 0;
}
