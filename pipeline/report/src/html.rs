//! One self-contained page: no script and nothing loaded from anywhere.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};

use crate::sheet::Page;

/// The suffix turns escaping on.
const NAME: &str = "report.html";
const TEMPLATE: &str = include_str!("../../../templates/report/report.html.jinja");
const STYLE: &str = include_str!("../../../templates/report/report.css");

/// Renders the page as one HTML file.
pub(crate) fn html(page: &Page) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()?,
    );
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template(NAME, TEMPLATE)?;
    let context = minijinja::context! { page => Serde(page), style => STYLE };
    environment.get_template(NAME)?.render(context)
}
