#include "core/ops/attention.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/gated_mlp.h"
#include "core/ops/linear.h"
#include "core/ops/rms_norm.h"
#include "core/ops/rope.h"
#include "core/ops/views.h"
#include "tests/core/train/tiny_models.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/all.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/zeros_like.h>
#include <QTest>
#include <cmath>
#include <numbers>

using namespace tunebench;
using namespace tunebench::test;

namespace {

const auto fp32 = at::TensorOptions().dtype(at::kFloat);
const auto fp64 = at::TensorOptions().dtype(at::kDouble);

/// d/dt f(x + t * direction) at t = 0, by central differences in fp64.
template <class Function> double slope(Function f, const at::Tensor& x, const at::Tensor& direction)
{
    constexpr double t = 1e-5;
    return (f(x + direction * t) - f(x - direction * t)) / (2 * t);
}

double sumOfProducts(const at::Tensor& a, const at::Tensor& b)
{
    return (a.to(at::kDouble) * b.to(at::kDouble)).sum().item<double>();
}

/// Attention written down as it is defined, fp64.
at::Tensor plainAttention(
    const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, SegmentStarts segments, const AttentionRule& rule)
{
    const int64_t group = q.size(1) / k.size(1);
    auto output = at::zeros_like(q);
    for (size_t s = 0; s + 1 < segments.size(); ++s) {
        const int64_t start = segments[s], length = segments[s + 1] - start;
        for (int64_t head = 0; head < q.size(1); ++head) {
            const auto qh = q.narrow(0, start, length).select(1, head);
            const auto kh = k.narrow(0, start, length).select(1, head / group);
            const auto vh = v.narrow(0, start, length).select(1, head / group);
            auto scores = at::matmul(qh, kh.t()) * rule.scale;
            if (rule.softcap > 0)
                scores = (scores / rule.softcap).tanh() * rule.softcap;
            auto allowed = at::ones_like(scores).tril();
            if (rule.window > 0)
                allowed = allowed.triu(1 - rule.window);
            scores = scores.masked_fill(allowed == 0, -INFINITY);
            output.narrow(0, start, length).select(1, head).copy_(at::matmul(at::softmax(scores, -1), vh));
        }
    }
    return output;
}

} // namespace

/// Each building block against its definition, and its gradient against differences of that.
class TestOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void attentionIsItsDefinition_data()
    {
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("keyValueHeads");
        QTest::addColumn<QList<qlonglong>>("starts");
        QTest::addColumn<int>("window");
        QTest::addColumn<double>("softcap");
        using Starts = QList<qlonglong>;
        QTest::newRow("one segment") << 4 << 4 << Starts { 0, 9 } << 0 << 0.0;
        QTest::newRow("grouped heads, many segments") << 6 << 2 << Starts { 0, 1, 5, 17, 18 } << 0 << 0.0;
        QTest::newRow("one key-value head, longer than a block") << 3 << 1 << Starts { 0, 3, 303 } << 0 << 0.0;
        QTest::newRow("soft cap") << 3 << 1 << Starts { 0, 3, 303 } << 0 << 1.5;
        for (const int window : { 1, 2, 5, 127, 128, 129, 200, 302, 303 })
            QTest::addRow("window of %d", window) << 4 << 2 << Starts { 0, 3, 306, 310 } << window << 0.0;
        QTest::newRow("window and soft cap") << 4 << 2 << Starts { 0, 3, 306 } << 70 << 2.0;
    }

    void attentionIsItsDefinition()
    {
        QFETCH(int, heads);
        QFETCH(int, keyValueHeads);
        QFETCH(QList<qlonglong>, starts);
        QFETCH(int, window);
        QFETCH(double, softcap);
        const AttentionRule rule { 0.4, softcap, window };
        const std::vector<int64_t> segments(starts.begin(), starts.end());
        const int64_t tokens = segments.back();
        const auto q = at::randn({ tokens, heads, 8 }, fp64);
        const auto k = at::randn({ tokens, keyValueHeads, 8 }, fp64);
        const auto v = at::randn({ tokens, keyValueHeads, 8 }, fp64);
        const auto single = [](const at::Tensor& x) { return x.to(at::kFloat); };
        const auto output = attention(single(q), single(k), single(v), segments, rule);
        QVERIFY(relativeDistance(output, plainAttention(q, k, v, segments, rule)) < 1e-6);

        const auto g = at::randn({ tokens, heads, 8 }, fp64);
        const auto gradients = attentionBackward(single(g), single(q), single(k), single(v), segments, rule);
        const auto dq = at::randn_like(q), dk = at::randn_like(k), dv = at::randn_like(v);
        const auto value = [&](const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
            return sumOfProducts(g, plainAttention(a, b, c, segments, rule));
        };
        const double byQuery = slope([&](const at::Tensor& x) { return value(x, k, v); }, q, dq);
        const double byKey = slope([&](const at::Tensor& x) { return value(q, x, v); }, k, dk);
        const double byValue = slope([&](const at::Tensor& x) { return value(q, k, x); }, v, dv);
        const double size = std::sqrt(static_cast<double>(q.numel()));
        QVERIFY(std::abs(sumOfProducts(gradients.query, dq) - byQuery) < 1e-5 * size);
        QVERIFY(std::abs(sumOfProducts(gradients.key, dk) - byKey) < 1e-5 * size);
        QVERIFY(std::abs(sumOfProducts(gradients.value, dv) - byValue) < 1e-5 * size);
    }

    void rotationTurnsBack()
    {
        const auto angles = at::randn({ 7, 1, 4 }, fp32);
        const RopeAngles rope { angles.cos(), angles.sin() };
        const auto x = at::randn({ 7, 3, 11 }, fp32); // the last three of each head stay
        const auto turned = x.clone();
        rotate(turned, rope);
        QVERIFY(relativeDistance(turned.norm(), x.norm()) < 1e-6);
        const auto first = x.narrow(-1, 0, 4) * rope.cosine - x.narrow(-1, 4, 4) * rope.sine;
        QVERIFY(relativeDistance(turned.narrow(-1, 0, 4), first) < 1e-6);
        QVERIFY(at::equal(turned.narrow(-1, 8, 3), x.narrow(-1, 8, 3)));
        rotateBack(turned, rope);
        QVERIFY(relativeDistance(turned, x) < 1e-6);
    }

    void normGradientIsTheSlope()
    {
        const auto x = at::randn({ 5, 16 }, fp64), w = at::randn({ 16 }, fp64), g = at::randn({ 5, 16 }, fp64);
        const auto plain = [&](const at::Tensor& input, const at::Tensor& weight) {
            return sumOfProducts(g, input * (input.square().mean(-1, true) + 1e-5).rsqrt() * weight);
        };
        const auto xf = x.to(at::kFloat), wf = w.to(at::kFloat);
        const auto scale = rmsNormScale(xf, 1e-5);
        QVERIFY(std::abs(sumOfProducts(g, rmsNorm(xf, scale, wf)) - plain(x, w)) < 1e-4);
        auto weightGradient = at::zeros_like(wf);
        const auto gradient = rmsNormBackward(g.to(at::kFloat), xf, scale, wf, weightGradient);
        const auto dx = at::randn_like(x), dw = at::randn_like(w);
        QVERIFY(std::abs(sumOfProducts(gradient, dx) - slope([&](const at::Tensor& v) { return plain(v, w); }, x, dx))
            < 1e-4);
        QVERIFY(
            std::abs(sumOfProducts(weightGradient, dw) - slope([&](const at::Tensor& v) { return plain(x, v); }, w, dw))
            < 1e-4);
    }

    void gatedActivationGradientIsTheSlope_data()
    {
        QTest::addColumn<int>("activation");
        QTest::newRow("silu") << static_cast<int>(Activation::silu);
        QTest::newRow("gelu by tanh") << static_cast<int>(Activation::geluTanh);
    }

    void gatedActivationGradientIsTheSlope()
    {
        QFETCH(int, activation);
        const auto gate = at::randn({ 4, 9 }, fp64), up = at::randn({ 4, 9 }, fp64), g = at::randn({ 4, 9 }, fp64);
        const auto plain = [&](const at::Tensor& a, const at::Tensor& b) {
            const auto inner = (a + a.pow(3) * 0.044715) * std::sqrt(2 / std::numbers::pi);
            const auto gated
                = activation == static_cast<int>(Activation::silu) ? a * a.sigmoid() : a * (inner.tanh() + 1) * 0.5;
            return sumOfProducts(g, gated * b);
        };
        const auto single = [](const at::Tensor& x) { return x.to(at::kFloat); };
        QVERIFY(
            std::abs(sumOfProducts(g, gatedActivation(single(gate), single(up), static_cast<Activation>(activation)))
                - plain(gate, up))
            < 1e-4);
        const auto gradients
            = gatedActivationBackward(single(g), single(gate), single(up), static_cast<Activation>(activation));
        const auto d = at::randn_like(gate);
        QVERIFY(std::abs(sumOfProducts(gradients.gate, d)
                    - slope([&](const at::Tensor& x) { return plain(x, up); }, gate, d))
            < 1e-4);
        QVERIFY(
            std::abs(sumOfProducts(gradients.up, d) - slope([&](const at::Tensor& x) { return plain(gate, x); }, up, d))
            < 1e-4);
    }

    void crossEntropyIsItsDefinition_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<int>("frozenIn"); // the head's type; -1: fp32 and trained
        QTest::addColumn<bool>("wide"); // fp16 input, products in fp32
        QTest::addColumn<double>("softcap");
        const auto bf16 = static_cast<int>(at::kBFloat16), fp16 = static_cast<int>(at::kHalf);
        QTest::newRow("one chunk") << 5 << 40 << -1 << false << 0.0;
        QTest::newRow("several chunks") << 1500 << 9000 << -1 << false << 0.0;
        QTest::newRow("several chunks, soft cap") << 1500 << 9000 << -1 << false << 3.0;
        QTest::newRow("head in bf16, cast in blocks") << 70 << 20000 << bf16 << false << 0.0;
        QTest::newRow("wider products, head in fp16") << 70 << 20000 << fp16 << true << 0.0;
        QTest::newRow("wider products, trained head") << 1500 << 9000 << -1 << true << 0.0;
    }

    void crossEntropyIsItsDefinition()
    {
        QFETCH(int, rows);
        QFETCH(int, vocabulary);
        QFETCH(int, frozenIn);
        QFETCH(bool, wide);
        QFETCH(double, softcap);
        Parameter head { "head", at::randn({ vocabulary, 12 }, fp32), {} };
        if (frozenIn >= 0)
            head.value = head.value.to(static_cast<at::ScalarType>(frozenIn));
        else
            head.gradient = at::zeros_like(head.value);
        if (wide)
            head.products = at::kFloat;
        const auto hidden = at::randn({ rows, 12 }, fp32).to(wide ? at::kHalf : at::kFloat);
        const auto targets = at::randint(vocabulary, { rows }, fp32.dtype(at::kLong));
        const auto exactHead = head.value.to(at::kDouble);
        auto logits = at::matmul(hidden.to(at::kDouble), exactHead.t());
        auto slope = at::ones_like(logits);
        if (softcap > 0) {
            slope = 1 - (logits / softcap).tanh().square();
            logits = (logits / softcap).tanh() * softcap;
        }
        const auto right = at::logsumexp(logits, { 1 }) - logits.gather(1, targets.unsqueeze(1)).squeeze(1);
        QVERIFY(relativeDistance(linearCrossEntropy(hidden, head, targets, softcap), right) < 1e-6);

        at::Tensor gradient;
        const auto weights = at::rand({ rows }, fp32);
        constexpr double fp16Rounding = 5e-4;
        const auto losses = linearCrossEntropyWithGradient(hidden, head, targets, weights, gradient, softcap);
        QVERIFY(relativeDistance(losses, right) < 1e-6);
        const auto exactWeights = weights.to(at::kDouble).unsqueeze(1);
        auto logitGradient = at::softmax(logits, -1) * exactWeights;
        logitGradient.scatter_add_(1, targets.unsqueeze(1), -exactWeights);
        logitGradient.mul_(slope);
        QVERIFY(relativeDistance(gradient, at::matmul(logitGradient, exactHead)) < (wide ? fp16Rounding : 1e-5));
        if (head.trained())
            QVERIFY(relativeDistance(head.gradient, at::matmul(logitGradient.t(), hidden.to(at::kDouble))) < 1e-5);
    }

    void lowRankUpdateIsTheMergedWeight()
    {
        const auto parameter = [](at::Tensor value, bool trained) {
            auto gradient = trained ? at::zeros_like(value) : at::Tensor();
            return Parameter { "p", std::move(value), std::move(gradient) };
        };
        Linear layer { parameter(at::randn({ 6, 10 }, fp32), false), parameter(at::randn({ 6 }, fp32), false), {} };
        layer.lora = LoraPair { parameter(at::randn({ 3, 10 }, fp32), true), parameter(at::randn({ 6, 3 }, fp32), true),
            {}, 0.5 };
        const auto merged = layer.weight.value + 0.5 * at::matmul(layer.lora->b.value, layer.lora->a.value);
        const auto x = at::randn({ 8, 10 }, fp32), g = at::randn({ 8, 6 }, fp32);
        QVERIFY(relativeDistance(linear(layer, x), at::matmul(x, merged.t()) + layer.bias.value) < 1e-5);
        at::Tensor inputGradient;
        linearBackward(layer, g, x, inputGradient);
        QVERIFY(relativeDistance(inputGradient, at::matmul(g, merged)) < 1e-5);
        const auto weightGradient = at::matmul(g.t(), x);
        QVERIFY(
            relativeDistance(layer.lora->a.gradient, 0.5 * at::matmul(layer.lora->b.value.t(), weightGradient)) < 1e-5);
        QVERIFY(
            relativeDistance(layer.lora->b.gradient, 0.5 * at::matmul(weightGradient, layer.lora->a.value.t())) < 1e-5);
    }

    void loraPassIsItsDefinition_data()
    {
        QTest::addColumn<bool>("dora");
        QTest::addColumn<double>("share");
        QTest::addColumn<bool>("wide"); // fp16 input and weight, products in fp32
        for (const bool wide : { false, true }) {
            const char* what = wide ? ", wider products" : "";
            QTest::addRow("plain%s", what) << false << 0.0 << wide;
            QTest::addRow("dropout%s", what) << false << 0.4 << wide;
            QTest::addRow("DoRA%s", what) << true << 0.0 << wide;
            QTest::addRow("DoRA, dropout%s", what) << true << 0.4 << wide;
        }
    }

    /// PEFT's forward passes written down, differentiated by autograd with the same mask.
    void loraPassIsItsDefinition()
    {
        QFETCH(bool, dora);
        QFETCH(double, share);
        QFETCH(bool, wide);
        const auto products = wide ? std::optional(at::kFloat) : std::nullopt;
        const auto type = wide ? at::kHalf : at::kFloat;
        const double tolerance = wide ? 2e-3 : 1e-5; // several roundings to fp16
        const auto trained = [&](const at::Tensor& value) {
            return Parameter { .name = "p", .value = value, .gradient = at::zeros_like(value), .products = products };
        };
        Linear layer { { .name = "w", .value = at::randn({ 6, 10 }, fp32).to(type), .products = products },
            { "b", at::randn({ 6 }, fp32), {} }, {} };
        layer.lora = LoraPair { .a = trained(at::randn({ 3, 10 }, fp32)),
            .b = trained(at::randn({ 6, 3 }, fp32)),
            .magnitude = dora ? trained(at::rand({ 6 }, fp32) + 0.5) : Parameter {},
            .scale = 0.5,
            .dropout = { .share = share, .seed = 9 } };
        const int64_t tokens = wide ? 300 : 8; // more than one piece; as few as an answer's
        const auto x = at::randn({ tokens, 10 }, fp32).to(type), g = at::randn({ tokens, 6 }, fp32).to(type);

        const auto leaf = [](const at::Tensor& value) { return value.clone().set_requires_grad(true); };
        const auto xLeaf = leaf(x.to(at::kFloat)), a = leaf(layer.lora->a.value), b = leaf(layer.lora->b.value);
        const auto m = dora ? leaf(layer.lora->magnitude.value) : at::Tensor();
        const auto w = layer.weight.value.to(at::kFloat);
        const auto dropped = share > 0 ? xLeaf * dropoutMask(x, layer.lora->dropout) : xLeaf;
        const auto update = 0.5 * at::matmul(at::matmul(dropped, a.t()), b.t());
        auto y = at::matmul(xLeaf, w.t()) + layer.bias.value;
        if (dora) {
            const auto ratio = m / at::linalg_vector_norm(w + 0.5 * at::matmul(b, a), 2, at::IntArrayRef(1)).detach();
            y = y + (ratio - 1) * at::matmul(dropped, w.t()) + ratio * update;
        } else {
            y = y + update;
        }
        (y * g).sum().backward();

        QVERIFY(relativeDistance(linear(layer, x), y.detach()) < tolerance);
        at::Tensor inputGradient;
        linearBackward(layer, g, x, inputGradient);
        QVERIFY(relativeDistance(inputGradient, xLeaf.grad()) < tolerance);
        QVERIFY(relativeDistance(layer.lora->a.gradient, a.grad()) < tolerance);
        QVERIFY(relativeDistance(layer.lora->b.gradient, b.grad()) < tolerance);
        QVERIFY(!dora || relativeDistance(layer.lora->magnitude.gradient, m.grad()) < tolerance);
        linearParameterGradients(layer, g, x);
        QVERIFY(relativeDistance(layer.lora->a.gradient, 2 * a.grad()) < tolerance);
    }

    void dropoutMaskFollowsFromItsSeed()
    {
        const auto x = at::randn({ 300, 701 }, fp32);
        const Dropout dropout { .share = 0.3, .seed = 5 };
        const auto mask = dropoutMask(x, dropout);
        const auto left = (mask == 0).to(at::kDouble);
        QVERIFY(std::abs(left.mean().item<double>() - 0.3) < 0.005); // five standard deviations
        QVERIFY(at::all((mask == 0).logical_or(mask == static_cast<float>(1 / 0.7))).item<bool>());
        QVERIFY(at::equal(dropoutMask(x, dropout), mask));
        const auto other = (dropoutMask(x, { .share = 0.3, .seed = 6 }) == 0).to(at::kDouble);
        QVERIFY(std::abs((left * other).mean().item<double>() - 0.09) < 0.004); // independent
        QVERIFY(std::abs((left.slice(1, 1) * left.slice(1, 0, -1)).mean().item<double>() - 0.09) < 0.004);
        QVERIFY(at::equal(dropoutMask(x.to(at::kBFloat16), dropout) == 0, mask == 0));
        const int threads = at::get_num_threads();
        at::set_num_threads(1);
        const auto alone = dropoutMask(x, dropout);
        at::set_num_threads(threads);
        QVERIFY(at::equal(alone, mask));
        QVERIFY(mixedSeed(1, 2) != mixedSeed(2, 1));
    }

    void viewsAreThoseOfTheLibrary()
    {
        const auto x = at::randn({ 3, 8, 5 }).transpose(0, 2).narrow(1, 1, 6);
        const auto same = [&](const at::Tensor& view, const at::Tensor& expected) {
            return view.is_alias_of(x) && view.strides() == expected.strides() && at::equal(view, expected);
        };
        for (const int64_t dimension : { 0, 1, 2, -1 }) {
            QVERIFY(same(narrowed(x, dimension, 1, 2), x.narrow(dimension, 1, 2)));
            QVERIFY(same(transposed(x, dimension, 1), x.transpose(dimension, 1)));
        }
        QVERIFY(same(transposed(x), x.transpose(0, 1)));
        QVERIFY_THROWS_EXCEPTION(c10::Error, narrowed(x, 1, 5, 2));
        QVERIFY_THROWS_EXCEPTION(c10::Error, transposed(x, 0, 3));
    }
};

QTEST_APPLESS_MAIN(TestOps)
#include "tst_ops.moc"
