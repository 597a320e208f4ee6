#include "ui/form/precision_note.h"

#include "core/config/choices.h"
#include "core/memory/precision_advice.h"
#include "ui/base/format.h"
#include "ui/form/config_form.h"
#include "ui/form/config_model.h"
#include "ui/form/option_field.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace tunebench {

namespace {

QString nameOf(NumberType type)
{
    return QString::fromStdString(std::string(choiceName(type)));
}

const TypeMeasurement* measured(const DeviceMeasurement& device, NumberType type)
{
    const auto found = std::ranges::find(device.types, type, &TypeMeasurement::type);
    return found != device.types.end() && found->gflops ? &*found : nullptr;
}

QString heldText(const RunConfig& config)
{
    const QString held = nameOf(config.unpackedPrecision());
    const QString products = nameOf(config.compute);
    return config.precision == NumberType::nf4
        ? PrecisionNote::tr("Projections held in 4 bits, the rest in %1; multiplied in %2.").arg(held, products)
        : PrecisionNote::tr("Held in %1, multiplied in %2.").arg(held, products);
}

/// The usual advice, held against what was measured here.
QString fp16Text(const DeviceMeasurement& device)
{
    const TypeMeasurement* fp32 = measured(device, NumberType::fp32);
    const TypeMeasurement* fp16 = measured(device, NumberType::fp16);
    if (fp32 == nullptr) {
        return {};
    }
    if (fp16 == nullptr) {
        return PrecisionNote::tr("It cannot multiply in fp16.");
    }
    if (!fp16->passesSelfTest) {
        return PrecisionNote::tr("Its products in fp16 fail the self-test.");
    }
    const double factor = *fp16->gflops / *fp32->gflops;
    const QString times = formatSpeed(factor);
    return factor > 1 ? PrecisionNote::tr("That fp16 is faster is true here: %1 times as fast as fp32.").arg(times)
                      : PrecisionNote::tr("That fp16 is faster is not true here: %1 times as fast as fp32.").arg(times);
}

QString speeds(const DeviceMeasurement& device)
{
    QStringList types;
    for (const TypeMeasurement& type : device.types) {
        if (type.gflops) {
            types << PrecisionNote::tr("%1 %2 GFLOP/s").arg(nameOf(type.type), formatCount(std::llround(*type.gflops)));
        }
    }
    return types.join(QStringLiteral(", "));
}

} // namespace

QString precisionText(const KnownTypes& known)
{
    const DeviceMeasurement& device = known.device;
    const QString name = QString::fromStdString(device.name.empty() ? device.device : device.name);
    QStringList sentences { heldText(known.config) };
    const QString figures = speeds(device);
    if (figures.isEmpty()) {
        sentences << PrecisionNote::tr("%1 has not been measured: tunebench-cli doctor does, and tells which type is "
                                       "fast there.")
                         .arg(name);
    } else {
        sentences << PrecisionNote::tr("Measured on %1: %2.").arg(name, figures) << fp16Text(device);
    }
    for (const std::string& advice : precisionAdvice(known.config, device)) {
        sentences << QString::fromStdString(advice);
    }
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

PrecisionNote::PrecisionNote(ConfigModel& model, ConfigForm& form, RunPlanner planner)
    : QObject(&form)
    , m_model(model)
    , m_form(form)
    , m_planner(std::move(planner))
    , m_task(this, [this](const SharedTypes& known) { show(known); })
{
    connect(&m_model, &ConfigModel::changed, this, &PrecisionNote::look);
    look();
}

void PrecisionNote::look()
{
    if (m_planner.types != nullptr) {
        m_task.request([config = m_model.choice().values, types = m_planner.types](const std::stop_token&) {
            return std::make_shared<const Result<KnownTypes>>(types(config));
        });
    }
}

void PrecisionNote::show(const SharedTypes& known)
{
    // A device that is not there is told at its own field.
    m_text = known->has_value() ? precisionText(**known) : QString();
    m_form.field("compute")->setNote(m_text);
    emit changed();
}

} // namespace tunebench
