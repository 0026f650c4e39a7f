// Tests of the HTML page and its pictures: what is on it, its weight, and that foreign text stays text.
// Not for: how a browser takes it (browser_test.cc).
#include "fuzz/report/html.h"

#include "fuzz/report/report.h"
#include "fuzz/testing/full_store.h"
#include "fuzz/testing/markup.h"
#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

using nlohmann::json;

const Family& AFamily() { return *SubjectTable::All().families().front(); }

json ReportOf(const std::string& folder, const SubjectTable& table = SubjectTable::All()) {
  auto store = Store::OpenForReading(folder);
  EXPECT_TRUE(store.ok()) << store.status();
  const auto report = ReportJson(*store, table.families());
  EXPECT_TRUE(report.ok()) << report.status();
  return *report;
}

std::string PageOf(const json& report, const PictureOptions& options = {},
                   const SubjectTable& table = SubjectTable::All()) {
  return ReportHtml(report, DrawPictures(report, table, options), table.families(), {.program = "build/oomph"});
}

TEST(Html, TwoHundredFindingsAreLight) {
  const ScratchFolder folder;
  ASSERT_NO_FATAL_FAILURE(FillStore(folder.path(), 200, 7));
  PictureOptions patient;
  patient.seconds = 600;  // with a sanitizer on a busy machine each of them takes a while
  const std::string page = PageOf(ReportOf(folder.path()), patient);
  EXPECT_LT(page.size(), size_t{5} << 20);
  EXPECT_EQ(BrokenMarkup(page), "");
  EXPECT_TRUE(IsCleanText(page));
  EXPECT_EQ(CountOf(page, "<details class=\"finding\""), 200u);
  EXPECT_GE(CountOf(page, "<div class=\"picture\"><svg"), 200u);
  EXPECT_EQ(CountOf(page, "badge known\">"), 40u);
  EXPECT_TRUE(Has(page, "200 findings, 160 new"));
  EXPECT_TRUE(Has(page, "build/oomph check " + folder.path()));
  EXPECT_TRUE(Has(page, ">gone<") && Has(page, ">install it<"));
  EXPECT_TRUE(Has(page, "campaign 7, ") && Has(page, "all 7 campaigns"));
  for (const std::string_view name : AFamily().reach_names()) {
    EXPECT_TRUE(Has(page, ">" + std::string(name.substr(name.find(':') + 1)) + "<")) << name;
  }
  // Nothing that another file or a script would be needed for.
  for (const char* what : {"<script", " src=", "@import", "url(http", "<a ", "javascript:", " onload"}) {
    EXPECT_FALSE(Has(page, what)) << what;
  }
}

TEST(Html, AnEmptyStoreIsAPageToo) {
  const ScratchFolder folder;
  ASSERT_TRUE(Store::OpenForWriting(folder.path()).ok());
  const std::string page = PageOf(ReportOf(folder.path()));
  EXPECT_EQ(BrokenMarkup(page), "");
  EXPECT_TRUE(Has(page, "nothing found"));
}

TEST(Html, ForeignTextIsText) {
  const std::string evil = "<script>alert(1)</script>\"' onload=x \x01\xff\xed\xa0\x80\xef\xbf\xbf&lt;";
  const ScratchFolder folder;
  {
    auto store = Store::OpenForWriting(folder.path());
    ASSERT_TRUE(store.ok());
    const auto campaign = store->BeginOrResume(evil, 1);
    const PairKey key{std::string(AFamily().name()), evil, evil};
    Finding f = FindingWith(AFamily(), evil, evil, evil);
    for (std::string* text : {&f.variant, &f.version, &f.reason, &f.owner, &f.upstream}) *text = evil;
    f.known = true;
    SaveIn(*store, campaign->id, AFamily(), f);
    f.signature += "2";
    f.case_text = "# " + evil + "\n" + GeneratedCase(AFamily(), 1, 5);  // a case that is drawn
    f.subject = "model";
    SaveIn(*store, campaign->id, AFamily(), f);
    ChunkRecord chunk = ChunkOf(key, AFamily(), 100);
    chunk.version = evil;
    chunk.incomparable[evil] = 50;
    chunk.properties.push_back({key, evil, 1, evil, evil});
    ASSERT_TRUE(store->Commit(campaign->id, chunk).ok());
    ASSERT_TRUE(store->SetSkipped(campaign->id, {{evil, evil, evil}}).ok());
    ASSERT_TRUE(store->SetState(campaign->id, evil, 1).ok());
  }
  const std::string page = PageOf(ReportOf(folder.path()));
  EXPECT_EQ(BrokenMarkup(page), "");
  EXPECT_TRUE(IsCleanText(page));
  EXPECT_FALSE(Has(page, "<script"));
  EXPECT_GE(CountOf(page, "&lt;script&gt;alert(1)&lt;/script&gt;"), 12u);
}

TEST(Html, CommandsNameForeignCode) {
  const ScratchFolder folder;
  {
    auto store = Store::OpenForWriting(folder.path());
    const auto campaign = store->BeginOrResume("", 1);
    const std::string text = GeneratedCase(AFamily(), 1, 5);
    SaveIn(*store, campaign->id, AFamily(), FindingWith(AFamily(), "cmd:./mine --fast", "d", text));
  }
  EXPECT_TRUE(Has(PageOf(ReportOf(folder.path())), " --subject &#39;cmd:./mine --fast&#39;"));
}

TEST(Html, LongCasesLoseTheirMiddleAndManyFindingsTheirPictures) {
  const ScratchFolder folder;
  {
    auto store = Store::OpenForWriting(folder.path());
    const auto campaign = store->BeginOrResume("", 1);
    SaveIn(*store, campaign->id, AFamily(), FindingWith(AFamily(), "model", "long", GeneratedCase(AFamily(), 3, 40000)));
    for (int i = 0; i < 3; ++i) {
      SaveIn(*store, campaign->id, AFamily(),
             FindingWith(AFamily(), "model", absl::StrCat("short", i), GeneratedCase(AFamily(), 3, 4)));
    }
  }
  const json report = ReportOf(folder.path());
  const auto pictures = DrawPictures(report, SubjectTable::All());
  const std::string page = ReportHtml(report, pictures, SubjectTable::All().families(),
                                      {.most_shown = 2, .case_bytes = 100'000});
  EXPECT_TRUE(Has(page, " lines are left out here; the file has them"));
  EXPECT_EQ(CountOf(page, "<details class=\"finding\""), 2u);
  EXPECT_EQ(CountOf(page, "<div class=\"line\">"), 2u);
  EXPECT_LT(page.size(), 600'000u);
  EXPECT_EQ(BrokenMarkup(page), "");
}

TEST(Pictures, SayWhatTheyDoNotKnow) {
  const ScratchFolder folder;
  const std::string text = GeneratedCase(AFamily(), 5, 6);
  {
    auto store = Store::OpenForWriting(folder.path());
    const auto campaign = store->BeginOrResume("", 1);
    for (const char* subject : {"model", "nobody", "plugin:/nowhere/x.so", "cmd:touch pwned"}) {
      SaveIn(*store, campaign->id, AFamily(), FindingWith(AFamily(), subject, "d", text));
    }
    Finding broken = FindingWith(AFamily(), "model", "broken", "]]]");
    SaveIn(*store, campaign->id, AFamily(), broken);
  }
  const json report = ReportOf(folder.path());
  const auto note = [&](const PictureOptions& options, const std::string& subject, const std::string& detail) {
    const auto pictures = DrawPictures(report, SubjectTable::All(), options);
    const Finding f = FindingWith(AFamily(), subject, detail, "");
    return pictures.at(f.signature).note;
  };
  EXPECT_EQ(note({}, "model", "d"), "Run for this report it showed no fault: fixed since, or not each time.");
  EXPECT_TRUE(Has(note({}, "nobody", "d"), "no subject \"nobody\""));
  EXPECT_TRUE(note({}, "nobody", "d").ends_with("This is what the model does."));
  EXPECT_TRUE(Has(note({}, "plugin:/nowhere/x.so", "d"), "does not start plugin:/nowhere/x.so"));
  EXPECT_TRUE(Has(note({}, "cmd:touch pwned", "d"), "does not start cmd:"));
  EXPECT_TRUE(Has(note({}, "model", "broken"), "No picture: "));
  EXPECT_TRUE(Has(note({.seconds = 0}, "model", "d"), "the time for pictures was used up"));
}

TEST(Pictures, ASubjectThatDiesCostsOnePicture) {
  const SubjectTable table(toy::ToyRows());
  const ScratchFolder folder;
  {
    auto store = Store::OpenForWriting(folder.path());
    const auto campaign = store->BeginOrResume("", 1);
    for (const char* subject : {"fault:dies", "real:a"}) {
      SaveIn(*store, campaign->id, toy::Toy(), FindingWith(toy::Toy(), subject, "d", "push 13\n"));
    }
  }
  auto store = Store::OpenForReading(folder.path());
  const auto report = ReportJson(*store, table.families());
  ASSERT_TRUE(report.ok());
  const auto pictures = DrawPictures(*report, table);
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_EQ(pictures.begin()->second.svg, "");
  EXPECT_EQ(pictures.rbegin()->second.svg, "<svg/>");
  EXPECT_TRUE(Has(pictures.begin()->second.note, "died over its case: signal"));
  EXPECT_TRUE(Has(pictures.rbegin()->second.note, "showed no fault"));
}

TEST(Pictures, LongTracesAreThinnedAroundTheirStep) {
  const ScratchFolder folder;
  {
    auto store = Store::OpenForWriting(folder.path());
    const auto campaign = store->BeginOrResume("", 1);
    SaveIn(*store, campaign->id, AFamily(), FindingWith(AFamily(), "model", "long", GeneratedCase(AFamily(), 3, 20000)));
  }
  const auto pictures = DrawPictures(ReportOf(folder.path()), SubjectTable::All(), {.bytes_each = 30'000});
  const Picture& picture = pictures.begin()->second;
  EXPECT_LE(picture.svg.size(), 30'000u);
  EXPECT_TRUE(Has(picture.svg, "only steps "));
}

}  // namespace
}  // namespace oomph
