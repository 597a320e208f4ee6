#pragma once

#include "core/text/jinja/filters.h"
#include "core/text/jinja/value.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What a parsed template consists of. Names are numbers into Program::names.
namespace tunebench::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;
using NameId = uint32_t;

struct CallArguments {
    std::vector<ExpressionPtr> positional;
    std::vector<std::pair<std::string, ExpressionPtr>> keywords;
    ExpressionPtr morePositional; ///< *args
    ExpressionPtr moreKeywords; ///< **kwargs
};

enum class Operator {
    add,
    subtract,
    multiply,
    divide,
    floorDivide,
    modulo,
    power,
    equal,
    notEqual,
    less,
    lessEqual,
    greater,
    greaterEqual,
    in,
    notIn,
};

struct Expression {
    enum class Kind {
        constant, ///< constant
        name, ///< name
        namespaceAttribute, ///< name, text; only as a target
        tuple, ///< children
        list, ///< children
        dict, ///< children: key, value, key, value, ...
        notTrue, ///< child
        negate, ///< child
        positive, ///< child
        binary, ///< two children, operators[0]
        both, ///< `and`
        either, ///< `or`
        compare, ///< children[0] operators[0] children[1] operators[1] ...
        concat, ///< children
        conditional, ///< children: condition, then, else (or null)
        attribute, ///< child . text
        subscript, ///< child [ child ]
        slice, ///< children: begin, end, step (each may be null); only inside a subscript
        call, ///< child ( arguments )
        filter, ///< child (null: the text of the block) | filter ( arguments )
        test, ///< child is test ( arguments )
    };

    Kind kind = Kind::constant;
    int line = 1;
    size_t depth = 1; ///< nodes on the longest way down
    Value constant;
    NameId name = 0;
    std::string text;
    std::vector<Operator> operators;
    std::vector<ExpressionPtr> children;
    CallArguments arguments;
    FilterFunction filter = nullptr;
    TestFunction test = nullptr;
};

struct Statement;
using Block = std::vector<Statement>;

struct Parameter {
    NameId name = 0;
    std::string text;
    ExpressionPtr fallback; ///< null: none
};

/// A macro, or the body of a call block.
struct MacroDefinition {
    std::string name;
    std::vector<Parameter> parameters;
    std::shared_ptr<Block> body;
    bool usesCaller = false;
    bool usesVarargs = false;
    bool usesKwargs = false;
};

struct Statement {
    enum class Kind {
        data, ///< text
        output, ///< expressions, printed one after the other
        branch, ///< expressions[i] decides on blocks[i]; a last block without one is the else
        loop, ///< target, expressions: iterable, condition (or null); blocks: body, else
        set, ///< target = expressions[0]
        setBlock, ///< target = blocks[0], through expressions[0] (a filter) if not null
        macro, ///< definition, name
        call, ///< expressions[0] is the call, definition is its caller
        filter, ///< blocks[0] through expressions[0]
        with, ///< targets[i] = expressions[i] for blocks[0]
        generation, ///< blocks[0] is what the assistant says
        breakLoop,
        continueLoop,
    };

    Kind kind = Kind::data;
    int line = 1;
    std::string text;
    NameId name = 0;
    bool recursive = false;
    std::vector<ExpressionPtr> targets;
    std::vector<ExpressionPtr> expressions;
    std::vector<std::shared_ptr<Block>> blocks;
    std::shared_ptr<MacroDefinition> definition;
};

struct Program {
    Block body;
    std::vector<std::string> names;
    NameId loopName = 0, callerName = 0, varargsName = 0, kwargsName = 0;
    bool hasGeneration = false;
};

} // namespace tunebench::jinja
