//! The forward pass of BERT over texts that are laid end to end.

use crate::arithmetic::{
    Activation, Finish, Norm, PackedRows, Panels, Rows, add_and_norm, multiply, norm, softmax,
};
use crate::config::Config;
use crate::error::ModelError;
use crate::weights::Weights;

/// A BERT-like network without its head.
#[derive(Debug)]
pub(crate) struct Network {
    width: usize,
    heads: usize,
    inner: usize,
    first_position: usize,
    activation: Activation,
    words: Vec<f32>,
    /// Positions with the first token type added: texts are never paired.
    positions: Vec<f32>,
    embedding_norm: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    /// Queries, keys and values side by side.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    inner: Linear,
    output: Linear,
    output_norm: Norm,
}

#[derive(Debug)]
struct Linear {
    weights: Panels,
    bias: Vec<f32>,
}

impl Network {
    /// Takes the weights of a file.
    pub(crate) fn read(weights: &Weights, config: &Config) -> Result<Self, ModelError> {
        let (width, embeddings) = (config.width, "embeddings");
        let words = weights.get(
            &format!("{embeddings}.word_embeddings.weight"),
            &[config.vocabulary, width],
        )?;
        let mut positions = weights.get(
            &format!("{embeddings}.position_embeddings.weight"),
            &[config.positions, width],
        )?;
        let types = weights.get(
            &format!("{embeddings}.token_type_embeddings.weight"),
            &[config.token_types, width],
        )?;
        for position in positions.chunks_exact_mut(width) {
            for (value, kind) in position.iter_mut().zip(&types) {
                *value += kind;
            }
        }
        Ok(Self {
            width,
            heads: config.heads,
            inner: config.inner,
            first_position: config.first_position,
            activation: config.activation,
            words,
            positions,
            embedding_norm: read_norm(weights, config, embeddings)?,
            layers: (0..config.layers)
                .map(|index| Layer::read(weights, config, &format!("encoder.layer.{index}")))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The last layer.
    pub(crate) fn last_layer(&self) -> usize {
        self.layers.len()
    }

    /// Numbers of one hidden state.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Hidden states of all tokens of all texts, once for every layer of `wanted`, which ascends;
    /// layer 0 is the embeddings.
    ///
    /// Ids must be of the vocabulary, and texts no longer than the positions.
    pub(crate) fn forward(
        &self,
        texts: &[&[u32]],
        wanted: &[usize],
        space: &mut Workspace,
    ) -> Vec<Vec<f32>> {
        let count: usize = texts.iter().map(|text| text.len()).sum();
        space.make_room(self, count, texts.iter().map(|text| text.len()).max());
        self.embed(texts, &mut space.hidden);
        let mut states = Vec::with_capacity(wanted.len());
        for index in 0..=self.layers.len() {
            if let Some(layer) = index
                .checked_sub(1)
                .and_then(|index| self.layers.get(index))
            {
                self.apply(layer, texts, count, space);
            }
            if wanted.contains(&index) {
                states.push(space.hidden[..count * self.width].to_vec());
            }
            if wanted.iter().all(|&wanted| wanted <= index) {
                break;
            }
        }
        states
    }

    fn embed(&self, texts: &[&[u32]], hidden: &mut [f32]) {
        let width = self.width;
        let mut rows = hidden.chunks_exact_mut(width);
        let mut count = 0;
        for text in texts {
            let positions = self.positions.chunks_exact(width).skip(self.first_position);
            for ((id, position), row) in text.iter().zip(positions).zip(&mut rows) {
                let start = usize::try_from(*id)
                    .unwrap_or(usize::MAX)
                    .saturating_mul(width);
                // A vocabulary larger than the network has no such word: then zeros.
                let word = self.words.get(start..start.saturating_add(width));
                for (index, (value, position)) in row.iter_mut().zip(position).enumerate() {
                    *value = word.map_or(0.0, |word| word[index]) + position;
                }
            }
            count += text.len();
        }
        norm(&mut hidden[..count * width], &self.embedding_norm);
    }

    fn apply(&self, layer: &Layer, texts: &[&[u32]], count: usize, space: &mut Workspace) {
        let width = self.width;
        layer.attention.apply(
            rows(&space.hidden, width, count),
            None,
            &mut space.attention,
            &mut space.packed,
        );
        let mut first = 0;
        for text in texts {
            for head in 0..self.heads {
                self.attend(head, first, text.len(), space);
            }
            first += text.len();
        }
        layer.attention_output.apply(
            rows(&space.context, width, count),
            None,
            &mut space.projected,
            &mut space.packed,
        );
        let used = count * width;
        add_and_norm(
            &mut space.hidden[..used],
            &space.projected[..used],
            &layer.attention_norm,
        );
        for first in (0..count).step_by(INNER_ROWS) {
            let block = (count - first).min(INNER_ROWS);
            let hidden = rows(&space.hidden[first * width..], width, block);
            let packed = &mut space.packed;
            let activation = Some(self.activation);
            layer
                .inner
                .apply(hidden, activation, &mut space.inner, packed);
            let inner = rows(&space.inner, self.inner, block);
            let projected = &mut space.projected[first * width..];
            layer.output.apply(inner, None, projected, packed);
        }
        add_and_norm(
            &mut space.hidden[..used],
            &space.projected[..used],
            &layer.output_norm,
        );
    }

    /// One head of one text, whose `count` tokens start at `first`.
    fn attend(&self, head: usize, first: usize, count: usize, space: &mut Workspace) {
        let (width, all) = (self.width, 3 * self.width);
        let depth = width / self.heads;
        let start = first * all + head * depth;
        let stride = count.next_multiple_of(SCORE_STRIDE);
        let states = &space.attention;
        space
            .side
            .pack_transposed(&states[start + width..], all, count, depth);
        let queries = rows(&states[start..], all, count);
        let scale = Finish::Scale(1.0 / (depth as f32).sqrt());
        let packed = &mut space.packed;
        multiply(
            queries,
            &space.side,
            &mut space.scores,
            stride,
            scale,
            packed,
        );
        softmax(&mut space.scores[..count * stride], stride, count);
        space
            .side
            .pack(&states[start + 2 * width..], all, count, depth);
        let shares = rows(&space.scores, stride, count);
        let context = &mut space.context[first * width + head * depth..];
        let as_it_is = Finish::Scale(1.0);
        multiply(shares, &space.side, context, width, as_it_is, packed);
    }
}

const fn rows(data: &[f32], stride: usize, count: usize) -> Rows<'_> {
    Rows {
        data,
        stride,
        count,
    }
}

/// Rows that go through both layers of a feed-forward block together: what lies between the two,
/// the widest of all, then stays in a core's cache.
const INNER_ROWS: usize = 96;

/// Rows of scores start at multiples of a cache line.
const SCORE_STRIDE: usize = 16;

/// Memory of one forward pass, used again by the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    hidden: Vec<f32>,
    attention: Vec<f32>,
    scores: Vec<f32>,
    context: Vec<f32>,
    projected: Vec<f32>,
    inner: Vec<f32>,
    side: Panels,
    packed: PackedRows,
}

impl Workspace {
    fn make_room(&mut self, network: &Network, count: usize, longest: Option<usize>) {
        let longest = longest.unwrap_or(0);
        for (buffer, length) in [
            (&mut self.hidden, count * network.width),
            (&mut self.attention, count * 3 * network.width),
            (&mut self.context, count * network.width),
            (&mut self.projected, count * network.width),
            (&mut self.inner, count.min(INNER_ROWS) * network.inner),
            (
                &mut self.scores,
                longest * longest.next_multiple_of(SCORE_STRIDE),
            ),
        ] {
            if buffer.len() < length {
                buffer.resize(length, 0.0);
            }
        }
    }
}

impl Layer {
    fn read(weights: &Weights, config: &Config, name: &str) -> Result<Self, ModelError> {
        let (width, inner) = (config.width, config.inner);
        let mut attention = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            let name = format!("{name}.attention.self.{part}");
            attention
                .0
                .extend(weights.get(&format!("{name}.weight"), &[width, width])?);
            attention
                .1
                .extend(weights.get(&format!("{name}.bias"), &[width])?);
        }
        let linear = |part: &str, rows: usize, columns: usize| {
            let name = format!("{name}.{part}.dense");
            let matrix = weights.get(&format!("{name}.weight"), &[columns, rows])?;
            let bias = weights.get(&format!("{name}.bias"), &[columns])?;
            Ok::<_, ModelError>(Linear {
                weights: Panels::of_weights(&matrix, rows),
                bias,
            })
        };
        Ok(Self {
            attention: Linear {
                weights: Panels::of_weights(&attention.0, width),
                bias: attention.1,
            },
            attention_output: linear("attention.output", width, width)?,
            attention_norm: read_norm(weights, config, &format!("{name}.attention.output"))?,
            inner: linear("intermediate", width, inner)?,
            output: linear("output", inner, width)?,
            output_norm: read_norm(weights, config, &format!("{name}.output"))?,
        })
    }
}

impl Linear {
    fn apply(
        &self,
        rows: Rows<'_>,
        activation: Option<Activation>,
        out: &mut [f32],
        packed: &mut PackedRows,
    ) {
        let finish = match activation {
            None => Finish::Bias(&self.bias),
            Some(activation) => Finish::BiasThen(&self.bias, activation),
        };
        multiply(rows, &self.weights, out, self.bias.len(), finish, packed);
    }
}

fn read_norm(weights: &Weights, config: &Config, name: &str) -> Result<Norm, ModelError> {
    Ok(Norm {
        scale: weights.get(&format!("{name}.LayerNorm.weight"), &[config.width])?,
        shift: weights.get(&format!("{name}.LayerNorm.bias"), &[config.width])?,
        epsilon: config.norm_epsilon,
    })
}
