//! The references of a dataset as the encoder sees them.

use std::sync::Arc;

use crate::encoder::{BertScoreOptions, Encoder, EncoderError, Idf, Reading};

/// What has been learnt from the references of one dataset.
///
/// Whether values may stand is decided by the references alone, which are the same for every system:
/// leaving out single answers would favour whoever writes unreadable ones.
#[derive(Debug, Default)]
pub(super) struct Corpus {
    reading: Reading,
    /// Held until the weights are computed, and only where weights are wanted.
    texts: Vec<String>,
    idf: Option<Arc<Idf>>,
}

impl Corpus {
    /// Reads the references of one case.
    pub(super) fn add(
        &mut self,
        encoder: &Encoder,
        references: &[&str],
        keep: bool,
    ) -> Result<(), EncoderError> {
        // Of a server's vocabulary nothing is known.
        if let Encoder::Local(encoder) = encoder {
            for reference in references {
                self.reading.add(&encoder.tokenize(reference)?);
            }
            if keep {
                self.texts
                    .extend(references.iter().map(|text| (*text).to_owned()));
            }
        }
        Ok(())
    }

    /// Computes the weights of tokens, when all references are there.
    pub(super) fn weigh(&mut self, encoder: &Encoder) -> Result<(), EncoderError> {
        if let Encoder::Local(encoder) = encoder
            && !self.texts.is_empty()
        {
            let texts: Vec<&str> = self.texts.iter().map(String::as_str).collect();
            self.idf = Some(Arc::new(Idf::of_texts(encoder, &texts)?));
            self.texts = Vec::new();
        }
        Ok(())
    }

    /// Why no value of the dataset may be a headline number, if so.
    pub(super) fn refusal(&self) -> Option<String> {
        self.reading.refusal()
    }

    /// The options of `BERTScore` with this dataset's weights.
    pub(super) fn options(&self, options: &BertScoreOptions) -> BertScoreOptions {
        BertScoreOptions {
            idf: self.idf.clone(),
            ..options.clone()
        }
    }
}
