//! Self-contained pages: no script and nothing loaded from anywhere.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior};

use crate::case_page::CaseView;
use crate::sheet::Page;

/// A template; the ending of its name turns escaping on.
struct Template {
    name: &'static str,
    text: &'static str,
}

const REPORT: Template = Template {
    name: "report.html",
    text: include_str!("../../../templates/report/report.html.jinja"),
};
const CASE: Template = Template {
    name: "case.html",
    text: include_str!("../../../templates/report/case.html.jinja"),
};
const STYLE: &str = include_str!("../../../templates/report/report.css");

/// Renders the report as one HTML file.
pub(crate) fn html(page: &Page) -> Result<String, minijinja::Error> {
    fill(
        &REPORT,
        minijinja::context! { page => Serde(page), style => STYLE },
    )
}

/// Renders the page of one case as one HTML file.
pub(crate) fn case(view: &CaseView) -> Result<String, minijinja::Error> {
    fill(
        &CASE,
        minijinja::context! { page => Serde(view), style => STYLE },
    )
}

fn fill(template: &Template, context: Value) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()?,
    );
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template(template.name, template.text)?;
    environment.get_template(template.name)?.render(context)
}
