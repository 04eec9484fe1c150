//! Tests of rendering and saving.

use super::*;

const ABOUT: About = About { program: "mclive", version: "1", hostname: "<h>" };

fn page() -> Page {
    let control = |id: &str, form, value: &str| Control {
        id: id.into(),
        form,
        sort: String::new(),
        value: value.into(),
        store: None,
    };
    let range = Form::Range { min: -3, max: 7, step: 5 };
    Page {
        title: "A & B".into(),
        head: "<meta name=x>".into(),
        controls: vec![control("na\"me", Form::Text, "<b>"), control("volume", range, "2")],
    }
}

fn save(form: &str) -> Result<Vec<Shown>, String> {
    let mut values = Values::default();
    page().save(&mut values, &crate::vocab::serve::form(form.as_bytes()))?;
    Ok(values.shown("/").collect())
}

#[test]
fn nothing_but_the_head_is_markup() {
    let html = page().html(&Values::default(), &ABOUT);
    for part in [
        "<title>A &amp; B</title>",
        "<meta name=x>",
        "value=\"na&quot;me\"",
        "value=\"&lt;b&gt;\"",
        "min=\"-3\" max=\"7\" step=\"5\" value=\"2\"",
        "on &lt;h&gt;",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(html.matches("<script").count(), 1);
    assert!(html.contains("<script src=\"ui.js\" defer></script>"));
}

#[test]
fn a_form_is_kept_or_refused_whole() {
    let saved = save("id=volume&value=7").unwrap();
    let expect = Shown { page: "/".into(), id: "volume".into(), value: b"7".to_vec(), is_saved: true };
    assert_eq!(saved, [expect]);
    // Nothing changed.
    assert_eq!(save("id=volume&value=2").unwrap(), []);
    for (form, why) in [
        ("value=1", "the form has no `id`"),
        ("id=volume", "the form has no `value`"),
        ("id=volume&value=2&value=7", "expected one `value`, found 2"),
        ("id=x&value=2", "cannot find a control with the id `x`"),
        ("id=volume&value=x", "expected a whole number, found `x`"),
        ("id=volume&value=-4", "expected a number from -3 to 7, found -4"),
        ("id=volume&value=8", "expected a number from -3 to 7, found 8"),
        ("id=volume&value=3", "expected a number in steps of 5 from -3, found 3"),
        ("id=na%22me&value=%FF", "the value is not UTF-8"),
    ] {
        assert_eq!(save(form).unwrap_err(), why, "{form}");
    }
    assert!(save(&format!("id=na%22me&value={}", "x".repeat(LARGEST_VALUE + 1))).is_err());
}

#[test]
fn what_is_shown_is_not_saved_and_goes_with_its_control() {
    let (mut values, page) = (Values::default(), page());
    values.show("volume", Some(b"-3"));
    assert!(values.shown("/").all(|shown| !shown.is_saved));
    assert_eq!(values.of(&page.controls[1]), b"-3");
    let mut other = page.clone();
    other.title.clear();
    values.follow(&page, &other);
    assert_eq!(values.of(&page.controls[1]), b"-3");
    other.controls[1].value = b"7".to_vec();
    values.follow(&page, &other);
    assert_eq!(values.shown("/").count(), 0);
}

#[test]
fn each_part_has_its_path() {
    let page = page();
    assert_eq!(page.part(""), Some(Part::Redirect));
    assert_eq!(page.part("list/volume"), Some(Part::Value("volume".into())));
    for nothing in ["list/x", "volume", "save", "../x"] {
        assert_eq!(page.part(nothing), None, "{nothing}");
    }
    let list = page.list();
    assert!(list.contains(r#"{"kind":"http:server:ui:input","id":"na\"me","type":"text","sort":""}"#), "{list}");
    assert_eq!(value_json(b"a\n\"b\""), "{\"value\":\"a\\n\\\"b\\\"\"}\n");
}

#[test]
fn a_form_of_another_site_is_none_of_ours() {
    assert!(is_own_form(None, Some("h:80")));
    assert!(is_own_form(Some("http://H:80"), Some("h:80")) && is_own_form(Some("https://h"), Some("h")));
    for origin in ["null", "http://evil", "http://h:81", "file://h:80", ""] {
        assert!(!is_own_form(Some(origin), Some("h:80")), "{origin}");
    }
    assert!(!is_own_form(Some("http://h"), None));
}
