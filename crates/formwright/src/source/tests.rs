use proptest::prelude::*;

use super::*;

fn read(data: &[u8]) -> Result<Language> {
    let limits = Limits::default();
    Source::from_bytes(data, &limits)?.build(&limits)
}

fn sources() -> impl Strategy<Value = Source> {
    let options = (any::<[bool; 5]>(), 1..400_u32, any::<bool>()).prop_map(|(bits, max_digits, named)| Options {
        order: if bits[0] { Order::Model } else { Order::Schema },
        whitespace: if bits[1] { "free" } else { " ?" }.to_owned(),
        max_whitespace: (bits[1] && named).then_some(max_digits),
        max_items: bits[0].then_some(max_digits - 1),
        alphabet: bits[1].then(|| "0é\"".to_owned()),
        any_escapes: bits[2],
        decimal_integers: bits[3],
        ignore_unknown: bits[4],
        assert_formats: !bits[2],
        exact_formats: bits[3],
        numbers: if bits[3] { Numbers::Exact } else { Numbers::Double },
        max_digits,
        formats: BTreeMap::from([("hex".to_owned(), "[0-9a-f]+".to_owned())]),
        registry: BTreeMap::from([("urn:x".to_owned(), "true".to_owned())]),
        dialect: named.then(|| "draft7".to_owned()),
        notation: if bits[4] { Notation::Yaml { indent: 2, max_depth: max_digits % 64 } } else { Notation::Json },
        ..Options::default()
    });
    let schema = r#"{"type":["integer","string"],"format":"hex"}"#.to_owned();
    let leaf = prop_oneof![
        options.prop_map(move |options| Source::json_schema(schema.clone(), options)),
        "[a-z]{1,3}".prop_map(|pattern| Source::regex(&pattern, Dialect::Ascii)),
        "[a-z]{1,3}".prop_map(|pattern| Source::regex(&format!("\\d{pattern}"), Dialect::Unicode)),
        "[a-z]{1,3}".prop_map(|pattern| Source::regex(&format!("[{pattern}]\n\\p{{0}}"), Dialect::Python)),
        prop::collection::vec("[a-zé\"]{0,3}", 1..4).prop_map(|options| Source::choice(Lexicon::of(&options).unwrap())),
        (".{1,3}", any::<bool>()).prop_map(|(name, or_text)| Source::control(&name, or_text)),
        (prop::collection::vec("[a-z]{1,3}", 0..3), any::<bool>(), 0..9_u32, prop_oneof![Just(u32::MAX), 4..9_u32])
            .prop_map(|(markers, included, most, most_tokens)| {
                Source::free(Free { markers, included, most, most_tokens })
            }),
        Just(Source::format("date")),
        ("[a-z. ]{0,8}x", 0..3_usize)
            .prop_map(|(text, unit)| Source::pieces(Pieces::new(&text, Unit::EVERY[unit]).unwrap())),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.then(&b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(&b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(&b)),
            inner.clone().prop_map(|a| a.complement()),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Source::branches(&[("x".to_owned(), &a), ("xy".to_owned(), &b)])),
            (inner, 0..2_u32, 2..4_u32).prop_map(|(a, low, high)| a.repeat(low, high)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_written_is_read(source in sources()) {
        let (data, limits) = (source.to_bytes().unwrap(), Limits::default());
        let again = Source::from_bytes(&data, &limits).unwrap();
        prop_assert_eq!(again.to_bytes().unwrap(), data);
        prop_assert_eq!(format!("{again:?}"), format!("{source:?}"));
        if let Ok(language) = source.build(&limits) {
            let example = language.example().unwrap();
            prop_assert!(again.build(&limits).unwrap().check(&example).unwrap().1);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(body in prop::collection::vec(0..9_u8, 0..64)) {
        let _ = read(&ENVELOPE.seal(&body));
    }
}

#[test]
fn every_cut_and_every_changed_byte_is_an_error() {
    let data = Source::json_schema("{}".to_owned(), Options::default())
        .or(&Source::regex("a+", Dialect::Ascii))
        .to_bytes()
        .unwrap();
    for at in 0..data.len() {
        let mut changed = data.clone();
        changed[at] ^= 0x20;
        assert_eq!(*read(&changed).unwrap_err().kind, Kind::Language);
        assert!(read(&data[..at]).is_err());
    }
}

#[test]
fn operators_need_their_operands() {
    let refused = |body: &[u8]| read(&ENVELOPE.seal(body)).unwrap_err();
    let empty = [1, 0, 0, 0, 0, 0];
    for body in [&[][..], &[3], &[&empty[..], &[4]].concat(), &empty.repeat(2)] {
        assert!(refused(body).message.contains("do not pair up"), "{body:?}");
    }
    assert!(refused(&[17]).message.contains("the kind of a step is 17"));
    assert!(refused(&[1, 0, 0, 0, 0, 3]).message.contains("the dialect of an expression is 3"));
}

#[test]
fn ten_thousand_operators_neither_overflow_nor_run_on() {
    let letter = Source::regex("a", Dialect::Ascii).body().unwrap();
    let deep = [letter.clone(), [letter.clone(), vec![3]].concat().repeat(10_000)].concat();
    let limits = Limits { source_nodes: 100_000, ..Limits::default() };
    let error = Source::from_bytes(&ENVELOPE.seal(&deep), &limits).unwrap().build(&limits).unwrap_err();
    assert!(matches!(*error.kind, Kind::Limit { .. }), "{error}");
    let wide = [letter.repeat(500), vec![4; 499]].concat();
    assert!(read(&ENVELOPE.seal(&wide)).unwrap().check(b"a").unwrap().1);
}

#[test]
fn a_constraint_is_for_one_vocabulary() {
    let vocabulary = |words: &[&str]| Vocabulary::new(words, &[0], indexmap::IndexMap::new(), None).unwrap();
    let (one, two) = (vocabulary(&["", "a"]), vocabulary(&["", "b"]));
    let (data, limits) =
        (Source::regex("a", Dialect::Ascii).to_constraint_bytes(&one, Scope::All).unwrap(), Limits::default());
    let (source, canonical) = Source::from_constraint_bytes(&data, &one, &limits).unwrap();
    assert!(source.build(&limits).is_ok() && canonical == Scope::All);
    let error = Source::from_constraint_bytes(&data, &two, &limits).unwrap_err();
    assert_eq!((*error.kind, error.hint.is_some()), (Kind::Vocabulary, true));
    assert!(Source::from_bytes(&data, &limits).unwrap_err().message.contains(r#"begin with "FWco", not with "FWla""#));
}
