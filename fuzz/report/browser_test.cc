// The HTML report in headless Chromium: it says nothing on the console, shows its pictures, and fits wide and
// narrow screens, light and dark. With OOMPH_SCREENSHOTS=DIR it leaves pictures of itself there, to be looked at.
// Not for: what stands on the page (html_test.cc).
#include <cstdio>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/html.h"
#include "fuzz/report/report.h"
#include "fuzz/testing/chromium.h"
#include "fuzz/testing/full_store.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

using nlohmann::json;

std::string WritePage(const std::string& folder, size_t findings) {
  FillStore(folder, findings, 7);
  {
    const Family& family = *SubjectTable::All().families().front();
    auto store = Store::OpenForWriting(folder);
    Finding f = FindingWith(family, "model", "<script>alert(1)</script>", "# <script>alert(1)</script>\n");
    f.reason = "<img src=x onerror=alert(1)>";
    SaveIn(*store, 7, family, f);
  }
  auto store = Store::OpenForReading(folder);
  const auto families = SubjectTable::All().families();
  const json report = *ReportJson(*store, families);
  const std::string path = folder + "/report.html";
  std::ofstream(path) << ReportHtml(report, DrawPictures(report, SubjectTable::All()), families);
  return path;
}

void Photograph(Chromium& browser, const std::string& name) {
  const char* const folder = std::getenv("OOMPH_SCREENSHOTS");
  if (folder == nullptr) return;
  std::string png;
  ASSERT_TRUE(absl::Base64Unescape(browser.Screenshot(), &png));
  std::ofstream(absl::StrFormat("%s/%s.png", folder, name), std::ios::binary) << png;
}

TEST(SlowBrowser, ShowsAStoreOfTwoHundredFindings) {
  if (Chromium::Program().empty()) GTEST_SKIP() << "needs the Debian package chromium";
  const ScratchFolder folder;
  const std::string page = WritePage(folder.path() + "/store", 200);
  Chromium browser(folder.path() + "/profile");
  browser.Look(1280, 900, false);
  browser.Load(page);
  const json ended = browser.Ask("performance.getEntriesByType('navigation')[0].loadEventEnd");
  std::printf("%ju bytes, loaded after %.0f ms\n", static_cast<uintmax_t>(std::filesystem::file_size(page)),
              ended.get<double>());
  EXPECT_LT(std::filesystem::file_size(page), uintmax_t{5} << 20);

  EXPECT_EQ(browser.Ask("document.querySelectorAll('.finding').length"), 201);
  EXPECT_EQ(browser.Ask("document.querySelectorAll('.finding[open]').length"), 3);
  EXPECT_EQ(browser.Ask("document.scripts.length + document.images.length"), 0);
  EXPECT_EQ(browser.Ask("[...document.querySelectorAll('summary code')]"
                        ".filter(e => e.textContent.includes('<script>alert(1)</script>')).length"), 1);
  std::string grounds;
  for (const bool dark : {false, true}) {
    for (const int width : {1280, 390}) {
      browser.Look(width, 900, dark);
      const std::string name = absl::StrFormat("%s-%d", dark ? "dark" : "light", width);
      browser.Ask("document.querySelectorAll('details').forEach(d => d.open = false); scrollTo(0, 0)");
      browser.Ask("document.querySelector('.finding').open = true");
      Photograph(browser, name);
      browser.Ask("document.querySelectorAll('details').forEach(d => d.open = true)");
      EXPECT_LE(browser.Ask("document.documentElement.scrollWidth"), width) << name;
      EXPECT_GE(browser.Ask("[...document.querySelectorAll('.picture svg')].filter(s => "
                            "s.getBoundingClientRect().width > 300 && s.getBoundingClientRect().height > 50).length"),
                200) << name;
      EXPECT_GE(browser.Ask("[...document.querySelectorAll('.picture svg rect title')].length"), 200) << name;
      browser.Ask("document.querySelector('.trend').scrollIntoView()");
      Photograph(browser, name + "-below");
      browser.Ask("document.querySelector('.heat').scrollIntoView()");
      Photograph(browser, name + "-coverage");
      grounds += browser.Ask("getComputedStyle(document.body).backgroundColor").get<std::string>() + " ";
    }
  }
  EXPECT_EQ(grounds, "rgb(255, 255, 255) rgb(255, 255, 255) rgb(13, 17, 23) rgb(13, 17, 23) ");
  for (const char* event : {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                            "Page.javascriptDialogOpening"}) {
    EXPECT_TRUE(browser.Events(event).empty()) << json(browser.Events(event)).dump();
  }
}

}  // namespace
}  // namespace oomph
