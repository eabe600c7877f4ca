//! Which texts are selectors, and what selectors match.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn labels(text: &str) -> BTreeMap<&str, &str> {
    text.split(',').filter_map(|label| label.split_once('=')).collect()
}

#[test]
fn each_operator_matches_as_in_kubernetes() {
    for (selector, matching, other) in [
        ("", &["", "a=1"][..], &[][..]),
        ("a=1", &["a=1", "a=1,b=2"], &["", "a=2", "b=1"]),
        ("a==1", &["a=1"], &["a=2"]),
        ("a!=1", &["", "a=2"], &["a=1"]),
        ("a=", &["a="], &["", "a=1"]),
        ("a in (1,2)", &["a=1", "a=2"], &["", "a=3"]),
        ("a notin (1,2)", &["", "a=3"], &["a=1", "a=2"]),
        ("a in ()", &["a="], &["", "a=1"]),
        ("a", &["a=", "a=1"], &["", "b=1"]),
        ("!a", &["", "b=1"], &["a=", "a=1"]),
        ("a>5", &["a=6", "a=100"], &["", "a=5", "a=x", "a="]),
        ("a<5", &["a=4", "a=-100"], &["", "a=5", "a=x"]),
        ("a=1,b!=2,!c", &["a=1", "a=1,b=3"], &["a=1,b=2", "a=1,c=", ""]),
        ("in in (in,notin),notin", &["in=in,notin=", "in=notin,notin=1"], &["in=in"]),
    ] {
        let parsed = LabelSelector::parse(selector).unwrap();
        for text in matching {
            assert!(parsed.matches(|key| labels(text).get(key).copied()), "{selector:?} on {text:?}");
        }
        for text in other {
            assert!(!parsed.matches(|key| labels(text).get(key).copied()), "{selector:?} on {text:?}");
        }
    }
}

#[test]
fn white_space_and_order_do_not_matter() {
    let plain = LabelSelector::parse("app=web,env in (a,b),!x").unwrap();
    let spaced = LabelSelector::parse(" ! x , env  in ( b , a,a ) ,app = web ").unwrap();
    assert_eq!(plain, spaced);
    assert_eq!(spaced.to_string(), "app=web,env in (a,b),!x");
    assert!(LabelSelector::parse("  ").unwrap().is_everything());
}

#[test]
fn an_error_says_where_the_selector_goes_wrong() {
    let long = "a".repeat(64);
    for (text, at) in [
        (",", 0),
        ("a,", 2),
        ("a,,b", 2),
        ("a b", 2),
        ("a in", 4),
        ("a in (", 6),
        ("a in (b", 7),
        ("a in (b c)", 8),
        ("a in b", 5),
        ("a=b=c", 3),
        ("a>x", 2),
        ("a>", 2),
        ("a=b c", 4),
        ("!", 1),
        ("!!a", 1),
        ("=b", 0),
        ("a=-b", 2),
        ("-a", 0),
        ("A_B.c/d=1", 0),
        ("a/b/c", 0),
        ("/a", 0),
        ("a/", 0),
        ("é", 0),
        ("a=é", 2),
        ("a notin(b)x", 10),
        (&long, 0),
        (&format!("k={long}"), 2),
        ("!a=b", 2),
    ] {
        assert_eq!(LabelSelector::parse(text).map_err(|e| e.at), Err(at), "{text:?}");
    }
    let error = LabelSelector::parse("a>x").unwrap_err();
    assert_eq!(error.to_string(), r#"label selector "a>x" at byte 2: expected an integer"#);
}

#[test]
fn the_selector_of_nothing_reports_so_and_matches_nothing() {
    let nothing = LabelSelector::nothing();
    assert!(nothing.is_nothing() && !nothing.is_everything());
    assert!(!nothing.matches(|_| None) && !nothing.matches(|_| Some("")));
    assert_eq!(LabelSelector::parse(&nothing.to_string()).unwrap(), nothing);
    assert!(!LabelSelector::everything().is_nothing());
    assert!(!LabelSelector::parse("a,!b").unwrap().is_nothing());
}

#[test]
fn a_selector_of_a_spec_equals_the_one_of_its_text() {
    let expression = |key: &str, operator: &str, values: &[&str]| meta::LabelSelectorRequirement {
        key: key.to_owned(),
        operator: operator.to_owned(),
        values: Some(values.iter().map(ToString::to_string).collect()),
    };
    let spec = meta::LabelSelector {
        match_labels: Some([("app".to_owned(), "web".to_owned())].into()),
        match_expressions: Some(vec![
            expression("env", "In", &["b", "a"]),
            expression("zone", "NotIn", &["x"]),
            expression("b", "Exists", &[]),
            expression("c", "DoesNotExist", &[]),
        ]),
    };
    let text = "app=web,b,!c,env in (a,b),zone!=x";
    assert_eq!(LabelSelector::try_from(&spec).unwrap().to_string(), text);
    assert!(LabelSelector::try_from(&meta::LabelSelector::default()).unwrap().is_everything());
    for bad in [
        expression("a", "In", &[]),
        expression("a", "Exists", &["x"]),
        expression("a", "Like", &["x"]),
        expression("a b", "Exists", &[]),
        expression("a", "In", &["x y"]),
    ] {
        let spec = meta::LabelSelector { match_expressions: Some(vec![bad.clone()]), ..Default::default() };
        assert!(LabelSelector::try_from(&spec).is_err(), "{bad:?}");
    }
}

#[test]
fn a_map_of_labels_is_a_selector_that_requires_all_of_them() {
    let map = BTreeMap::from([("b".to_owned(), "2".to_owned()), ("a".to_owned(), String::new())]);
    let selector = LabelSelector::from(map);
    assert_eq!(selector, LabelSelector::parse("a=,b=2").unwrap());
    assert_eq!(selector, LabelSelector::from_iter([("b", "2"), ("a", "")]));
    assert!(selector.matches(|key| labels("a=,b=2,c=3").get(key).copied()));
    assert!(!selector.matches(|key| labels("a=,b=3").get(key).copied()));
    assert!(LabelSelector::from(BTreeMap::new()).is_everything());
}

#[test]
fn a_requirement_is_checked_when_it_is_built() {
    let selector = Requirement::new("app", Operator::In(vec!["web".to_owned()])).unwrap();
    assert_eq!(LabelSelector::all_of([selector]), LabelSelector::parse("app=web").unwrap());
    for (key, values) in [("a b", &["x"][..]), ("", &["x"]), ("a", &["x y"]), ("a", &["x", "-"])] {
        let values = values.iter().map(ToString::to_string).collect();
        assert!(Requirement::new(key, Operator::NotIn(values)).is_err(), "{key:?}");
    }
}

fn requirement_strategy() -> impl Strategy<Value = Requirement> {
    let key = select(vec!["a", "app.kubernetes.io/name", "in", "notin", "x-1_y.z"]).prop_map(str::to_owned);
    let values = || {
        let value = select(vec!["", "a", "in", "1", "x-1_y.z"]).prop_map(str::to_owned);
        proptest::collection::btree_set(value, 1..4).prop_map(|values| values.into_iter().collect::<Vec<_>>())
    };
    let operator = prop_oneof![
        values().prop_map(Operator::In),
        values().prop_map(Operator::NotIn),
        Just(Operator::Exists),
        Just(Operator::DoesNotExist),
        any::<i64>().prop_map(Operator::GreaterThan),
        any::<i64>().prop_map(Operator::LessThan),
    ];
    (key, operator).prop_map(|(key, operator)| Requirement { key, operator })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_printed_selector_parses_to_an_equal_one(
        mut requirements in proptest::collection::vec(requirement_strategy(), 0..5),
    ) {
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        let selector = LabelSelector::all_of(requirements);
        prop_assert_eq!(LabelSelector::parse(&selector.to_string()), Ok(selector));
    }

    #[test]
    fn no_text_causes_a_panic(text in any::<String>(), near in "[a!=<>(), in]{0,20}") {
        for text in [&text, &near] {
            if let Ok(selector) = LabelSelector::parse(text) {
                prop_assert_eq!(LabelSelector::parse(&selector.to_string()), Ok(selector));
            }
            if let Ok(selector) = FieldSelector::parse(text) {
                prop_assert_eq!(FieldSelector::parse(&selector.to_string()), Ok(selector));
            }
        }
    }

    #[test]
    fn a_field_selector_carries_any_value(value in any::<String>()) {
        let field = "metadata.name".to_owned();
        let one = FieldRequirement { field, operator: FieldOperator::NotEquals, value: value.clone() };
        let selector = FieldSelector::all_of([one.clone(), one]);
        let parsed = FieldSelector::parse(&selector.to_string()).unwrap();
        prop_assert!(!parsed.matches(|_| Some(value.as_str())));
        prop_assert_eq!(parsed, selector);
    }
}

#[test]
fn a_field_selector_parses_as_on_the_server() {
    let parse = |text: &str| FieldSelector::parse(text);
    assert_eq!(parse("a==b,,c!=d,").unwrap().to_string(), "a=b,c!=d");
    assert_eq!(parse(r"a=b\,c\=d\\").unwrap().requirements()[0].value, r"b,c=d\");
    assert!(parse("").unwrap().is_everything());
    assert!(parse("a=").unwrap().matches(|_| None));
    assert!(!parse("a!=").unwrap().matches(|_| None));
    for (text, at) in [("a", 1), ("b=1,a", 5), ("=a", 0), ("a=b=c", 3), (r"a=\x", 3), (r"a=b\", 4)] {
        assert_eq!(parse(text).map_err(|e| e.at), Err(at), "{text:?}");
    }
}
