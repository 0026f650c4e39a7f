// Tests of what is shown to a person.
#include "fuzz/report/show.h"

#include "gtest/gtest.h"

namespace oomph {
namespace {

TEST(Show, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("a\x1b[31mb\n\t\x7f"), "a\\x1b[31mb\\x0a\\x09\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b""31m"), "\\xc2\\x9b31m");  // a C1 control character
  EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"), "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(Printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Show, OnlyUtf8IsText) {
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");                 // half of a surrogate pair
  EXPECT_EQ(Printable("\xf0\x80\x80\xaf"), "\\xf0\\x80\\x80\\xaf");        // longer than it must be
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");        // above U+10FFFF
  EXPECT_EQ(Printable("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");                 // no XML
  EXPECT_EQ(Printable("\xed\x9f\xbf\xef\xbf\xbd\xf4\x8f\xbf\xbd"), "\xed\x9f\xbf\xef\xbf\xbd\xf4\x8f\xbf\xbd");
}

TEST(Show, MarkupAndShellTakeItAsText) {
  EXPECT_EQ(XmlText("<a b=\"c\">&'\n"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\\x0a");
  EXPECT_EQ(XmlLines("a\n<b>\n"), "a\n&lt;b&gt;\n");
  EXPECT_EQ(XmlLines(""), "");
  EXPECT_EQ(ShellWord("findings/a.trace"), "findings/a.trace");
  EXPECT_EQ(ShellWord("a b'c;d"), "'a b'\\''c;d'");
  EXPECT_EQ(ShellWord("-x"), "'-x'");
}

TEST(Show, Numbers) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1234567), "1,234,567");
  EXPECT_EQ(Counted(1, "step"), "1 step");
  EXPECT_EQ(Counted(0, "step") + Counted(2000, "step"), "0 steps2,000 steps");
  EXPECT_EQ(Short(840), "840");
  EXPECT_EQ(Short(1.25e6), "1.2 M");
}

TEST(Show, VerdictSaysWhatToTypeNext) {
  EXPECT_EQ(VerdictLine("f/o/s/d", "step 4 is wrong"), "f/o/s/d: step 4 is wrong");
  EXPECT_EQ(NextCommands("build/oomph", "findings/a.toy", "toy:wrong"),
            "  build/oomph minimize findings/a.toy\n  build/oomph explain findings/a.toy\n  build/oomph draw findings/a.toy");
}

TEST(Show, WhatIsNamedByItsPlaceIsNamedAgain) {
  EXPECT_EQ(NextCommands("oomph", "a b.toy", "plugin:./x.so:on=1"),
            "  oomph minimize 'a b.toy' --subject plugin:./x.so:on=1\n  oomph explain 'a b.toy' --subject "
            "plugin:./x.so:on=1\n  oomph draw 'a b.toy' --subject plugin:./x.so:on=1");
  EXPECT_EQ(NextCommands("oomph", "a.toy", "cmd:echo $b", "explain"),
            "  oomph explain a.toy --subject 'cmd:echo $b'\n  oomph draw a.toy --subject 'cmd:echo $b'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

}  // namespace
}  // namespace oomph
