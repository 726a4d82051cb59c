// A jury: judges rate entries; longer entries come later, and each judge has a half of the list.
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

struct Entry {
    int pages;
    double mark;
};

struct Judge {
    std::vector<Entry> &entries;
    std::size_t from, to;
    void operator()() const
    {
        for (std::size_t i = from; i < to; i++)
            entries[i].mark = rate(entries[i]);
    }
    static double rate(const Entry &e)
    {
        double mark = 1;
        for (int p = 0; p < e.pages * 60; p++)
            mark += std::log(1 + std::fabs(std::sin(mark + p)));
        return mark / e.pages;
    }
};

int main()
{
    std::vector<Entry> entries;
    for (int i = 0; i < 600; i++)
        entries.push_back({2 + i / 3, 0});
    std::vector<std::thread> jury;
    const std::size_t judges = 2, share = entries.size() / judges;
    for (std::size_t j = 0; j < judges; j++)
        jury.emplace_back(Judge{entries, j * share, (j + 1) * share});
    for (auto &judge : jury)
        judge.join();
    double sum = 0;
    for (const auto &e : entries)
        sum += e.mark;
    std::printf("sum %.6f\n", sum);
}
