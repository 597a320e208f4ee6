#include "ui/runs/answers_view.h"

#include "ui/base/format.h"
#include "ui/base/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTextBrowser>

#include <algorithm>

namespace tunebench {

namespace {

QString html(const std::string& text)
{
    return toQString(text).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
}

QString stepText(int64_t step)
{
    return step == 0 ? AnswersView::tr("before training") : AnswersView::tr("step %1").arg(formatCount(step));
}

/// Offers the steps and keeps what was chosen; `latest` is taken where nothing was.
void offerSteps(QComboBox* list, const std::vector<int64_t>& steps, bool latest)
{
    const bool wasLatest = list->currentIndex() == list->count() - 1;
    const QVariant chosen = list->currentData();
    const QSignalBlocker blocker(list);
    list->clear();
    for (const int64_t step : steps) {
        list->addItem(stepText(step), QVariant::fromValue<qlonglong>(step));
    }
    const int kept = list->findData(chosen);
    list->setCurrentIndex(latest && (wasLatest || kept < 0) ? list->count() - 1 : std::max(kept, 0));
}

const AnswerMetrics* answerTo(
    const std::vector<AnswerMetrics>& answers, const std::string& prompt, const QVariant& step)
{
    const auto found = std::ranges::find_if(answers,
        [&](const AnswerMetrics& answer) { return answer.step == step.toLongLong() && answer.prompt == prompt; });
    return found == answers.end() ? nullptr : &*found;
}

} // namespace

AnswersView::AnswersView(QWidget* parent)
    : QWidget(parent)
    , m_left(new QComboBox(this))
    , m_right(new QComboBox(this))
    , m_text(new QTextBrowser(this))
{
    auto* steps = new QHBoxLayout;
    auto* between = new QLabel(tr("&beside"), this);
    between->setBuddy(m_right);
    m_left->setAccessibleName(tr("Answers on the left"));
    m_right->setAccessibleName(tr("Answers on the right"));
    steps->addWidget(m_left);
    steps->addWidget(between);
    steps->addWidget(m_right);
    steps->addStretch(1);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    m_text->setAccessibleName(tr("Prompts and answers"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addLayout(steps);
    layout->addWidget(m_text, 1);
    for (QComboBox* list : { m_left, m_right }) {
        connect(list, &QComboBox::currentIndexChanged, this, &AnswersView::refresh);
    }
}

void AnswersView::setAnswers(std::span<const AnswerMetrics> answers)
{
    m_answers.assign(answers.begin(), answers.end());
    std::vector<int64_t> steps;
    for (const AnswerMetrics& answer : m_answers) {
        if (steps.empty() || steps.back() != answer.step) {
            steps.push_back(answer.step);
        }
    }
    offerSteps(m_left, steps, false);
    offerSteps(m_right, steps, true);
    refresh();
}

void AnswersView::refresh()
{
    const QString muted = mutedColour(palette()).name();
    const auto cell = [&](const std::string& prompt, const QComboBox* list) {
        const AnswerMetrics* answer = answerTo(m_answers, prompt, list->currentData());
        if (answer == nullptr) {
            return QStringLiteral("<td width='50%'></td>");
        }
        const QString note = answer->note.empty() ? QString() : QStringLiteral(" (%1)").arg(html(answer->note));
        return QStringLiteral("<td width='50%'><span style='color:%1'>%2%3</span><br>%4</td>")
            .arg(muted, stepText(answer->step), note, html(answer->text));
    };
    std::vector<std::string> prompts;
    QString text;
    for (const AnswerMetrics& answer : m_answers) {
        if (std::ranges::find(prompts, answer.prompt) != prompts.end()) {
            continue;
        }
        prompts.push_back(answer.prompt);
        const bool one = m_left->currentData() == m_right->currentData();
        text += QStringLiteral("<p><b>%1</b></p><table width='100%' cellpadding='4'><tr>%2%3</tr></table>")
                    .arg(html(answer.prompt), cell(answer.prompt, m_left),
                        one ? QString() : cell(answer.prompt, m_right));
    }
    m_text->setHtml(text);
}

} // namespace tunebench
