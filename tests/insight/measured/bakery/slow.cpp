// A bakery: bakers take orders from a shelf and bake them. The shelf stays locked while they bake.
#include <cmath>
#include <cstdio>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

struct Order {
    int loaf, minutes;
};

class Shelf {
public:
    explicit Shelf(int n)
    {
        for (int i = 0; i < n; i++)
            orders.push(Order{i, 40 + (i * 37) % 21});
    }

    bool work(const std::function<double(const Order &)> &bake)
    {
        std::lock_guard<std::mutex> guard(mutex);
        if (orders.empty())
            return false;
        Order order = orders.front();
        orders.pop();
        taste += bake(order);
        return true;
    }

    double taste = 0;

private:
    std::mutex mutex;
    std::queue<Order> orders;
};

static double bake(const Order &order)
{
    double crust = 0.5 + order.loaf % 7;
    for (int i = 0; i < order.minutes * 120; i++)
        crust += std::sin(crust + i) / (1 + i % 13);
    return crust;
}

int main()
{
    Shelf shelf(900);
    std::vector<std::thread> bakers;
    for (int i = 0; i < 2; i++)
        bakers.emplace_back([&shelf] {
            while (shelf.work(bake))
                ;
        });
    for (auto &baker : bakers)
        baker.join();
    std::printf("taste %.3f\n", shelf.taste);
}
