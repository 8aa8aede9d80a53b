#include "mmcpipe/base/result.h"

#include <string_view>

int main() {
    using namespace mmcpipe::base;
    const Result<int> failed = fail(Code::no_card);
    const bool ok =
        !failed && failed.error().domain() == Domain::state && name(Code::no_card) == std::string_view("no card");
    return ok ? 0 : 1;
}
