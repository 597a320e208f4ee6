#include "ui/base/file_state.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace tunebench {

namespace {

void append(std::string& text, const QFileInfo& file)
{
    text += file.filePath().toStdString() + '\n' + std::to_string(file.size()) + ' '
        + std::to_string(file.lastModified().toMSecsSinceEpoch()) + '\n';
}

} // namespace

std::string fileState(const std::vector<std::string>& paths)
{
    std::string text;
    for (const std::string& path : paths) {
        const QFileInfo info(QString::fromStdString(path));
        append(text, info);
        if (info.isDir()) {
            for (const QFileInfo& file : QDir(info.filePath()).entryInfoList(QDir::Files, QDir::Name)) {
                append(text, file);
            }
        }
    }
    return text + '\n';
}

} // namespace tunebench
