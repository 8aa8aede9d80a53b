#include "mmcpipe/host/steps.h"

namespace mmcpipe::host {

Step next_step(const Request& request, Step step) {
    switch (step) {
    case Step::set_block_count: return request.error ? Step::idle : Step::command;
    case Step::command: {
        if (!request.data || !request.stop || request.command.error) return Step::idle;
        // After a count the card stops by itself, unless something went wrong on the way.
        return request.error || !request.set_block_count ? Step::stop : Step::idle;
    }
    case Step::stop:
    case Step::idle: break;
    }
    return Step::idle;
}

CommandPhase& phase_of(Request& request, Step step) {
    if (step == Step::set_block_count) return *request.set_block_count;
    if (step == Step::stop) return *request.stop;
    return request.command;
}

void note_error(Request& request, base::Error error, std::uint32_t status) {
    if (request.error) return;
    request.error = error;
    request.host_status = status;
}

} // namespace mmcpipe::host
