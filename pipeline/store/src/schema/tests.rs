use std::fmt::Write;

use super::*;

/// The columns of every table, one a line: what SQL and other programs rely on.
fn all_tables() -> String {
    let mut text = String::new();
    for table in RunTable::ALL {
        writeln!(text, "{}", table.name()).unwrap();
        for field in table.schema().fields() {
            let null = if field.is_nullable() { "?" } else { "" };
            writeln!(text, "  {}{null}: {}", field.name(), field.data_type()).unwrap();
        }
    }
    text
}

#[test]
fn the_public_columns_do_not_change_unnoticed() {
    insta::assert_snapshot!(all_tables());
}
