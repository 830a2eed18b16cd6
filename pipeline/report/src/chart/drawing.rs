//! Shapes and text of a figure, and how they become SVG.

use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Colours that depend on where the figure stands.
pub(super) struct Theme {
    pub text: &'static str,
    pub soft: &'static str,
    pub hair: &'static str,
    /// Behind a label that a band would strike through.
    pub veil: &'static str,
    /// Where the figure stands alone: its paper and fonts, and a heading.
    card: Option<Card>,
}

struct Card {
    paper: &'static str,
    fonts: &'static str,
}

impl Theme {
    /// In a page, whose style sheet knows whether it is light or dark.
    pub(super) const PAGE: Self = Self {
        text: "currentColor",
        soft: "var(--soft)",
        hair: "var(--hair)",
        veil: "var(--paper)",
        card: None,
    };

    /// Alone, on a white card.
    pub(super) const FILE: Self = Self {
        text: "#1b1e22",
        soft: "#59616b",
        hair: "#d5d9de",
        veil: "#ffffff",
        card: Some(Card {
            paper: "#ffffff",
            fonts: "system-ui, Segoe UI, Roboto, Noto Sans, Arial, PingFang SC, Microsoft YaHei, Noto \
                    Sans CJK SC, sans-serif",
        }),
    };
}

/// Tones that are legible on white and on near black, and apart for the colour-blind.
pub(super) mod tone {
    pub(in super::super) const BLUE: &str = "#3b82c4";
    pub(in super::super) const ORANGE: &str = "#d4692a";
    pub(in super::super) const YELLOW: &str = "#b08a1a";
    pub(in super::super) const TEAL: &str = "#1f9a8a";
    pub(in super::super) const MAUVE: &str = "#a066b0";
    pub(in super::super) const GREY: &str = "#868d97";
}

/// Space around the drawing, in pixels.
const MARGIN: f64 = 12.0;
/// Height of the heading of a figure that stands alone, in pixels.
const HEADING: f64 = 24.0;
/// Size of text, in pixels.
pub(super) const TEXT: u32 = 12;

/// A figure being drawn; the origin is its upper left corner inside the margin.
pub(super) struct Drawing {
    width: f64,
    height: f64,
    elements: Vec<Primitive>,
}

/// Which point of a text stands at its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
}

impl Drawing {
    pub(super) fn new(width: f64) -> Self {
        Self {
            width,
            height: 0.0,
            elements: Vec::new(),
        }
    }

    fn reach(&mut self, y: f64) {
        self.height = self.height.max(y);
    }

    /// Text whose middle is at this height.
    pub(super) fn text(&mut self, (x, y): (f64, f64), content: &str, ink: &str, anchor: Anchor) {
        self.write((x, y), content, ink, anchor, false);
    }

    /// The same in bold.
    pub(super) fn bold(&mut self, at: (f64, f64), content: &str, ink: &str) {
        self.write(at, content, ink, Anchor::Start, true);
    }

    fn write(&mut self, (x, y): (f64, f64), content: &str, ink: &str, anchor: Anchor, bold: bool) {
        self.elements.push(Primitive::Text {
            x: x + MARGIN,
            // From the middle of a lowercase letter down to the line it stands on.
            y: y + MARGIN + f64::from(TEXT) * 0.35,
            content: literal(content),
            size: TEXT,
            anchor: match anchor {
                Anchor::Start => TextAnchor::Start,
                Anchor::Middle => TextAnchor::Middle,
            },
            rotate: None,
            bold,
            color: Some(Color::from(ink)),
        });
        self.reach(y + f64::from(TEXT) * 0.7);
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: &str, width: f64) {
        self.elements.push(Primitive::Line {
            x1: from.0 + MARGIN,
            y1: from.1 + MARGIN,
            x2: to.0 + MARGIN,
            y2: to.1 + MARGIN,
            stroke: Color::from(ink),
            stroke_width: width,
            stroke_dasharray: None,
        });
        self.reach(from.1.max(to.1));
    }

    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, ink: &str) {
        self.elements.push(Primitive::Circle {
            cx: x + MARGIN,
            cy: y + MARGIN,
            r: radius,
            fill: Color::from(ink),
            fill_opacity: None,
            stroke: None,
            stroke_width: None,
        });
        self.reach(y + radius);
    }

    pub(super) fn block(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), ink: &str) {
        self.elements.push(Primitive::Rect {
            x: x + MARGIN,
            y: y + MARGIN,
            width,
            height,
            fill: Color::from(ink),
            stroke: None,
            stroke_width: None,
            opacity: None,
        });
        self.reach(y + height);
    }

    /// A band from one upright edge to another, each given by its x, top and bottom.
    pub(super) fn band(&mut self, from: (f64, f64, f64), to: (f64, f64, f64), ink: &str) {
        let place = |(x, top, bottom): (f64, f64, f64)| (x + MARGIN, top + MARGIN, bottom + MARGIN);
        let ((x0, top0, bottom0), (x1, top1, bottom1)) = (place(from), place(to));
        let middle = f64::midpoint(x0, x1);
        let d = format!(
            "M{x0:.2} {top0:.2}C{middle:.2} {top0:.2} {middle:.2} {top1:.2} {x1:.2} {top1:.2}V{bottom1:.2}\
             C{middle:.2} {bottom1:.2} {middle:.2} {bottom0:.2} {x0:.2} {bottom0:.2}Z"
        );
        self.elements.push(Primitive::Path(Box::new(PathData {
            d,
            fill: Some(Color::from(ink)),
            // An edge keeps the band of a single sample visible.
            stroke: Color::from(ink),
            stroke_width: 0.6,
            opacity: Some(0.34),
            stroke_dasharray: None,
        })));
        self.reach(from.2.max(to.2));
    }

    /// Text with its paper behind it.
    pub(super) fn veiled_text(&mut self, (x, y): (f64, f64), content: &str, theme: &Theme) {
        let height = f64::from(TEXT) + 3.0;
        self.elements.push(Primitive::Rect {
            x: x + MARGIN - 2.0,
            y: y + MARGIN - height / 2.0,
            width: content.width() as f64 * f64::from(TEXT) * 0.51 + 4.0,
            height,
            fill: Color::from(theme.veil),
            stroke: None,
            stroke_width: None,
            opacity: Some(0.8),
        });
        self.text((x, y), content, theme.text, Anchor::Start);
    }

    /// A remark below everything drawn so far.
    pub(super) fn mark(&mut self, text: &str, theme: &Theme) {
        let y = self.height + 14.0;
        self.text((0.0, y), text, theme.soft, Anchor::Start);
    }

    /// The figure as an SVG element.
    pub(super) fn render(
        self,
        stem: &str,
        title: &str,
        description: &str,
        theme: &Theme,
    ) -> String {
        let heading = if theme.card.is_some() { HEADING } else { 0.0 };
        let (width, height) = (
            (self.width + 2.0 * MARGIN).ceil(),
            (self.height + 2.0 * MARGIN + heading).ceil(),
        );
        let mut scene = Scene::new(width, height);
        scene.background_color = theme.card.as_ref().map(|card| card.paper.to_owned());
        scene.font_family = theme.card.as_ref().map(|card| card.fonts.to_owned());
        scene.elements = self.elements;
        if theme.card.is_some() {
            scene.elements.insert(
                0,
                Primitive::GroupStart {
                    transform: Some(format!("translate(0,{HEADING})")),
                    title: None,
                    extra_attrs: None,
                },
            );
            scene.elements.push(Primitive::GroupEnd);
            let mut above = Self::new(self.width);
            above.bold((0.0, 4.0), title, theme.text);
            scene.elements.extend(above.elements);
        }
        let svg = SvgBackend::new().render_scene(&scene);
        // kuva writes neither a view box nor a name; its own remark is the first child.
        let body = svg.split_once("-->").map_or(svg.as_str(), |(_, body)| body);
        let head = svg.split_once('>').map_or("<svg", |(head, _)| head);
        let id = format!("figure-{stem}");
        format!(
            "{head} viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-title \
             {id}-description\"><title id=\"{id}-title\">{}</title><desc \
             id=\"{id}-description\">{}</desc>{body}",
            escaped(title),
            escaped(description)
        )
    }
}

/// kuva reads `$…$` as mathematics; an escaped dollar is a dollar.
fn literal(text: &str) -> String {
    text.replace('$', "\\$")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The text cut to a number of narrow characters; one that is cut ends in an ellipsis.
pub(super) fn fitted(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > room {
            break;
        }
        out.push(character);
    }
    out + "…"
}
