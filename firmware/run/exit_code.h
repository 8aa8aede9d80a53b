#pragma once
// What an image ends with. It has printed why.

namespace firmware::exit_code {

inline constexpr int passed = 0;
inline constexpr int cases_failed = 1; ///< one or more FAILED or ERROR
inline constexpr int no_usable_card = 2;
inline constexpr int board_differs = 3; ///< from what its folder says
inline constexpr int bad_arguments = 4; ///< or results that cannot be written
inline constexpr int fault = 120;       ///< an exception that must not happen
inline constexpr int aborted = 121;

} // namespace firmware::exit_code
