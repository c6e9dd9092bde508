// md4c parses and calls back for each block, span and piece of text; what is written is decided
// here, so that nothing of a text becomes markup but the elements below. Texts and addresses are
// escaped as all texts of a page are. A character reference is decoded, or shown as it is written.

#include "markdown.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "chart/html_text.hpp"
#include "chart/safe_text.hpp"

#ifdef ROOFLAB_HAS_MD4C
#include <md4c.h>
#endif

namespace rooflab::page {

#ifdef ROOFLAB_HAS_MD4C
namespace {

/// A level-1 heading of a text is below a section's, which is `<h2>`.
constexpr unsigned lower_by = 2;

/// `&amp;`, `&#956;`, `&#x3bc;` as text; what is not known stays as it is.
std::string decoded(std::string_view reference) {
  using Named = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Named, 14> names = {{{"&amp;", "&"},
                                            {"&lt;", "<"},
                                            {"&gt;", ">"},
                                            {"&quot;", "\""},
                                            {"&apos;", "'"},
                                            {"&nbsp;", "\u00a0"},
                                            {"&times;", "\u00d7"},
                                            {"&micro;", "\u00b5"},
                                            {"&plusmn;", "\u00b1"},
                                            {"&deg;", "\u00b0"},
                                            {"&ndash;", "\u2013"},
                                            {"&mdash;", "\u2014"},
                                            {"&hellip;", "\u2026"},
                                            {"&copy;", "\u00a9"}}};
  const auto named = std::ranges::find(names, reference, &Named::first);
  if (named != names.end()) return std::string(named->second);
  if (!reference.starts_with("&#") || !reference.ends_with(';')) return std::string(reference);
  std::string_view digits = reference.substr(2, reference.size() - 3);
  const bool is_hex = digits.starts_with('x') || digits.starts_with('X');
  if (is_hex) digits.remove_prefix(1);
  constexpr char32_t last = 0x10FFFF;
  char32_t value = 0;
  for (const char c : lowercase(digits)) {
    const auto digit = static_cast<char32_t>(c >= 'a' ? c - 'a' + 10 : c - '0');
    value = std::min<char32_t>(value * (is_hex ? 16 : 10) + digit, last + 1);
  }
  const bool is_character = value > 0 && value <= last && (value < 0xD800 || value > 0xDFFF);
  std::string text;
  chart::append_utf8(text, is_character ? value : U'\uFFFD');
  return text;
}

std::string text_of(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (unsigned i = 0; attribute.text != nullptr && attribute.substr_offsets[i] < attribute.size;
       ++i) {
    const unsigned begin = attribute.substr_offsets[i];
    const std::string_view piece(attribute.text + begin, attribute.substr_offsets[i + 1] - begin);
    const bool is_reference = attribute.substr_types[i] == MD_TEXT_ENTITY;
    text += is_reference ? decoded(piece) : std::string(piece);
  }
  return text;
}

bool is_good_address(std::string_view address) {
  const std::string lower = lowercase(address);
  constexpr std::array<std::string_view, 4> good = {"http://", "https://", "mailto:", "#"};
  return std::ranges::any_of(good,
                             [&lower](std::string_view each) { return lower.starts_with(each); });
}

class MarkdownWriter {
 public:
  void open_block(MD_BLOCKTYPE type, const void* detail) {
    switch (type) {
      case MD_BLOCK_OL: {
        const unsigned start = static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start;
        html_ += start == 1 ? "<ol>\n" : format("<ol start=\"{}\">\n", start);
        break;
      }
      case MD_BLOCK_HR:
        html_ += "<hr>\n";
        break;
      case MD_BLOCK_H:
        html_ += format("<h{}>", heading_level(detail));
        break;
      case MD_BLOCK_CODE:
        html_ += "<pre><code>";
        in_code_block_ = true;
        break;
      case MD_BLOCK_TABLE:
        html_ += "<div class=\"scroll\"><table>\n";
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: {
        const MD_ALIGN align = static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align;
        html_ += format("<{}{}>", type == MD_BLOCK_TH ? "th" : "td",
                        align == MD_ALIGN_RIGHT ? "" : " class=\"left\"");
        break;
      }
      default:
        if (const std::string_view name = name_of_block(type); !name.empty()) {
          html_ += format("<{}>", name);
        }
    }
  }

  void close_block(MD_BLOCKTYPE type, const void* detail) {
    switch (type) {
      case MD_BLOCK_OL:
        html_ += "</ol>\n";
        break;
      case MD_BLOCK_H:
        html_ += format("</h{}>\n", heading_level(detail));
        break;
      case MD_BLOCK_CODE:
        html_ += "</code></pre>\n";
        in_code_block_ = false;
        break;
      case MD_BLOCK_TABLE:
        html_ += "</table></div>\n";
        break;
      case MD_BLOCK_TH:
        html_ += "</th>";
        break;
      case MD_BLOCK_TD:
        html_ += "</td>";
        break;
      default:
        if (const std::string_view name = name_of_block(type); !name.empty()) {
          html_ += format("</{}>\n", name);
        }
    }
  }

  void open_span(MD_SPANTYPE type, const void* detail) {
    if (type == MD_SPAN_A) {
      const std::string address = text_of(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
      links_.push_back(is_good_address(address));
      if (links_.back()) {
        html_ += format("<a href=\"{}\" rel=\"noopener noreferrer\">", chart::html_text(address));
      }
    } else if (type == MD_SPAN_IMG) {
      html_ += "<span class=\"soft\">[image: ";
    } else if (const std::string_view name = name_of_span(type); !name.empty()) {
      html_ += format("<{}>", name);
    }
  }

  void close_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_A) {
      if (links_.back()) html_ += "</a>";
      links_.pop_back();
    } else if (type == MD_SPAN_IMG) {
      html_ += "]</span>";
    } else if (const std::string_view name = name_of_span(type); !name.empty()) {
      html_ += format("</{}>", name);
    }
  }

  void add_text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_NULLCHAR:
        html_ += "\uFFFD";
        break;
      case MD_TEXT_BR:
        html_ += "<br>\n";
        break;
      case MD_TEXT_SOFTBR:
        html_ += "\n";
        break;
      case MD_TEXT_ENTITY:
        html_ += chart::html_text(decoded(text));
        break;
      default:
        add_lines(text);
    }
  }

  [[nodiscard]] std::string take() { return std::move(html_); }

 private:
  static unsigned heading_level(const void* detail) {
    constexpr unsigned lowest = 6;
    return std::min(lowest, static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level + lower_by);
  }

  /// The element of a block without attributes; empty for other blocks.
  static std::string_view name_of_block(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        return "blockquote";
      case MD_BLOCK_UL:
        return "ul";
      case MD_BLOCK_LI:
        return "li";
      case MD_BLOCK_P:
        return "p";
      case MD_BLOCK_THEAD:
        return "thead";
      case MD_BLOCK_TBODY:
        return "tbody";
      case MD_BLOCK_TR:
        return "tr";
      default:
        return "";
    }
  }

  static std::string_view name_of_span(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_EM:
        return "em";
      case MD_SPAN_STRONG:
        return "strong";
      case MD_SPAN_CODE:
        return "code";
      case MD_SPAN_DEL:
        return "del";
      default:
        return "";
    }
  }

  /// Only a block of code has separate lines.
  void add_lines(std::string_view text) {
    if (!in_code_block_) {
      html_ += chart::html_text(text);
      return;
    }
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
      html_ += chart::html_text(text.substr(begin, end - begin)) + "\n";
    }
    html_ += chart::html_text(text.substr(begin));
  }

  std::string html_;
  std::vector<bool> links_;  ///< for each that is open: whether it is written
  bool in_code_block_ = false;
};

MarkdownWriter& writer_at(void* place) { return *static_cast<MarkdownWriter*>(place); }

}  // namespace

bool renders_markdown() { return true; }

std::string html_markdown(std::string_view text) {
  if (trim(text).empty()) return {};
  MD_PARSER parser = {};
  parser.flags =
      MD_FLAG_NOHTML | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* writer) {
    writer_at(writer).open_block(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* writer) {
    writer_at(writer).close_block(type, detail);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* writer) {
    writer_at(writer).open_span(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* writer) {
    writer_at(writer).close_span(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* piece, MD_SIZE size, void* writer) {
    writer_at(writer).add_text(type, {piece, size});
    return 0;
  };
  MarkdownWriter writer;
  (void)md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &writer);
  return format("<div class=\"prose\">\n{}</div>\n", writer.take());
}

#else

bool renders_markdown() { return false; }

std::string html_markdown(std::string_view text) {
  if (trim(text).empty()) return {};
  std::string html = "<div class=\"prose\">\n";
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) html += format("<p>{}</p>\n", std::exchange(paragraph, {}));
  };
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty()) {
      end_paragraph();
    } else {
      paragraph += format("{}{}", paragraph.empty() ? "" : "<br>\n", chart::html_text(trim(line)));
    }
  }
  end_paragraph();
  return html +
         "<p class=\"soft\">Shown as it is written: this build renders no Markdown"
         " (md4c was not found).</p>\n</div>\n";
}

#endif

}  // namespace rooflab::page
