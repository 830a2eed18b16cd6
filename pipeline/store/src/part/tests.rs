use consilium_core::canonical::sha256_hex;
use consilium_core::{RunManifest, SampleRow};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::*;
use crate::fixtures::{call, manifest, new_run, sample};
use crate::{RunTable, sha256_file};

fn many_samples(count: u32) -> impl Iterator<Item = SampleRow> {
    (0..count).map(|number| sample(&format!("case-{number}"), 1, number % 7))
}

#[test]
fn what_is_written_is_read_and_matches_its_entry() {
    let (_folder, directory) = new_run();
    let parts = write_table(&directory, None, 3, 4000, many_samples(10_000)).unwrap();
    let rows: Vec<u64> = parts.iter().map(|part| part.rows).collect();
    assert_eq!(rows, [4000, 4000, 2000]);
    assert_eq!(parts[0].path, "samples/part-00003.parquet");
    for part in &parts {
        let path = directory.root().join(&part.path);
        assert_eq!(sha256_file(&path).unwrap(), part.sha256);
        assert_eq!(fs::metadata(&path).unwrap().len(), part.bytes);
    }
    let manifest = RunManifest {
        parts,
        ..manifest()
    };
    let read: Vec<SampleRow> = read_rows(&directory, &manifest)
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(read.into_iter().eq(many_samples(10_000)));
}

#[test]
fn no_rows_make_no_part() {
    let (_folder, directory) = new_run();
    assert!(
        write_table(&directory, None, 0, 2, many_samples(0))
            .unwrap()
            .is_empty()
    );
    // A full last part is not followed by an empty one.
    assert_eq!(
        write_table(&directory, None, 0, 2, many_samples(4))
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn the_same_rows_are_the_same_bytes_in_every_run() {
    let (_first, first) = new_run();
    let (_second, second) = new_run();
    let write = |directory| write_table(directory, None, 0, 9999, many_samples(5000));
    assert_eq!(write(&first).unwrap(), write(&second).unwrap());
}

#[test]
fn the_file_says_what_the_schema_says() {
    let (_folder, directory) = new_run();
    let rows = (0..20_000).map(|seq| call("c", 1, seq));
    let parts = write_table(&directory, Some("1of2"), 0, 50_000, rows).unwrap();
    assert_eq!(parts[0].path, "calls/part-1of2-00000.parquet");
    let file = File::open(directory.root().join(&parts[0].path)).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.schema().fields(), RunTable::Calls.schema().fields());
    let groups: Vec<i64> = reader
        .metadata()
        .row_groups()
        .iter()
        .map(parquet::file::metadata::RowGroupMetaData::num_rows)
        .collect();
    assert_eq!(groups, [16_384, 3616]);
    assert_eq!(
        reader.metadata().file_metadata().created_by(),
        Some("consilium")
    );
}

#[test]
fn an_abandoned_part_leaves_nothing() {
    let (_folder, directory) = new_run();
    let mut part = PartWriter::create(&directory, "part-00000").unwrap();
    part.push(sample("c", 1, 0)).unwrap();
    drop(part);
    let folder = directory.table_folder(RunTable::Samples);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn a_part_named_by_content_bears_its_hash() {
    let (_folder, directory) = new_run();
    let mut part = PartWriter::create(&directory, "part-00000").unwrap();
    part.push(sample("c", 1, 0)).unwrap();
    let entry = part
        .finish_as(|stem, sha256| format!("{stem}-{}", &sha256[..8]))
        .unwrap();
    let bytes = fs::read(directory.root().join(&entry.path)).unwrap();
    let expected = format!("samples/part-00000-{}.parquet", &sha256_hex(&bytes)[..8]);
    assert_eq!(entry.path, expected);
}
