//! Where references lead: `$ref`, `$dynamicRef`, `$recursiveRef`, and the dynamic scope they depend on.
//!
//! ```text
//! tree: {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}
//! strict: {"$dynamicAnchor": "node", "$ref": "tree", ...}                  entered through strict, the items are strict too
//! ```
//!
//! A scope is the list of resources entered on the way to a schema, outermost first. Two schemas of one value in
//! different scopes are different schemas, because a dynamic reference inside may lead elsewhere. Cost: none in
//! documents without dynamic references, where there is one scope.

use std::rc::Rc;

use super::place::{Keys, SchemaPlace};
use super::{OUTERMOST, SchemaReader};
use crate::error::{Error, Result};
use crate::syntax::json_schema::document::Target;
use crate::syntax::json_schema::pointer::Pointer;
use crate::syntax::json_schema::sets::ValueSet;
use crate::syntax::json_schema::value::Value;

impl<'d> SchemaReader<'d> {
    pub(super) fn reference(
        &mut self,
        map: Keys<'d>,
        key: &'static str,
        place: &SchemaPlace<'d>,
    ) -> Result<Option<Rc<ValueSet<'d>>>> {
        let Some(value) = map.get(key) else { return Ok(None) };
        let target = self.target(key, value, place)?;
        let id = self.schema_id(target);
        self.values_of_schema(id).map(Some)
    }

    /// Where a reference leads.
    pub(super) fn target(
        &mut self,
        key: &'static str,
        reference: &'d Value<'d>,
        place: &SchemaPlace<'d>,
    ) -> Result<SchemaPlace<'d>> {
        let at = place.pointer.at(key);
        let text = reference.as_str().ok_or_else(|| Error::schema(&at.text(), format!("{key} must be a string")))?;
        let target = match key {
            "$ref" => self.documents.resolve(text, place.resource, &at)?,
            "$dynamicRef" => self.dynamic_target(text, place, &at)?,
            _ => self.recursive_target(place, &at)?,
        };
        let scope = self.scope_with(place.scope, target.resource);
        Ok(SchemaPlace { value: target.value, resource: target.resource, scope, pointer: target.pointer })
    }

    /// The outermost resource of the dynamic scope that has the anchor decides.
    fn dynamic_target(&mut self, text: &'d str, place: &SchemaPlace<'d>, pointer: &Pointer<'d>) -> Result<Target<'d>> {
        let target = self.documents.resolve(text, place.resource, pointer)?;
        let Some(anchor) = target.dynamic.clone() else { return Ok(target) };
        let outer = self.scope(place.scope).iter().copied().find_map(|resource| {
            let (value, at) = self.documents.resources[resource].dynamic.get(&anchor)?;
            Some(Target { value, pointer: at.clone(), resource, dynamic: None })
        });
        Ok(outer.unwrap_or(target))
    }

    fn recursive_target(&mut self, place: &SchemaPlace<'d>, pointer: &Pointer<'d>) -> Result<Target<'d>> {
        let target = self.documents.resolve("#", place.resource, pointer)?;
        if !self.documents.resources[target.resource].recursive {
            return Ok(target);
        }
        let scope = self.scope(place.scope);
        // The outermost resource from which every one inwards to here is recursive.
        let outer = scope.iter().copied().find(|&resource| self.documents.resources[resource].recursive);
        let resource = outer.unwrap_or(target.resource);
        let found = &self.documents.resources[resource];
        Ok(Target { value: found.root, pointer: found.pointer.clone(), resource, dynamic: None })
    }

    /// The same place, in the resource of which its schema is the root, if it is one.
    pub(super) fn enter(&mut self, mut place: SchemaPlace<'d>) -> SchemaPlace<'d> {
        if let Some(resource) = self.documents.resource_of_root(place.value)
            && resource != place.resource
        {
            place.resource = resource;
            place.scope = self.scope_with(place.scope, resource);
        }
        place
    }

    fn scope_with(&mut self, scope: u32, resource: usize) -> u32 {
        if !self.dynamic || self.scope(scope).contains(&resource) {
            return scope;
        }
        let longer = [self.scope(scope), &[resource]].concat();
        let known = self.scopes.iter().position(|other| *other == longer);
        let index = known.unwrap_or_else(|| {
            self.scopes.push(longer);
            self.scopes.len() - 1
        });
        index as u32 + 1
    }

    pub(super) fn scope(&self, scope: u32) -> &[usize] {
        if scope == 0 { OUTERMOST } else { &self.scopes[scope as usize - 1] }
    }
}
