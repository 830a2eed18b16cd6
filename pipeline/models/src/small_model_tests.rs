//! A small model with made-up weights, against candle's implementation of the same network.

use std::collections::HashMap;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{bert, xlm_roberta};
use serde_json::{Value, json};

use super::*;

const WIDTH: usize = 40;
const INNER: usize = 70;
const LAYERS: usize = 3;
const POSITIONS: usize = 24;
const WORDS: [&str; 14] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "renal", "failure", "acute", "##ly", "no", "fever", ".",
    "肾", "heart", "##s",
];

fn tensors() -> HashMap<String, Tensor> {
    let mut seed = 0.0_f32;
    let mut tensor = |shape: &[usize], spread: f32, middle: f32| {
        let count: usize = shape.iter().product();
        let values: Vec<f32> = (0..count)
            .map(|index| {
                seed += 1.0;
                middle + spread * (seed * 12.9898 + index as f32 * 0.37).sin()
            })
            .collect();
        Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
    };
    let mut all = HashMap::new();
    for (name, rows) in [
        ("word_embeddings", WORDS.len()),
        ("position_embeddings", POSITIONS),
        ("token_type_embeddings", 2),
    ] {
        let name = format!("embeddings.{name}.weight");
        all.insert(name, tensor(&[rows, WIDTH], 0.8, 0.0));
    }
    let mut norms = vec!["embeddings".to_owned()];
    for layer in 0..LAYERS {
        let layer = format!("encoder.layer.{layer}");
        for (part, rows, columns) in [
            ("attention.self.query", WIDTH, WIDTH),
            ("attention.self.key", WIDTH, WIDTH),
            ("attention.self.value", WIDTH, WIDTH),
            ("attention.output.dense", WIDTH, WIDTH),
            ("intermediate.dense", WIDTH, INNER),
            ("output.dense", INNER, WIDTH),
        ] {
            let matrix = tensor(&[columns, rows], 0.3, 0.0);
            all.insert(format!("{layer}.{part}.weight"), matrix);
            all.insert(format!("{layer}.{part}.bias"), tensor(&[columns], 0.1, 0.0));
        }
        norms.push(format!("{layer}.attention.output"));
        norms.push(format!("{layer}.output"));
    }
    for norm in norms {
        all.insert(
            format!("{norm}.LayerNorm.weight"),
            tensor(&[WIDTH], 0.2, 1.0),
        );
        all.insert(format!("{norm}.LayerNorm.bias"), tensor(&[WIDTH], 0.1, 0.0));
    }
    all
}

fn config(model_type: &str) -> Value {
    json!({"model_type": model_type, "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
        "num_attention_heads": 4, "intermediate_size": INNER, "vocab_size": WORDS.len(),
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "hidden_act": "gelu",
        "layer_norm_eps": 1e-5, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
        "initializer_range": 0.02, "pad_token_id": 0, "position_embedding_type": "absolute"})
}

fn write(folder: &Path, model_type: &str, prefix: &str) {
    let named: HashMap<String, Tensor> = tensors()
        .into_iter()
        .map(|(name, tensor)| (format!("{prefix}{name}"), tensor))
        .collect();
    candle_core::safetensors::save(&named, folder.join("model.safetensors")).unwrap();
    std::fs::write(folder.join("config.json"), config(model_type).to_string()).unwrap();
    std::fs::write(folder.join("vocab.txt"), WORDS.join("\n")).unwrap();
}

fn encoder(model_type: &str, prefix: &str) -> Encoder {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), model_type, prefix);
    Encoder::read("small", folder.path()).unwrap()
}

const TEXTS: [&str; 4] = [
    "Renal failure.",
    "acutely no fever. hearts 肾 renal renal failure failure acute",
    "",
    "fever fever fever",
];

fn assert_equal(of: &HiddenStates, exact: &Tensor) {
    let exact: Vec<f32> = exact.flatten_all().unwrap().to_vec1().unwrap();
    assert_eq!(of.values.len(), exact.len());
    for (value, exact) in of.values.iter().zip(exact) {
        assert!((value - exact).abs() < 2e-5, "{value} {exact}");
    }
}

fn ids(of: &HiddenStates) -> Tensor {
    Tensor::new(vec![of.text.ids().to_vec()], &Device::Cpu).unwrap()
}

#[test]
fn bert_is_computed_as_candle_does() {
    let builder = VarBuilder::from_tensors(tensors(), DType::F32, &Device::Cpu);
    for layers in 0..=LAYERS {
        let mut config = config("bert");
        config["num_hidden_layers"] = json!(layers);
        let config: bert::Config = serde_json::from_value(config).unwrap();
        let model = bert::BertModel::load(builder.clone(), &config).unwrap();
        for of in encoder("bert", "bert.")
            .hidden_states(&TEXTS, layers)
            .unwrap()
        {
            let ids = ids(&of);
            let types = ids.zeros_like().unwrap();
            assert_equal(&of, &model.forward(&ids, &types, None).unwrap());
        }
    }
}

#[test]
fn roberta_is_computed_as_candle_does() {
    let builder = VarBuilder::from_tensors(tensors(), DType::F32, &Device::Cpu);
    let config: xlm_roberta::Config = serde_json::from_value(config("xlm-roberta")).unwrap();
    let model = xlm_roberta::XLMRobertaModel::new(&config, builder).unwrap();
    let states = encoder("xlm-roberta", "roberta.").hidden_states(&TEXTS, LAYERS);
    for of in states.unwrap() {
        let ids = ids(&of);
        let (types, mask) = (ids.zeros_like().unwrap(), ids.ones_like().unwrap());
        let exact = model.forward(&ids, &mask, &types, None, None, None);
        assert_equal(&of, &exact.unwrap());
    }
}

#[test]
fn texts_are_read_by_the_rules_of_bert() {
    let encoder = encoder("bert", "");
    let text = encoder
        .tokenize(" \u{3000}Acutely RÉNAL肾衰, [SEP] hearts\u{1c}\n")
        .unwrap();
    // Accents go, Chinese characters stand alone, and words fall into pieces.
    assert_eq!(text.ids(), [2, 6, 7, 4, 11, 1, 1, 3, 12, 13, 3]);
    assert_eq!((text.tokens(), text.unknown_tokens()), (9, 2));
    let long = encoder.tokenize(&"fever ".repeat(50)).unwrap();
    assert_eq!((long.ids().len(), long.truncated_tokens()), (POSITIONS, 28));
    assert!(encoder.tokenize(" \u{3000}\n").unwrap().is_empty());
    assert!(encoder.tokenize("\0").unwrap().is_empty());
}

#[test]
fn embeddings_are_what_the_folder_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "bert", "");
    let plain = Encoder::read("small", folder.path()).unwrap();
    let states = plain.hidden_states(&["no fever"], LAYERS).unwrap();
    let mean = |column: usize| {
        states[0]
            .values
            .iter()
            .skip(column)
            .step_by(WIDTH)
            .sum::<f32>()
            / 4.0
    };
    let vectors = plain
        .embed(&["no fever"], &plain.embedding_options())
        .unwrap();
    assert!((vectors.vectors[0][5] - mean(5)).abs() < 1e-5);

    let pooling = folder.path().join("1_Pooling");
    std::fs::create_dir(&pooling).unwrap();
    let cls = json!({"pooling_mode_cls_token": true});
    std::fs::write(pooling.join("config.json"), cls.to_string()).unwrap();
    let modules = json!([{"type": "sentence_transformers.models.Normalize"}]);
    std::fs::write(folder.path().join("modules.json"), modules.to_string()).unwrap();
    let sentence = json!({"max_seq_length": 3});
    let path = folder.path().join("sentence_bert_config.json");
    std::fs::write(path, sentence.to_string()).unwrap();
    let asked = Encoder::read("small", folder.path()).unwrap();
    let options = asked.embedding_options();
    assert_eq!(options.signature(), "pool:cls|norm:yes|tokens:3");
    let short = asked.embed(&["no fever"], &options).unwrap();
    assert_eq!(short.reading.truncated_tokens, 1);
    let states = asked.hidden_states(&["no"], LAYERS).unwrap();
    let length = states[0].values[..WIDTH]
        .iter()
        .map(|v| v * v)
        .sum::<f32>()
        .sqrt();
    assert!((short.vectors[0][7] - states[0].values[7] / length).abs() < 1e-5);
}

#[test]
fn broken_folders_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = |folder: &Path| {
        let error = Encoder::read("small", folder).unwrap_err();
        let source = std::error::Error::source(&error).map(ToString::to_string);
        format!("{error}: {}", source.unwrap_or_default())
    };
    assert!(told(folder.path()).contains("config.json"));
    write(folder.path(), "bert", "other.");
    assert!(told(folder.path()).contains("word_embeddings"));
    write(folder.path(), "bert", "");
    let mut wide = config("bert");
    wide["hidden_size"] = json!(WIDTH + 4);
    std::fs::write(folder.path().join("config.json"), wide.to_string()).unwrap();
    assert!(told(folder.path()).contains("word_embeddings"));
    write(folder.path(), "bert", "");
    std::fs::write(folder.path().join("vocab.txt"), "a\nb").unwrap();
    assert!(told(folder.path()).contains("[UNK]"));
    let more = [WORDS.as_slice(), &["more"]].concat().join("\n");
    std::fs::write(folder.path().join("vocab.txt"), more).unwrap();
    assert!(told(folder.path()).contains("15 words, config.json says vocab_size 14"));
    write(folder.path(), "bert", "");
    let mut broken = tensors();
    let bias = Tensor::from_vec(vec![f32::NAN; WIDTH], WIDTH, &Device::Cpu).unwrap();
    broken.insert("encoder.layer.1.output.dense.bias".to_owned(), bias);
    candle_core::safetensors::save(&broken, folder.path().join("model.safetensors")).unwrap();
    let told_of = told(folder.path());
    assert!(told_of.contains("layer.1.output.dense.bias") && told_of.contains("not finite"));
    std::fs::write(folder.path().join("model.safetensors"), "nothing").unwrap();
    assert!(told(folder.path()).contains("model.safetensors"));
}

#[test]
fn pairs_are_scored_the_same_in_any_company() {
    let encoder = encoder("bert", "");
    let pairs: [(&str, &[&str]); 4] = [
        ("renal failure", &["acute renal failure.", "no fever"]),
        ("", &["no fever"]),
        ("no fever", &[]),
        ("heart failure", &["heart failure"]),
    ];
    let mut options = BertScoreOptions::of_layer(2);
    let all = encoder.bert_scores(&pairs, &options).unwrap();
    let by_layer = encoder
        .bert_scores_by_layer(&pairs, None, Padding::None)
        .unwrap();
    for (place, pair) in pairs.iter().enumerate() {
        let fresh = self::encoder("bert", "");
        let alone = fresh.bert_scores(&[*pair], &options).unwrap();
        assert_eq!(alone.scores[0], all.scores[place]);
        assert_eq!(by_layer.scores[place][2], all.scores[place]);
    }
    assert!(all.scores[1].f1.abs() < 1e-9 && all.scores[2].f1.abs() < 1e-9);
    assert!((all.scores[3].f1 - 1.0).abs() < 1e-6);
    let first = |reference: &str| {
        let pair: [(&str, &[&str]); 1] = [("renal failure", &[reference])];
        encoder.bert_scores(&pair, &options).unwrap().scores[0]
    };
    let (one, other) = (first("acute renal failure."), first("no fever"));
    assert!((all.scores[0].precision - one.precision.max(other.precision)).abs() < 1e-12);
    assert!((all.scores[0].recall - one.recall.max(other.recall)).abs() < 1e-12);
    let plain = options.signature(&encoder);
    options.idf = Some(
        Idf::of_texts(&encoder, &["no fever", "fever"])
            .unwrap()
            .into(),
    );
    let weighted = options.signature(&encoder);
    assert!(plain.contains("layer:2|idf:no") && weighted.contains("idf:2-"));
    options.layer = LAYERS + 1;
    assert!(encoder.bert_scores(&pairs, &options).is_err());
}
