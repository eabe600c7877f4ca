//! Charts as SVG: bar charts, and line charts for growth. They are legible on light and dark pages.

use std::fmt::Write;

pub(super) struct BarRow {
    pub(super) label: String,
    pub(super) value: f64,
    /// The formatted value.
    pub(super) text: String,
}

pub(super) struct Line {
    pub(super) label: String,
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const LABEL_WIDTH: f64 = 150.0;
const VALUE_WIDTH: f64 = 90.0;
const ROW_HEIGHT: f64 = 30.0;
const HEAD_HEIGHT: f64 = 40.0;
const FOOT_HEIGHT: f64 = 34.0;
const PLOT_HEIGHT: f64 = 300.0;

/// The colour of a contestant. Contestants of one library share it.
fn colour(label: &str) -> &'static str {
    match label {
        label if label.starts_with("tidings-p") => "#0f766e",
        label if label.starts_with("tidings") => "#14b8a6",
        label if label.starts_with("client-go") => "#94a3b8",
        _ => "#cbd5e1",
    }
}

/// A chart with horizontal bars, each with its value.
pub(super) fn bars(title: &str, axis: &str, rows: &[BarRow]) -> String {
    let longest = rows.iter().map(|row| row.value).fold(0.0, f64::max);
    let room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
    let height = HEAD_HEIGHT + ROW_HEIGHT * rows.len() as f64 + FOOT_HEIGHT;
    let mut svg = Svg::new(height, title);
    for (at, row) in rows.iter().enumerate() {
        let top = HEAD_HEIGHT + ROW_HEIGHT * at as f64;
        let width = if longest > 0.0 { (room * row.value / longest).max(1.0) } else { 1.0 };
        let baseline = top + ROW_HEIGHT * 0.62;
        svg.text(LABEL_WIDTH - 8.0, baseline, "end", &row.label);
        svg.rectangle(LABEL_WIDTH, top + 4.0, width, ROW_HEIGHT - 8.0, colour(&row.label));
        svg.text(LABEL_WIDTH + width + 6.0, baseline, "start", &row.text);
    }
    let bottom = HEAD_HEIGHT + ROW_HEIGHT * rows.len() as f64;
    svg.line((LABEL_WIDTH, HEAD_HEIGHT), (LABEL_WIDTH, bottom), "#888888", 1.0);
    svg.text(LABEL_WIDTH, bottom + 22.0, "start", axis);
    svg.finish()
}

/// A chart with two logarithmic axes. Linear growth is a line of 45 degrees.
pub(super) fn lines(title: &str, axes: (&str, &str), lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points).filter(|(x, y)| *x > 0.0 && *y > 0.0);
    let height = HEAD_HEIGHT + PLOT_HEIGHT + FOOT_HEIGHT * 2.0;
    let mut svg = Svg::new(height, title);
    let (xs, ys) = (decades(points().map(|point| point.0)), decades(points().map(|point| point.1)));
    let (left, right) = (LABEL_WIDTH * 0.5, WIDTH - LABEL_WIDTH);
    let (top, bottom) = (HEAD_HEIGHT, HEAD_HEIGHT + PLOT_HEIGHT);
    let place = |(x, y): (f64, f64)| {
        let along = (x.log10() - xs.0) / (xs.1 - xs.0);
        let up = (y.log10() - ys.0) / (ys.1 - ys.0);
        (left + along * (right - left), bottom - up * (bottom - top))
    };
    for decade in steps(xs) {
        let (x, _) = place((10f64.powf(decade), 1.0));
        svg.line((x, top), (x, bottom), "#88888855", 1.0);
        svg.text(x, bottom + 18.0, "middle", &power(decade));
    }
    for decade in steps(ys) {
        let (_, y) = place((1.0, 10f64.powf(decade)));
        svg.line((left, y), (right, y), "#88888855", 1.0);
        svg.text(left - 6.0, y + 4.0, "end", &power(decade));
    }
    for line in lines {
        let placed: Vec<_> = line.points.iter().map(|point| place(*point)).collect();
        for pair in placed.windows(2) {
            svg.line(pair[0], pair[1], colour(&line.label), 2.5);
        }
        for (x, y) in &placed {
            svg.circle(*x, *y, colour(&line.label));
        }
        if let Some((x, y)) = placed.last() {
            svg.text(x + 8.0, y + 4.0, "start", &line.label);
        }
    }
    svg.text((left + right) / 2.0, bottom + 40.0, "middle", axes.0);
    svg.text(left, top - 8.0, "start", axes.1);
    svg.finish()
}

/// The range of decades that contains all values, at least one decade.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        low = low.min(value.log10().floor());
        high = high.max(value.log10().ceil());
    }
    if low.is_finite() { (low, high.max(low + 1.0)) } else { (0.0, 1.0) }
}

fn steps((low, high): (f64, f64)) -> impl Iterator<Item = f64> {
    (0..=(high - low) as usize).map(move |step| low + step as f64)
}

fn power(decade: f64) -> String {
    let value = 10f64.powf(decade);
    if decade < 0.0 { format!("{value:.*}", (-decade) as usize) } else { format!("{value:.0}") }
}

struct Svg {
    text: String,
}

impl Svg {
    fn new(height: f64, title: &str) -> Self {
        let mut text = String::new();
        let style = "font: 13px sans-serif; fill: #64748b";
        write!(
            text,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" style="{style}">"#
        )
        .expect("a string can be written to");
        let title = escaped(title);
        write!(
            text,
            r#"<title>{title}</title><text x="8" y="20" font-weight="bold" font-size="15">{title}</text>"#
        )
        .expect("a string can be written to");
        text.push('\n');
        Svg { text }
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        self.add(&format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#, escaped(text)));
    }

    fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        self.add(&format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="2" fill="{fill}"/>"#
        ));
    }

    fn circle(&mut self, x: f64, y: f64, fill: &str) {
        self.add(&format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{fill}"/>"#));
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        self.add(&format!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{stroke}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    fn add(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }

    fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, value: f64) -> BarRow {
        BarRow { label: label.to_owned(), value, text: format!("{value} s") }
    }

    #[test]
    fn the_longest_bar_fills_the_room_and_the_others_are_in_proportion() {
        let svg = bars("CPU", "seconds", &[row("tidings-json", 2.5), row("client-go-json", 10.0)]);
        assert!(svg.contains(r#"width="480.0""#) && svg.contains(r#"width="120.0""#), "{svg}");
        assert!(svg.contains(">2.5 s<") && svg.contains(">client-go-json<") && svg.contains(">seconds<"));
    }

    #[test]
    fn text_can_not_become_markup() {
        let svg = bars("a < b & c", "x", &[row("<script>", 0.0)]);
        assert!(svg.contains("a &lt; b &amp; c") && !svg.contains("<script>"), "{svg}");
    }

    #[test]
    fn linear_growth_is_a_line_of_45_degrees() {
        let line = Line { label: "tidings-json".to_owned(), points: vec![(1e4, 0.1), (1e6, 10.0)] };
        let svg = lines("growth", ("objects", "seconds"), &[line]);
        // From the lower left corner to the upper right one.
        assert!(svg.contains(r#"x1="75.0" y1="340.0" x2="570.0" y2="40.0""#), "{svg}");
    }

    #[test]
    fn nothing_to_show_is_an_empty_chart() {
        assert!(lines("growth", ("x", "y"), &[]).ends_with("</svg>\n"));
        assert!(bars("none", "x", &[]).ends_with("</svg>\n"));
    }
}
