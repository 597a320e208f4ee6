#pragma once

#include <QDir>
#include <QFile>
#include <QString>
#include <QTest>
#include <filesystem>
#include <nlohmann/json.hpp>

/// Fixed inputs of these tests.
inline std::filesystem::path modelData(const std::string& name)
{
    return std::filesystem::path(TUNEBENCH_TEST_DATA) / "model" / name;
}

inline QByteArray readBytes(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void writeBytes(const std::filesystem::path& path, const QByteArray& bytes)
{
    QFile file(QString::fromStdString(path.string()));
    file.remove(); // file systems are slow to shorten a file that is written again
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

inline nlohmann::json readJson(const std::filesystem::path& path)
{
    return nlohmann::json::parse(readBytes(path).toStdString());
}

/// A Result that should hold a value; shows its error.
#define VERIFY_OK(result) QVERIFY2((result).has_value(), (result).has_value() ? "" : (result).error().message.c_str())

/// A Result that should hold an error whose message contains `part`.
#define VERIFY_REFUSED(result, part)                                                                                   \
    do {                                                                                                               \
        QVERIFY(!(result).has_value());                                                                                \
        QVERIFY2(QString::fromStdString((result).error().message).contains(part), (result).error().message.c_str());   \
        QVERIFY2((result).error().message.ends_with('.'), (result).error().message.c_str());                           \
    } while (false)
