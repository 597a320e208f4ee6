#pragma once

#include "ui/plan/variation.h"

#include <QScrollArea>

class QLabel;

namespace tunebench {

class BestPanel;
class FitTable;
class LongestTable;
class PlanQueue;

/// What fits, with what accumulation is for; the best that fits; the longest length that fits.
class FitsPanel : public QScrollArea {
    Q_OBJECT
public:
    FitsPanel(PlanQueue& queue, QWidget* parent);

    /// Plans with the form's options but for `shown` (batch and length in it do not count).
    void plan(const PlanBasis& basis, const Variation& shown);
    /// `why` nothing can be planned; empty where it will be.
    void clearPlans(const QString& why);

signals:
    void taken(const Variation& choice);

private:
    QWidget* makePanel();
    void showHeadline();

    PlanBasis m_basis;
    QLabel *m_headline, *m_lesson;
    FitTable* m_fits;
    BestPanel* m_best;
    LongestTable* m_longest;
};

} // namespace tunebench
