#include "mmcpipe/report/output_file.h"

#include "mmcpipe/measure/bad_input.h"
#include "tests/report/temporary.h"

#include <gtest/gtest.h>

namespace mmcpipe::report {
namespace {

using test::content_of;
using test::TemporaryFolder;

TEST(OutputFile, WithoutCommitNothingIsLeftBehind) {
    const TemporaryFolder folder;
    {
        OutputFile file(folder.path() / "a");
        file.stream() << "half" << std::flush;
        EXPECT_FALSE(std::filesystem::exists(folder.path() / "a"));
    }
    EXPECT_EQ(folder.files(), 0u);
}

TEST(OutputFile, AnOldFileStaysUntilTheNewOneIsComplete) {
    const TemporaryFolder folder;
    folder.file("a", "old");
    OutputFile file(folder.path() / "a");
    file.stream() << "new";
    EXPECT_EQ(content_of(folder.path() / "a"), "old");
    file.commit();
    EXPECT_EQ(content_of(folder.path() / "a"), "new");
    EXPECT_EQ(folder.files(), 1u);
}

TEST(OutputFile, WhatCannotBeMadeIsNamed) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "missing" / "a").string();
    EXPECT_EQ(test::complaint<measure::BadInput>([&] { OutputFile{path}; }), path + ": cannot be written");
}

TEST(OutputFile, ADirectoryIsNoFile) {
    const TemporaryFolder folder;
    EXPECT_NE(test::complaint<measure::BadInput>([&] { OutputFile{folder.path()}; }), "");
    EXPECT_TRUE(std::filesystem::is_directory(folder.path()));
}

TEST(OutputFile, ADeviceIsWrittenDirectly) {
    OutputFile file("/dev/null");
    file.stream() << "gone";
    file.commit();
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, AFullDeviceIsReported) {
    OutputFile file("/dev/full");
    file.stream() << "x";
    EXPECT_EQ(test::complaint<measure::BadInput>([&] { file.commit(); }), "/dev/full: cannot be written");
}

} // namespace
} // namespace mmcpipe::report
