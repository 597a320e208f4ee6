#pragma once

#include "tests/ui/scripted_plans.h"
#include "tests/ui/token_rows.h"
#include "tests/ui/ui_test.h"
#include "ui/form/config_model.h"
#include "ui/plan/fit_table.h"
#include "ui/plan/plan_page.h"

#include <QSignalSpy>
#include <QTableWidget>

#include <memory>
#include <nlohmann/json.hpp>

namespace tunebench {

/// The page over rows of tokens, with a limit of 400 MiB.
struct PlanSession {
    QTemporaryDir folder;
    ConfigModel model;
    DataAnalysis analysis;
    std::unique_ptr<PlanPage> page;

    explicit PlanSession(RunPlanner planner = { planned, {} })
    {
        const QString file = folder.filePath(QStringLiteral("rows.jsonl"));
        writeFile(file, tokenRow(50, 20).repeated(40) + tokenRow(longest, 100));
        model.set("dataset", { file.toStdString() });
        model.set("memory_limit", 400 * mebibyte);
        page = std::make_unique<PlanPage>(model, analysis, std::move(planner), nullptr);
        page->resize(1200, 900);
    }

    void show() const
    {
        QSignalSpy done(page.get(), &PlanPage::planned);
        page->show();
        QVERIFY(done.wait(patience));
    }

    template <class Widget> Widget& widget() const { return *page->findChild<Widget*>(); }

    QString cell(int row, int column) const { return plain(widget<FitTable>().item(row, column)->text()); }

    int columnOf(const QString& length) const
    {
        const auto& table = widget<FitTable>();
        for (int column = 0; column < table.columnCount(); ++column) {
            if (table.horizontalHeaderItem(column)->text() == length) {
                return column;
            }
        }
        return -1;
    }

    void click(QTableWidget& table, int row, int column) const
    {
        const QRect place = table.visualItemRect(table.item(row, column));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, place.center());
    }

    /// With usual spaces instead of those that hold number and unit together.
    static QString plain(QString text) { return text.replace(QChar(QChar::Nbsp), ' '); }
};

} // namespace tunebench
