#include "mmcpipe/host/transaction.h"

namespace mmcpipe::host {

std::optional<base::Error> first_error(const Request& request) {
    if (request.error) return request.error;
    if (request.set_block_count && request.set_block_count->error) return request.set_block_count->error;
    if (request.command.error) return request.command.error;
    if (request.stop && request.stop->error) return request.stop->error;
    return std::nullopt;
}

base::Task<base::Result<void>> transact(Host& host, Transaction& transaction) {
    transaction.clear_outcome();
    co_await host.prepare(transaction);
    host.start(transaction);
    co_await transaction.ended();
    host.finish(transaction);
    const std::optional<base::Error> error = first_error(transaction);
    if (error) co_return base::fail(*error);
    co_return {};
}

} // namespace mmcpipe::host
