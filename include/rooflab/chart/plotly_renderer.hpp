#pragma once

#include <string>
#include <string_view>

#include "rooflab/base/json.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// The chart for Plotly.newPlot() of Plotly's basic bundle (2.35 or later): `{data, layout,
/// config}`.
///
/// One trace of markers per series (in order, after the guides, whose traces have no markers), with
/// the point's label, values and details as hover text; labels as annotations at the places of
/// label placement for that size. Backgrounds are transparent and no colour of text is set: the
/// page sets `layout.font.color`. `layout.meta` is `{hidden_labels, left_out_points}`. Captions are
/// the page's. Throws Error (usage) for a size out of bounds.
[[nodiscard]] Json plotly_figure(const Chart& chart, Size size = {});

/// A `<figure class="rooflab-chart">` for a page that has loaded Plotly: a `<div>` with that id,
/// the script that draws into it in the page's colours (and again when the reader changes between
/// light and dark), and the captions. Nothing in the chart can end the script or add markup.
///
/// `element_id` has ASCII letters, digits, `-` and `_`, and begins with a letter.
[[nodiscard]] std::string render_html_fragment(const Chart& chart, std::string_view element_id,
                                               Size size = {});

/// The same figure for a page without Plotly: gnuplot's SVG as an image within the page. Throws as
/// render_gnuplot() does.
[[nodiscard]] std::string render_html_image(const Chart& chart, Size size = {});

}  // namespace rooflab::chart
