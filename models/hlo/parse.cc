// The entries of text.h that read. What they do is in read_module.cc, read_instruction.cc, read_shape.cc and
// read_attribute.cc.
#include <string>

#include "absl/strings/str_cat.h"
#include "models/hlo/cursor.h"
#include "models/hlo/read_module.h"
#include "models/hlo/read_shape.h"
#include "models/hlo/text.h"

namespace oomph::hlo {

bool LooksLikeModule(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return Cursor(text).TryName() == "HloModule";
}

absl::StatusOr<Module> Parse(std::string_view name, std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": the text has ", text.size(),
                                                   " bytes, which is over the limit of ", kMaxTextBytes));
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  ModuleReader reader(text);
  if (!reader.Read()) return reader.status(name);
  return reader.Take();
}

absl::StatusOr<ShapeId> ParseShape(std::string_view text, ShapeTable& shapes) {
  Cursor cursor(text);
  ShapeReader reader(cursor, shapes);
  ShapeId shape = 0;
  if (!reader.Read(shape)) return cursor.status("shape");
  if (!cursor.AtEnd()) cursor.Expected("the end of the shape");
  if (!cursor.ok()) return cursor.status("shape");
  return shape;
}

}  // namespace oomph::hlo
