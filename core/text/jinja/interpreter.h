#pragma once

#include "core/text/jinja/ast.h"
#include "core/text/jinja/builtins.h"

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tunebench::jinja {

/// Bytes of the output that one generation block wrote.
struct GenerationSpan {
    size_t begin = 0;
    size_t end = 0;
};

struct Rendering {
    std::string text;
    std::vector<GenerationSpan> generation;
};

/// Runs a program once. Names are looked up as jinja2 scopes them: for, macro, call, with, filter and block set
/// open a scope; if does not.
class Interpreter {
public:
    Interpreter(const Program& program, const nlohmann::ordered_json& variables, const DateTime& now);

    /// Throws TemplateFailure.
    Rendering run();

private:
    enum class Flow { normal, breakLoop, continueLoop };

    struct Scope {
        Scope* parent = nullptr;
        std::vector<std::pair<NameId, Value>> variables;
        bool captured = false; ///< a macro refers to it, which may live longer than the block
    };

    /// A scope for as long as the C++ block runs.
    class ScopeGuard;
    class DepthGuard;

    Flow execute(const Block& block);
    Flow execute(const Statement& statement);
    void print(const Statement& statement);
    Flow branch(const Statement& statement);
    void loop(const Statement& statement);
    void runLoop(const Statement& statement, std::vector<Value> items, size_t depth);
    std::vector<Value> loopItems(const Statement& statement, const Value& iterable);
    void setBlock(const Statement& statement);
    void defineMacro(const Statement& statement);
    void callBlock(const Statement& statement);
    void with(const Statement& statement);
    void generation(const Statement& statement);
    /// What the block writes, in a scope of its own.
    std::string capture(const Block& block);
    void write(std::string_view text);
    /// What a filter or call block gives; jinja2 takes only texts there.
    void writeResult(const Value& value);

    void assign(const Expression& target, const Value& value);
    void set(NameId name, Value value);
    Value lookUp(NameId name);
    Value builtin(const std::string& name);

    Value evaluate(const Expression& expression);
    Value evaluateNode(const Expression& expression);
    Value compare(const Expression& expression);
    Value concatenate(const Expression& expression);
    Value subscript(const Expression& expression);
    Value makeDictLiteral(const Expression& expression);
    std::vector<Value> evaluateAll(const std::vector<ExpressionPtr>& expressions);
    Arguments evaluateArguments(const CallArguments& arguments);
    Value call(const Expression& expression, const Value* caller = nullptr);
    Value callValue(const Value& callee, Arguments& arguments);
    Value applyFilter(const Expression& expression, const Value& input);
    bool applyTest(const Expression& expression);
    Value filtered(const Expression* filter, std::string text);

    Value makeMacro(const MacroDefinition& definition);
    Value callMacro(const MacroDefinition& definition, Scope& home, Arguments& arguments);
    void bindParameters(const MacroDefinition& definition, Arguments& arguments);
    void bindSpecials(const MacroDefinition& definition, Arguments& arguments);

    const Program& m_program;
    const DateTime& m_now;
    Budget m_budget;
    std::deque<Scope> m_scopes;
    Scope* m_scope = nullptr;
    std::deque<Namespace> m_namespaces;
    std::deque<LoopState> m_loops;
    std::string m_output; ///< of the template itself
    std::string* m_out = &m_output; ///< where writes go: the output, or what a block captures
    std::vector<GenerationSpan> m_spans;
    size_t m_depth = 0;
};

} // namespace tunebench::jinja
