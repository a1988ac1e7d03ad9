//! The tests of the kernel, in one program: it is built and linked once, and its tests share the processors.

mod common;

mod assertions;
mod budget;
mod canonical;
mod choices;
mod conditions;
mod counted;
mod dialects;
mod expressions;
mod fuzz;
mod grammars;
mod hostile_forms;
mod hostile_patterns;
mod interrupt;
mod languages;
mod layers;
mod left_factoring;
mod limits_page;
mod names;
mod part_tokens;
mod pieces;
mod recursion;
mod sharing;
mod small_stack;
mod unique_items;
