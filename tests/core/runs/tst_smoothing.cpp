#include "core/runs/smoothing.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace tunebench;

class TestSmoothing : public QObject {
    Q_OBJECT

private slots:
    void followsTheFormula();
    void constantHasNoNoise();
    void noWeightSmoothsNothing();
    void notFiniteChangesNothing();
    void noiseOfAlternatingLoss();
    void lossNoise();
};

void TestSmoothing::followsTheFormula()
{
    const std::vector<double> raw { 3.0, 1.0, 2.5, 0.5, 4.0 };
    const double weight = 0.6;
    const auto points = smooth(raw, weight);
    for (size_t t = 0; t < raw.size(); ++t) {
        double sum = 0;
        double weights = 0;
        for (size_t i = 0; i <= t; ++i) { // the same average written as a weighted sum
            const double share = std::pow(weight, static_cast<double>(t - i));
            sum += share * raw[i];
            weights += share;
        }
        QVERIFY(std::abs(points[t].value - sum / weights) < 1e-14);
    }
    QCOMPARE(points.front().value, 3.0);
    QCOMPARE(points.front().noise, 0.0);
}

void TestSmoothing::constantHasNoNoise()
{
    for (const SmoothedPoint& point : smooth(std::vector<double>(50, 1.25))) {
        QVERIFY(std::abs(point.value - 1.25) < 1e-12);
        QVERIFY(point.noise < 1e-12);
    }
}

void TestSmoothing::noWeightSmoothsNothing()
{
    const std::vector<double> raw { 3.0, 1.0, 2.5 };
    const auto points = smooth(raw, 0);
    for (size_t i = 0; i < raw.size(); ++i) {
        QCOMPARE(points[i].value, raw[i]);
        QCOMPARE(points[i].noise, 0.0);
    }
}

void TestSmoothing::notFiniteChangesNothing()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Smoother smoother;
    QCOMPARE(smoother.add(nan).value, 0.0);
    smoother.add(2);
    const SmoothedPoint before = smoother.add(3);
    QCOMPARE(smoother.add(nan).value, before.value);
    QCOMPARE(smoother.add(std::numeric_limits<double>::infinity()).noise, before.noise);
}

void TestSmoothing::noiseOfAlternatingLoss()
{
    // Raw 1, -1, 1, ... with weight w tends to smoothed +-(1 - w) / (1 + w), so the residual is 1 - that = 2 w / (1 +
    // w).
    const double weight = 0.9;
    Smoother smoother(weight);
    SmoothedPoint last;
    for (int i = 0; i < 2000; ++i) {
        last = smoother.add(i % 2 == 0 ? 1 : -1);
    }
    QVERIFY(std::abs(last.noise - 2 * weight / (1 + weight)) < 1e-9);
}

void TestSmoothing::lossNoise()
{
    const std::vector<double> raw { 9.0, 5.0, 3.0, 2.9, 3.2, 2.7, 3.1, 2.8 };
    const auto points = smooth(raw);
    LossNoise noise(3);
    std::vector<double> residuals;
    for (size_t i = 0; i < raw.size(); ++i) {
        QCOMPARE(noise.value().has_value(), residuals.size() >= 2);
        noise.add(raw[i]);
        if (i >= 3) {
            residuals.push_back(raw[i] - points[i].value);
        }
    }
    double mean = 0;
    for (const double residual : residuals) {
        mean += residual / static_cast<double>(residuals.size());
    }
    double squares = 0;
    for (const double residual : residuals) {
        squares += (residual - mean) * (residual - mean);
    }
    const double expected = std::sqrt(squares / static_cast<double>(residuals.size() - 1));
    QVERIFY(std::abs(*noise.value() - expected) < 1e-12);
}

QTEST_GUILESS_MAIN(TestSmoothing)
#include "tst_smoothing.moc"
