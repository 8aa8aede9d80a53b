#pragma once
// What a user gave that cannot be used: one line that names the file, the line or key, what was found and what is
// allowed.

#include <stdexcept>

namespace mmcpipe::measure {

class BadInput : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

} // namespace mmcpipe::measure
