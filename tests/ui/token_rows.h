#pragma once

#include <QFile>

namespace tunebench {

/// A row of tokens of which the last ones are learned, as a line of JSON; none of them: a row that is refused.
inline QByteArray tokenRow(int tokens, int learned)
{
    QByteArrayList ids;
    QByteArrayList labels;
    for (int index = 0; index < tokens; ++index) {
        ids.push_back(QByteArray::number(index + 1));
        labels.push_back(index < tokens - learned ? "-100" : ids.back());
    }
    return R"({"input_ids": [)" + ids.join(", ") + R"(], "labels": [)" + labels.join(", ") + "]}\n";
}

inline void writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
        qFatal("cannot write %s", qPrintable(path));
    }
}

} // namespace tunebench
