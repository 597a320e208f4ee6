#include "core/text/chat_template.h"

#include <QDir>
#include <QFile>
#include <QTest>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

using namespace tunebench;
using Json = nlohmann::ordered_json;

namespace {

/// Of processor time; sanitizers make the last operation before the bound slow.
constexpr std::clock_t slowestSeconds = 10;

QByteArray readFile(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Json readJson(const QString& name)
{
    const QByteArray bytes = readFile(QStringLiteral(TUNEBENCH_TEST_DATA "/text/chat_template/") + name);
    return Json::parse(bytes.begin(), bytes.end());
}

QString sharedTemplates()
{
    const QString fromEnvironment = qEnvironmentVariable("TUNEBENCH_SHARED");
    const QString root
        = fromEnvironment.isEmpty() ? QStringLiteral(TUNEBENCH_TEST_DATA "/../../../shared") : fromEnvironment;
    return root + "/chat_templates";
}

/// A template as the name of a row: one short line.
QByteArray rowName(const std::string& source)
{
    return QByteArray::fromStdString(source).simplified().left(60);
}

std::string repeated(const std::string& text, size_t count)
{
    std::string out;
    for (size_t i = 0; i < count; ++i)
        out += text;
    return out;
}

/// The text, or "error: ..." for what fails in parsing or rendering.
std::string rendered(const std::string& source, const Json& variables = Json::object())
{
    const auto chat = ChatTemplate::parse(source);
    if (!chat)
        return "error: " + chat.error().message;
    const auto result = chat->render(variables, "2026-01-05");
    return result ? result->text : "error: " + result.error().message;
}

void compareWithRow(const ChatTemplate& chat, const Json& row, const Json& variables, const std::string& now)
{
    const auto result = chat.render(variables, now);
    if (row.contains("error")) {
        QVERIFY2(!result, result ? result->text.c_str() : "");
        return;
    }
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    QCOMPARE(result->text, row["text"].get<std::string>());
    if (!row.contains("generation"))
        return;
    QCOMPARE(result->generation.size(), row["generation"].size());
    for (size_t i = 0; i < result->generation.size(); ++i) {
        const ByteSpan wanted { row["generation"][i][0].get<size_t>(), row["generation"][i][1].get<size_t>() };
        QVERIFY(result->generation[i] == wanted);
    }
}

} // namespace

class TestChatTemplate : public QObject {
    Q_OBJECT

private slots:
    void snippets_data()
    {
        QTest::addColumn<int>("row");
        m_snippets = readJson("snippets.json");
        for (size_t i = 0; i < m_snippets["rows"].size(); ++i)
            QTest::addRow("%zu %s", i, rowName(m_snippets["rows"][i]["template"].get<std::string>()).constData())
                << static_cast<int>(i);
    }
    void snippets()
    {
        QFETCH(int, row);
        const Json& snippet = m_snippets["rows"][static_cast<size_t>(row)];
        const auto chat = ChatTemplate::parse(snippet["template"].get<std::string>());
        if (!chat) {
            QVERIFY2(snippet.contains("error"), chat.error().message.c_str());
            return;
        }
        compareWithRow(*chat, snippet, m_snippets["variables"], m_snippets["now"].get<std::string>());
    }

    void conversations_data()
    {
        QTest::addColumn<int>("row");
        m_conversations = readJson("conversations.json");
        for (size_t i = 0; i < m_conversations["rows"].size(); ++i)
            QTest::addRow("%zu %s", i, m_conversations["rows"][i]["template"].get<std::string>().c_str())
                << static_cast<int>(i);
    }
    void conversations()
    {
        QFETCH(int, row);
        const Json& conversation = m_conversations["rows"][static_cast<size_t>(row)];
        const QString name = QString::fromStdString(conversation["template"].get<std::string>());
        QString path = QStringLiteral(TUNEBENCH_TEST_DATA "/text/chat_template/") + name;
        if (!QFile::exists(path))
            path = sharedTemplates() + "/" + name;
        if (!QFile::exists(path))
            QSKIP("The shared chat templates are missing; set TUNEBENCH_SHARED to the folder that holds them.");
        const auto chat = ChatTemplate::parse(readFile(path).toStdString());
        QVERIFY2(chat.has_value(), chat ? "" : chat.error().message.c_str());
        Json variables = m_conversations["tokens"];
        variables.update(m_conversations["inputs"][conversation["input"].get<size_t>()]);
        compareWithRow(*chat, conversation, variables, m_conversations["now"].get<std::string>());
    }

    void refusedByName_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("name");
        QTest::newRow("unknown tag") << "{% frobnicate %}"
                                     << "'frobnicate'";
        QTest::newRow("include") << "{% include 'x' %}"
                                 << "'include'";
        QTest::newRow("extends") << "{% extends 'x' %}"
                                 << "'extends'";
        QTest::newRow("import") << "{% import 'x' as y %}"
                                << "'import'";
        QTest::newRow("autoescape") << "{% autoescape true %}{% endautoescape %}"
                                    << "'autoescape'";
        QTest::newRow("unknown filter") << "{{ 'a' | urlize }}"
                                        << "'urlize'";
        QTest::newRow("filter in a branch not taken") << "{% if false %}{{ 'a' | xmlattr }}{% endif %}"
                                                      << "'xmlattr'";
        QTest::newRow("unknown test") << "{{ 'a' is frobbed }}"
                                      << "'frobbed'";
    }
    void refusedByName()
    {
        QFETCH(QString, source);
        QFETCH(QString, name);
        const auto chat = ChatTemplate::parse(source.toStdString());
        QVERIFY(!chat);
        QVERIFY2(QString::fromStdString(chat.error().message).contains(name), chat.error().message.c_str());
    }

    void hostile_data()
    {
        QTest::addColumn<QByteArray>("source");
        const auto add = [](const char* name, const std::string& source) {
            QTest::newRow(name) << QByteArray::fromStdString(source);
        };
        const size_t million = 1'000'000;
        add("a million (", "{{ " + repeated("(", million));
        add("a million [", "{{ " + repeated("[", million));
        add("a million {", "{{ " + repeated("{1:", million));
        add("a million -", "{{ " + repeated("-", million) + "1 }}");
        add("a million not", "{{ " + repeated("not ", million / 4) + "1 }}");
        add("a million +1", "{{ 1" + repeated("+1", million) + " }}");
        add("a million .a", "{{ x" + repeated(".a", million) + " }}");
        add("a million filters", "{{ 1" + repeated("|string", million / 4) + " }}");
        add("a million calls", "{{ x" + repeated("()", million) + " }}");
        add("a million else", "{{ " + repeated("1 if 0 else ", million / 8) + "1 }}");
        add("nested if", repeated("{% if 1 %}", million / 8));
        add("nested for", repeated("{% for a in b %}", million / 8));
        add("nested calls", "{{ " + repeated("a(", million));
        add("endless macro", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
        add("doubling text",
            "{% set ns = namespace(t='aaaaaaaa') %}{% for i in range(60) %}{% set ns.t = ns.t + ns.t "
            "%}{% endfor %}{{ ns.t }}");
        add("doubling list",
            "{% set ns = namespace(t=[1]) %}{% for i in range(60) %}{% set ns.t = [ns.t, ns.t] "
            "%}{% endfor %}{{ ns.t }}");
        add("nested list",
            "{% set ns = namespace(t=[1]) %}{% for i in range(90000) %}{% set ns.t = [ns.t] %}{% endfor "
            "%}{{ ns.t }}");
        add("long repeat", "{{ 'abc' * 4000000000000000000 }}");
        add("long list", "{{ [1] * 4000000000000000000 }}");
        add("long padding", "{{ 'abc'.ljust(4000000000000000000) }}");
        add("long indent", "{{ [1] | tojson(indent=4000000000000000000) }}");
        add("long format", "{{ '%99999999999999999999d' % 1 }}");
        add("quadratic replace", "{% set x = 'a' * 60000 %}{{ x.replace('a', x) }}");
        add("loops in loops", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}");
        add("much output",
            "{% for a in range(9999) %}{% for b in range(999) %}" + repeated("x", 500) + "{% endfor %}{% endfor %}");
        const std::string times = "{% for i in range(99999) %}{% set t = ";
        const std::string text = "{% set s = 'a' * 1000000 %}";
        add("long slices", text + times + "s[::-1] %}{% endfor %}");
        add("long strip", "{% set s = ' ' * 9000000 %}" + times + "s.strip() %}{% endfor %}");
        add("long find", text + "{% set u = 'a' * 500000 ~ 'b' %}" + times + "u in s %}{% endfor %}");
        add("long rfind", text + "{% set u = 'b' ~ 'a' * 500000 %}" + times + "s.rfind(u) %}{% endfor %}");
        add("batches",
            "{% for b in range(99999)|batch(1) %}{% for c in range(99999)|batch(1) %}{% endfor %}{% endfor %}");
        add("lone surrogate", "{{ '\\ud800' }}");
        add("smallest integer", "{{ (-9223372036854775807 - 1) // -1 }}");
        add("huge integer", "{{ 99999999999999999999 }}");
        add("power", "{{ 10 ** 400 }}");
    }
    void hostile()
    {
        QFETCH(QByteArray, source);
        const std::clock_t start = std::clock();
        const std::string text = rendered(source.toStdString());
        QVERIFY2(text.starts_with("error: "), text.substr(0, 200).c_str());
        QVERIFY2((std::clock() - start) / CLOCKS_PER_SEC < slowestSeconds, "a hostile template takes too long");
    }

    void deepButAllowed()
    {
        QCOMPARE(rendered("{{ " + repeated("(", 100) + "7" + repeated(")", 100) + " }}"), std::string("7"));
        QCOMPARE(rendered("{{ 1" + repeated("+1", 150) + " }}"), std::string("151"));
    }

    void badVariables()
    {
        const auto chat = ChatTemplate::parse("{{ x }}");
        QVERIFY(chat.has_value());
        QVERIFY(!chat->render(Json::array()));
        QVERIFY(!chat->render(Json { { "x", 18446744073709551615ULL } }));
        Json deep = 1;
        for (int i = 0; i < 1000; ++i) {
            Json outer = Json::array();
            outer.push_back(std::move(deep));
            deep = std::move(outer);
        }
        QVERIFY(!chat->render(Json { { "x", deep } }));
        for (const char* date : { "", "2026", "2026-13-01", "2026-02-30", "2026-01-01T25:00", "2026-01-01x" })
            QVERIFY2(!chat->render(Json::object(), date), date);
        QVERIFY(chat->render(Json::object(), "2026-01-01T12:30").has_value());
    }

    void invalidUtf8IsRefused()
    {
        const auto bad = ChatTemplate::parse("{{ 'abc\x80"
                                             "def'[4:1:-2] }}");
        QVERIFY(!bad && bad.error().message.find("UTF-8") != std::string::npos);
        const auto chat = ChatTemplate::parse("{{ x[1:] }}");
        QVERIFY(chat.has_value());
        QVERIFY(!chat->render(Json { { "x",
            "abc\x80"
            "def" } }));
    }

    void clockIsUsedWithoutDate()
    {
        const auto chat = ChatTemplate::parse("{{ strftime_now('%Y') }}");
        QVERIFY(chat.has_value());
        const auto result = chat->render(Json::object());
        QVERIFY(result.has_value());
        QVERIFY(QString::fromStdString(result->text).toInt() >= 2024);
    }

    void theTemplateDoesNotSeeNow() { QCOMPARE(rendered("{{ now is defined }}"), std::string("False")); }

    void generationIsMarked()
    {
        QVERIFY(ChatTemplate::parse("{% generation %}{% endgeneration %}")->marksGeneration());
        QVERIFY(!ChatTemplate::parse("{{ 'generation' }}")->marksGeneration());
    }

private:
    Json m_snippets;
    Json m_conversations;
};

QTEST_GUILESS_MAIN(TestChatTemplate)
#include "tst_chat_template.moc"
