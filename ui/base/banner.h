#pragma once

#include <QFrame>

class QLabel;

namespace tunebench {

/// A message across the page that stays until it is closed or another takes its place.
class Banner : public QFrame {
    Q_OBJECT
public:
    enum class Kind { good, warning, error };

    explicit Banner(QWidget* parent);

    void showMessage(Kind kind, const QString& text);
    QString text() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    QLabel* m_text;
    Kind m_kind = Kind::good;
};

} // namespace tunebench
