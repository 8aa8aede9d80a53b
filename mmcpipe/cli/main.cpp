#include "mmcpipe/cli/commands.h"

#include <iostream>

int main(int argc, char** argv) { return mmcpipe::cli::command(argc, argv, std::cout, std::cerr); }
