#pragma once

#include "ui/base/theme.h"

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

namespace tunebench {

/// Runs a test object without a screen, in the light theme, with settings of its own.
template <class Test> int runUiTest(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    const QTemporaryDir home;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.path());
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, home.path());
    const QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("tunebench-test"));
    QApplication::setApplicationName(QStringLiteral("tunebench-test"));
    applyTheme(Theme::light);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace tunebench

#define TUNEBENCH_UI_TEST(Test)                                                                                        \
    int main(int argc, char** argv)                                                                                    \
    {                                                                                                                  \
        return tunebench::runUiTest<Test>(argc, argv);                                                                 \
    }
