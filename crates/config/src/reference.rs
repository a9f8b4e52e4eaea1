//! The configuration reference, made from the list of parameters.

use std::fmt::Write;

use crate::definition::{Mutability, Parameter, Visibility};
use crate::parameters::parameters;

/// The reference of all parameters in Markdown, a heading for each section.
pub fn reference() -> String {
    let mut text = String::from(
        "# Configuration reference\n\n\
         Every parameter can stand in the configuration file and, with two dashes before it, on \
         the command line. Those that change at run time do so with CONFIG SET.\n",
    );
    let mut section = None;
    for parameter in parameters() {
        if parameter.visibility == Visibility::FileOnly {
            continue;
        }
        if section != Some(parameter.section) {
            section = Some(parameter.section);
            write!(text, "\n## {}\n", parameter.section.title()).expect("a string takes all");
        }
        entry(&mut text, parameter);
    }
    text
}

fn entry(text: &mut String, parameter: &Parameter) {
    let mut facts = Vec::new();
    if let Some(allowed) = parameter.allowed() {
        facts.push(format!("Value: {allowed}."));
    }
    facts.push(match parameter.default_text().as_str() {
        "" => "Default: empty.".to_owned(),
        default => format!("Default: `{default}`."),
    });
    facts.push(match parameter.mutability {
        Mutability::Runtime => "Changes at run time.".to_owned(),
        Mutability::Immutable => "Fixed at start.".to_owned(),
        Mutability::Protected => {
            "Changes at run time if `enable-protected-configs` allows.".to_owned()
        }
    });
    if !parameter.aliases.is_empty() {
        facts.push(format!("Also called `{}`.", parameter.aliases.join("`, `")));
    }
    if parameter.visibility == Visibility::Hidden {
        facts.push("Not listed by patterns.".to_owned());
    }
    if let Some(reason) = parameter.meaning.neglect() {
        facts.push(format!("**Accepted without effect**: {reason}."));
    }
    let (name, doc) = (parameter.name, parameter.doc());
    write!(text, "\n### `{name}`\n\n{doc}\n\n{}\n", facts.join(" ")).expect("a string takes all");
}
