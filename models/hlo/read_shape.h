// Reads shapes of an HLO text. Only for the readers of this folder; others take ParseShape of text.h.
#ifndef OOMPH_MODELS_HLO_READ_SHAPE_H_
#define OOMPH_MODELS_HLO_READ_SHAPE_H_

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "models/hlo/cursor.h"
#include "models/hlo/shape.h"

namespace oomph::hlo {

class ShapeReader {
 public:
  ShapeReader(Cursor& cursor, ShapeTable& shapes) : cursor_(cursor), shapes_(shapes) {}

  // Reads the shape at the cursor. A text that was read before is looked up, not read again.
  bool Read(ShapeId& shape);
  // Whether the cursor, which stands on a letter or '(', is at a shape rather than at a name or an opcode.
  bool AtShape();
  // Whether a tuple of more than five elements was read: XLA numbers those in comments.
  bool saw_long_tuple() const { return saw_long_tuple_; }

 private:
  const char* End();
  bool ReadAny(ShapeId& shape, int depth);
  bool ReadTuple(ShapeId& shape, int depth);
  bool ReadArray(Type type, ShapeId& shape, int depth);
  bool AtLayout();
  bool ReadLayout(size_t rank, LayoutId& layout, int depth);
  bool ReadProperty(Layout& layout, int depth);
  bool ReadTiles(Layout& layout);
  bool ReadSplits(Layout& layout);
  bool ReadNumber(int64_t& value, int64_t least);
  bool ReadType(Type& type);

  Cursor& cursor_;
  ShapeTable& shapes_;
  absl::flat_hash_map<std::string_view, ShapeId, TextHash> known_;  // by text
  bool saw_long_tuple_ = false;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_READ_SHAPE_H_
