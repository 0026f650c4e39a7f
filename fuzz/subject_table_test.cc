// What the table says of subjects by themselves. Not for: choosing among real ones (see fuzz/campaign/campaign_test.cc).
#include "fuzz/subject_table.h"

#include "gtest/gtest.h"

namespace oomph {
namespace {

TEST(SubjectTable, APluginCalledModelIsForeignAllTheSame) {
  SubjectRow row;
  row.name = "model";
  EXPECT_TRUE(IsBuiltIn(row));
  row.spec = "plugin:/somewhere/oomph_plugin_model.so";
  EXPECT_FALSE(IsBuiltIn(row));
}

}  // namespace
}  // namespace oomph
