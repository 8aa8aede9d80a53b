#include "mmcpipe/report/table.h"

#include "mmcpipe/report/mmc_test_lines.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmcpipe::report {

namespace {

/// Where a case's rows stand.
struct Place {
    unsigned number;
    std::vector<Line> Table::* part;
    Direction Line::* direction;
    std::optional<Cell> Direction::* column;
};

constexpr Place places[] = {
    {37, &Table::by_size, &Line::write, &Direction::blocking},
    {38, &Table::by_size, &Line::write, &Direction::non_blocking},
    {39, &Table::by_size, &Line::read, &Direction::blocking},
    {40, &Table::by_size, &Line::read, &Direction::non_blocking},
    {41, &Table::by_sg_len, &Line::write, &Direction::blocking},
    {42, &Table::by_sg_len, &Line::write, &Direction::non_blocking},
    {43, &Table::by_sg_len, &Line::read, &Direction::blocking},
    {44, &Table::by_sg_len, &Line::read, &Direction::non_blocking},
};

Line& line_for(std::vector<Line>& lines, const trial::Row& row) {
    const auto found = std::ranges::find_if(
        lines, [&](const Line& line) { return line.sectors == row.request_sectors() && line.sg_len == row.elements; });
    if (found != lines.end()) return *found;
    return lines.emplace_back(Line{.sectors = row.request_sectors(), .sg_len = row.elements, .write = {}, .read = {}});
}

Cell cell_of(unsigned number, const trial::Row& row, const measure::Published& published) {
    Cell cell{.kib_per_s = rates(row).kib_per_s(), .published = {}, .miss = compare(number, row, published)};
    if (cell.miss) cell.published = find(published.rows, cell.miss->key)->kib_per_s;
    return cell;
}

std::optional<double> percent_above(std::optional<std::uint32_t> rate, std::optional<std::uint32_t> base) {
    if (!rate || !base || *base == 0) return std::nullopt;
    return 100.0 * (static_cast<double>(*rate) / *base - 1.0);
}

using Lines = std::span<const Line>;

bool any_published(Lines lines, Direction Line::* direction, std::optional<Cell> Direction::* column) {
    return std::ranges::any_of(
        lines, [&](const Line& line) { return (line.*direction).*column && ((line.*direction).*column)->published; });
}

/// A column of text; the widest cell decides its width.
struct Column {
    std::string head;
    std::vector<std::string> cells;

    std::size_t width() const {
        std::size_t widest = head.size();
        for (const std::string& cell : cells) widest = std::max(widest, cell.size());
        return widest;
    }
};

/// Columns under one title.
struct Group {
    std::string title;
    std::vector<Column> columns;

    std::size_t width() const {
        std::size_t sum = 0;
        for (const Column& column : columns) sum += column.width() + 2;
        return std::max(sum, title.size() + 2);
    }
};

template <class Text>
Column column(std::string head, Lines lines, const Text& text) {
    Column column{.head = std::move(head), .cells = {}};
    for (const Line& line : lines) column.cells.push_back(text(line));
    return column;
}

std::string percent(std::optional<double> value) { return value ? fmt::format("{:+.1f}", *value) : "-"; }

std::string miss_text(const measure::Miss& miss) {
    return fmt::format("{:+.2f}{}", miss.percent, miss.within() ? " " : "!");
}

void add_rates(std::vector<Group>& groups, std::string title, Lines lines, Direction Line::* direction,
               std::optional<Cell> Direction::* of) {
    const auto cell = [=](const Line& line) -> const std::optional<Cell>& { return (line.*direction).*of; };
    Group group{.title = std::move(title), .columns = {}};
    group.columns.push_back(column(
        "KiB/s", lines, [&](const Line& line) { return cell(line) ? std::to_string(cell(line)->kib_per_s) : "-"; }));
    if (any_published(lines, direction, of)) {
        group.columns.push_back(column("publ.", lines, [&](const Line& line) {
            return cell(line) && cell(line)->published ? std::to_string(*cell(line)->published) : "-";
        }));
        group.columns.push_back(column("miss % ", lines, [&](const Line& line) {
            return cell(line) && cell(line)->miss ? miss_text(*cell(line)->miss) : "- ";
        }));
    }
    groups.push_back(std::move(group));
}

void add_gain(std::vector<Group>& groups, Lines lines, Direction Line::* direction) {
    Group group{.title = "gain",
                .columns = {column("%", lines, [&](const Line& line) { return percent((line.*direction).gain()); })}};
    if (any_published(lines, direction, &Direction::blocking) &&
        any_published(lines, direction, &Direction::non_blocking)) {
        group.columns.push_back(
            column("publ.", lines, [&](const Line& line) { return percent((line.*direction).published_gain()); }));
    }
    groups.push_back(std::move(group));
}

bool has(Lines lines, Direction Line::* direction) {
    return std::ranges::any_of(
        lines, [&](const Line& line) { return (line.*direction).blocking || (line.*direction).non_blocking; });
}

void add_direction(std::vector<Group>& groups, const std::string& name, Lines lines, Direction Line::* direction) {
    if (!has(lines, direction)) return;
    add_rates(groups, name + " blocking", lines, direction, &Direction::blocking);
    add_rates(groups, name + " non-blocking", lines, direction, &Direction::non_blocking);
    add_gain(groups, lines, direction);
}

std::string print(const std::vector<Group>& groups) {
    std::string titles;
    std::string heads;
    for (const Group& group : groups) {
        const std::size_t width = group.width();
        titles += fmt::format("{:>{}}", group.title, width);
        std::string head;
        for (const Column& column : group.columns) head += fmt::format("  {:>{}}", column.head, column.width());
        heads += fmt::format("{:>{}}", head, width);
    }
    std::string text = titles + "\n" + heads + "\n";
    for (std::size_t line = 0; line < groups.front().columns.front().cells.size(); ++line) {
        for (const Group& group : groups) {
            std::string cells;
            for (const Column& column : group.columns)
                cells += fmt::format("  {:>{}}", column.cells[line], column.width());
            text += fmt::format("{:>{}}", cells, group.width());
        }
        text += "\n";
    }
    return text;
}

std::string part(Lines lines, const std::string& what, std::string (*name)(const Line&)) {
    if (lines.empty()) return "";
    std::vector<Group> groups{{.title = "", .columns = {column(what, lines, name)}}};
    add_direction(groups, "write", lines, &Line::write);
    add_direction(groups, "read", lines, &Line::read);
    return "\n" + print(groups);
}

} // namespace

std::optional<double> Direction::gain() const {
    if (!blocking || !non_blocking) return std::nullopt;
    return percent_above(non_blocking->kib_per_s, blocking->kib_per_s);
}

std::optional<double> Direction::published_gain() const {
    if (!blocking || !non_blocking) return std::nullopt;
    return percent_above(non_blocking->published, blocking->published);
}

Table make_table(std::span<const measure::CaseResult> results, const measure::Published& published) {
    Table table;
    for (const measure::CaseResult& result : results) {
        const auto place = std::ranges::find(places, result.number, &Place::number);
        if (place == std::end(places)) continue;
        for (const trial::Row& row : result.rows) {
            Line& line = line_for(table.*(place->part), row);
            (line.*(place->direction)).*(place->column) = cell_of(result.number, row, published);
        }
    }
    return table;
}

std::string text_of(const Table& table) {
    std::string text = part(table.by_size, "request", [](const Line& line) { return kib(line.sectors); });
    text += part(table.by_sg_len, "sg_len", [](const Line& line) { return std::to_string(line.sg_len); });
    bool compared = false;
    for (const Lines lines : {Lines(table.by_size), Lines(table.by_sg_len)}) {
        for (const auto direction : {&Line::write, &Line::read}) {
            for (const auto column : {&Direction::blocking, &Direction::non_blocking}) {
                compared = compared || any_published(lines, direction, column);
            }
        }
    }
    if (text.empty()) return text;
    text += "\ngain: what non-blocking adds to the rate of blocking.";
    if (compared) {
        text += " publ.: as it was published. miss: simulated time\nagainst published time, + is slower; ! marks a "
                "miss above the row's "
                "tolerance.";
    }
    return text + "\n";
}

} // namespace mmcpipe::report
