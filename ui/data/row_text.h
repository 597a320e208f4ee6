#pragma once

#include "core/data/row_view.h"

#include <QTextEdit>

#include <vector>

class QTextCharFormat;

namespace tunebench {

/// How a token of a row is shown.
enum class TokenLook { context, supervised, cut };
TokenLook lookOf(const TokenView& token);

/// A row as text: what is learned coloured, what is cut struck through, on request one shade a token.
class RowText : public QTextEdit {
    Q_OBJECT
public:
    explicit RowText(QWidget* parent);

    void showRow(const RowView& row);
    void setBoundaries(bool shown);

    /// The format of a look, for the text and for its legend; every other token is shaded where boundaries are shown.
    static QTextCharFormat formatOf(const QPalette& palette, TokenLook look, bool shaded = false);

protected:
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void fill();
    void addTokens(size_t begin, size_t end);
    void addNote(const QString& text, const QColor& colour);
    QString tipAt(const QPoint& position) const;

    /// Where a token's text begins in the document.
    struct Place {
        int position = 0;
        size_t token = 0;
    };
    RowView m_row;
    std::vector<Place> m_places; ///< of the tokens shown, in order
    bool m_boundaries = false;
};

} // namespace tunebench
