#include "tests/ui/ui_test.h"
#include "ui/data/row_search.h"
#include "ui/data/row_text.h"
#include "ui/data/visible_text.h"

#include <QTextBlock>

#include <cmath>

using namespace tunebench;

namespace {

/// "ab cd": the first is read, the second learned, the third cut.
RowView someRow()
{
    return { "rows.jsonl", 3, { { 5, "ab", false, false }, { 6, " cd", true, false }, { 7, "\nef", true, true } }, {} };
}

QTextCharFormat formatAt(const RowText& text, int position)
{
    QTextCursor cursor(text.document());
    cursor.setPosition(position + 1);
    return cursor.charFormat();
}

/// Contrast of two colours, 1 to 21 (WCAG 2.1).
double contrast(const QColor& one, const QColor& other)
{
    const auto luminance = [](const QColor& colour) {
        const auto linear
            = [](double part) { return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4); };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
    };
    const double a = luminance(one) + 0.05;
    const double b = luminance(other) + 0.05;
    return std::max(a, b) / std::min(a, b);
}

AnalysedData someData()
{
    // Rows 0 to 7; 0, 3 and 4 are refused, 2 and 6 are long.
    AnalysedData data;
    const RowExtent brief { 10, 4, 6, 9 };
    const RowExtent lengthy { 30, 10, 20, 29 };
    data.inspection.extents = { brief, lengthy, brief, lengthy, brief };
    for (const size_t row : { 0, 3, 4 }) {
        data.inspection.refused.push_back({ "rows.jsonl", row + 1, "empty", row });
    }
    return data;
}

} // namespace

class TestRowText : public QObject {
    Q_OBJECT
private slots:
    void showsWhatTheEyeWouldMiss_data();
    void showsWhatTheEyeWouldMiss();
    void learnedAndCutTokensLookDifferent();
    void boundariesShadeEveryOtherToken();
    void coloursCanBeRead_data();
    void coloursCanBeRead();
    void refusedRowsSayWhy();
    void veryLongRowsAreShownInPart();
    void findsTheNextRow_data();
    void findsTheNextRow();
};

void TestRowText::showsWhatTheEyeWouldMiss_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<Spaces>("spaces");
    QTest::addColumn<QString>("shown");
    QTest::newRow("words") << "a b" << Spaces::unusual << "a b";
    QTest::newRow("all spaces") << "a b" << Spaces::all << "a·b";
    QTest::newRow("two spaces") << "a  b" << Spaces::unusual << "a··b";
    QTest::newRow("space at the end of a line") << "a \nb" << Spaces::unusual << "a·↵\nb";
    QTest::newRow("indentation") << "a:\n b" << Spaces::unusual << "a:↵\n·b";
    QTest::newRow("tab") << "a\tb" << Spaces::unusual << "a⇥\tb";
    QTest::newRow("carriage return") << "a\r\nb" << Spaces::unusual << "a␍↵\nb";
    QTest::newRow("zero width space") << QStringLiteral("a\u200bb") << Spaces::unusual << "a⟨200b⟩b";
    QTest::newRow("right-to-left override") << QStringLiteral("a\u202eb") << Spaces::unusual << "a⟨202e⟩b";
    QTest::newRow("family of emoji") << QStringLiteral("👩\u200d👧") << Spaces::unusual << QStringLiteral("👩\u200d👧");
    QTest::newRow("Korean") << "안녕" << Spaces::unusual << "안녕";
}

void TestRowText::showsWhatTheEyeWouldMiss()
{
    QFETCH(QString, text);
    QFETCH(Spaces, spaces);
    QFETCH(QString, shown);
    QCOMPARE(visibleText(text, spaces), shown);
}

void TestRowText::learnedAndCutTokensLookDifferent()
{
    RowText text(nullptr);
    text.showRow(someRow());
    QCOMPARE(text.toPlainText(), QStringLiteral("ab cd↵\nef"));
    const QTextCharFormat context = formatAt(text, 0);
    const QTextCharFormat learned = formatAt(text, 3);
    const QTextCharFormat cut = formatAt(text, 7);
    QVERIFY(!context.fontStrikeOut() && !learned.fontStrikeOut() && cut.fontStrikeOut());
    QVERIFY(context.foreground() != learned.foreground());
    QCOMPARE(context.background().style(), Qt::NoBrush);
    QVERIFY(learned.background() != cut.background());
}

void TestRowText::boundariesShadeEveryOtherToken()
{
    RowText text(nullptr);
    RowView row = someRow();
    for (TokenView& token : row.tokens) {
        token.supervised = true;
        token.cut = false;
    }
    text.showRow(row);
    QCOMPARE(formatAt(text, 0).background(), formatAt(text, 3).background());
    text.setBoundaries(true);
    QCOMPARE(text.toPlainText(), QStringLiteral("ab·cd↵\nef"));
    QVERIFY(formatAt(text, 1).background() != formatAt(text, 2).background());
    QCOMPARE(formatAt(text, 1).background(), formatAt(text, 7).background());
    text.setBoundaries(false);
    QCOMPARE(text.toPlainText(), QStringLiteral("ab cd↵\nef"));
}

void TestRowText::coloursCanBeRead_data()
{
    QTest::addColumn<Theme>("theme");
    QTest::newRow("light") << Theme::light;
    QTest::newRow("dark") << Theme::dark;
}

void TestRowText::coloursCanBeRead()
{
    QFETCH(Theme, theme);
    applyTheme(theme);
    const QPalette palette = QApplication::palette();
    constexpr double least = 4.5; // WCAG AA for text
    for (const auto look : { TokenLook::context, TokenLook::supervised, TokenLook::cut }) {
        for (const bool shaded : { false, true }) {
            const QTextCharFormat format = RowText::formatOf(palette, look, shaded);
            const QColor behind = format.background().style() == Qt::NoBrush ? palette.color(QPalette::Base)
                                                                             : format.background().color();
            const double measured = contrast(format.foreground().color(), behind);
            QVERIFY2(measured >= least, qPrintable(QString::number(measured)));
        }
    }
    applyTheme(Theme::light);
}

void TestRowText::refusedRowsSayWhy()
{
    RowText text(nullptr);
    text.showRow({ "rows.jsonl", 9, {}, "the answer is empty" });
    QVERIFY(text.toPlainText().contains(QStringLiteral("the answer is empty")));
}

void TestRowText::veryLongRowsAreShownInPart()
{
    RowText text(nullptr);
    RowView row { "rows.jsonl", 1, {}, {} };
    for (int index = 0; index < 300'000; ++index) {
        row.tokens.push_back({ index, std::to_string(index) + ' ', true, index >= 512 });
    }
    text.showRow(row);
    const QString shown = text.toPlainText();
    QVERIFY(shown.startsWith(QStringLiteral("0 1 2")));
    QVERIFY(shown.contains(QStringLiteral("293,000 tokens")));
    QVERIFY(shown.trimmed().endsWith(QStringLiteral("299999·")) || shown.trimmed().endsWith(QStringLiteral("299999")));
}

void TestRowText::findsTheNextRow_data()
{
    QTest::addColumn<bool>("refused");
    QTest::addColumn<int>("maxLength");
    QTest::addColumn<int>("after");
    QTest::addColumn<int>("expected"); // -1: none
    QTest::newRow("first cut answer") << false << 24 << 0 << 2;
    QTest::newRow("second cut answer, behind refused rows") << false << 24 << 2 << 6;
    QTest::newRow("round to the first") << false << 24 << 6 << 2;
    QTest::newRow("no answer is cut") << false << 30 << 0 << -1;
    QTest::newRow("next refused") << true << 30 << 0 << 3;
    QTest::newRow("and the next") << true << 30 << 3 << 4;
    QTest::newRow("round to the first refused") << true << 30 << 4 << 0;
    QTest::newRow("rows with nothing left count") << true << 20 << 4 << 6;
}

void TestRowText::findsTheNextRow()
{
    QFETCH(bool, refused);
    QFETCH(int, maxLength);
    QFETCH(int, after);
    QFETCH(int, expected);
    RunConfig config;
    config.maxLength = maxLength;
    const AnalysedData data = someData();
    const auto found = refused ? nextRefusedRow(data, config, static_cast<size_t>(after))
                               : nextLosingRow(data, config, static_cast<size_t>(after));
    QCOMPARE(found ? static_cast<int>(*found) : -1, expected);
}

TUNEBENCH_UI_TEST(TestRowText)
#include "tst_row_text.moc"
