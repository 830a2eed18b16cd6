//! Rows of a query on the terminal.

use anyhow::{Context as _, Result};
use consilium_query::{QueryRows, pretty_format_batches};

use crate::arguments::RowFormat;
use crate::printer;

/// Prints rows to stdout.
pub(super) fn print_rows(rows: &QueryRows, format: RowFormat) -> Result<()> {
    match format {
        RowFormat::Table => {
            let table = pretty_format_batches(&rows.batches).context("print the rows")?;
            printer::line(&printer::visible(&table.to_string()))?;
        }
        RowFormat::Json => printer::line(&consilium_query::rows_as_json(rows)?)?,
        RowFormat::Csv => printer::data(&consilium_query::rows_as_csv(rows)?)?,
    }
    if rows.cut {
        printer::note("note: more rows were left out; raise --rows or add LIMIT");
    }
    Ok(())
}
