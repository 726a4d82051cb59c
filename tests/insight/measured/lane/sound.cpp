// Pictures pass a lane of two stations with a queue of eight.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
struct Lane {
    std::mutex m;
    std::condition_variable c;
    std::deque<double> q;
    void put(double d)
    {
        std::unique_lock<std::mutex> l(m);
        c.wait(l, [this] { return q.size() < 8; });
        q.push_back(d);
        c.notify_all();
    }
    double take()
    {
        std::unique_lock<std::mutex> l(m);
        c.wait(l, [this] { return !q.empty(); });
        double d = q.front();
        q.pop_front();
        c.notify_all();
        return d;
    }
};
static double work(double d, int n)
{
    for (int i = 0; i < n; i++)
        d = std::sin(d + i) + 0.5 * d;
    return d;
}
int main()
{
    Lane lane;
    double sum = 0;
    std::thread a([&] { for (int i = 0; i < 1500; i++) lane.put(work(i, 4000)); });
    std::thread b([&] { for (int i = 0; i < 1500; i++) sum += work(lane.take(), 4000); });
    a.join();
    b.join();
    std::printf("%f\n", sum);
}
