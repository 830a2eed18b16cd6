//! Training cases in an index that is searched by BM25.

use std::collections::BTreeMap;
use std::fmt;

use tantivy::collector::TopDocs;
use tantivy::directory::RamDirectory;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, Searcher, TantivyDocument, TantivyError, Term};

use super::terms::terms;

/// Memory of the writer; beyond it the index is still one segment, written more slowly.
const WRITER_BYTES: usize = 64 << 20;

/// An index of texts by their position in a list.
pub(super) struct TextIndex {
    searcher: Searcher,
    field: Field,
}

impl TextIndex {
    /// Indexes texts in memory, in one segment, so that positions are those of the list.
    pub(super) fn new(texts: impl IntoIterator<Item = String>) -> Result<Self, TantivyError> {
        let mut schema = Schema::builder();
        // Terms are made here, so that a question and an index are always cut alike.
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("whitespace")
            .set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(indexing);
        let field = schema.add_text_field("text", options);
        let mut writer = Index::builder()
            .schema(schema.build())
            .single_segment_index_writer(RamDirectory::create(), WRITER_BYTES)?;
        for text in texts {
            let mut document = TantivyDocument::default();
            document.add_text(field, terms(&text).join(" "));
            writer.add_document(document)?;
        }
        let searcher = writer.finalize()?.reader()?.searcher();
        Ok(Self { searcher, field })
    }

    /// Position and BM25 score of the text that is most like a query; of equals the first. `None`
    /// when no text shares a term with it.
    pub(super) fn nearest(&self, query: &str) -> Result<Option<(usize, f32)>, TantivyError> {
        let mut counts: BTreeMap<String, f32> = BTreeMap::new();
        for term in terms(query) {
            *counts.entry(term).or_default() += 1.0;
        }
        let clauses: Vec<(Occur, Box<dyn Query>)> = counts
            .into_iter()
            .map(|(term, count)| {
                let term = Term::from_field_text(self.field, &term);
                let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
                let clause: Box<dyn Query> = Box::new(BoostQuery::new(Box::new(term), count));
                (Occur::Should, clause)
            })
            .collect();
        if clauses.is_empty() {
            return Ok(None);
        }
        let best = self.searcher.search(
            &BooleanQuery::new(clauses),
            &TopDocs::with_limit(1).order_by_score(),
        )?;
        Ok(best
            .first()
            .and_then(|(score, place)| Some((usize::try_from(place.doc_id).ok()?, *score))))
    }
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TextIndex")
            .field("texts", &self.searcher.num_docs())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(texts: &[&str], query: &str) -> Option<usize> {
        let index = TextIndex::new(texts.iter().map(|&text| text.to_owned())).unwrap();
        index.nearest(query).unwrap().map(|(position, _)| position)
    }

    #[test]
    fn rare_shared_terms_decide() {
        let texts = [
            "A man with fever and cough",
            "A man with fever and a butterfly rash",
            "A woman with cough",
        ];
        assert_eq!(nearest(&texts, "woman, butterfly rash, fever"), Some(1));
        assert_eq!(nearest(&texts, "COUGH in a woman"), Some(2));
        assert_eq!(nearest(&texts, "zebra"), None);
        assert_eq!(nearest(&texts, ""), None);
    }

    #[test]
    fn the_score_is_bm25() {
        // Two texts of two terms; one holds the term: idf = ln(1 + (2 - 1 + 0.5) / (1 + 0.5)) = ln 2,
        // and at the average length tf = 1 * 2.2 / (1 + 1.2) = 1.
        let texts = ["gout toe", "lupus rash"].map(str::to_owned);
        let (position, score) = TextIndex::new(texts)
            .unwrap()
            .nearest("gout")
            .unwrap()
            .unwrap();
        assert_eq!(position, 0);
        assert!((score - std::f32::consts::LN_2).abs() < 1e-5, "{score}");
        // A term asked for twice counts twice.
        let texts = ["gout toe", "lupus rash"].map(str::to_owned);
        let (_, twice) = TextIndex::new(texts)
            .unwrap()
            .nearest("gout gout")
            .unwrap()
            .unwrap();
        assert!(
            (twice - 2.0 * std::f32::consts::LN_2).abs() < 1e-5,
            "{twice}"
        );
    }

    #[test]
    fn chinese_is_compared_by_pairs_of_characters() {
        let texts = [
            "舌质淡红，苔薄白，脉弦",
            "舌红少苔，脉细数",
            "腰膝酸软，夜尿频多",
        ];
        assert_eq!(nearest(&texts, "舌红，少苔"), Some(1));
        assert_eq!(nearest(&texts, "夜尿频"), Some(2));
    }

    #[test]
    fn of_equal_texts_the_first_is_taken() {
        assert_eq!(nearest(&["x", "gout", "gout", "gout"], "gout"), Some(1));
    }
}
