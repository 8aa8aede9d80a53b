#include "mmcpipe/rig/stack.h"

namespace mmcpipe::rig {

Stack::Stack(const Platform& platform, const Doors& doors, PrepareTrace* trace)
    : executor_(doors.environment),
      drivers_(make_drivers(platform, doors, executor_, frames_)),
      traced_(drivers_->host(), trace),
      host_(trace != nullptr ? static_cast<host::Host*>(&traced_) : &drivers_->host()),
      card_(*host_, doors.board) {}

} // namespace mmcpipe::rig
