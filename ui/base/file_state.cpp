#include "ui/base/file_state.h"

#include <QDateTime>
#include <QDirIterator>
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
            constexpr int most = 2'000; // a path that is being typed may stand for the whole disk
            QDirIterator files(info.filePath(), QDir::Files, QDirIterator::Subdirectories);
            for (int i = 0; i < most && files.hasNext(); ++i) {
                files.next();
                append(text, files.fileInfo());
            }
        }
    }
    return text + '\n';
}

} // namespace tunebench
