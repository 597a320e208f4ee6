#pragma once

#include <QFrame>

class QLabel;

namespace tunebench {

/// A large value over its name.
class NumberTile : public QFrame {
    Q_OBJECT
public:
    NumberTile(const QString& name, QWidget* parent);

    void setValue(const QString& value, const QString& detail = {});
    QString value() const;

private:
    QLabel *m_value, *m_detail;
};

} // namespace tunebench
