// What keys.h says, for programs (JSON Schema) and for people (tables of docs/02-scene-format.md).

#pragma once

#include <string>

namespace uptack::scene {

/// docs/scene.schema.json, draft 2020-12.
std::string schema_text();
/// The reference part of docs/02-scene-format.md.
std::string reference_text();

}  // namespace uptack::scene
